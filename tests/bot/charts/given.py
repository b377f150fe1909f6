"""Figures to draw: none, one, many, and with names that try to break out."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, get_args

from bot.charts.subject import Subject, subject_of_skill
from jobs.conclusions.verdict import SetWord
from jobs.dashboard.addresses import ChartKind
from jobs.dashboard.values import (
    HeatCell,
    SetFigures,
    SkillCard,
    SkillFigures,
    TriggerPoint,
    VersionPoint,
    Whiskers,
)

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
HOSTILE = (
    "<script>alert(1)</script>&amp; \u202e\x00\x1b\ufffe\ud800 $x^2$ $\\frac{ _a_ %s {0} 数据整理 "
    "שלום مرحبا 💊 \U000e0041 href=https://evil.example javascript:x ]]> <!-- \n\t"
)
KINDS: Sequence[ChartKind] = get_args(ChartKind)
WORDS: Sequence[SetWord] = get_args(SetWord)
COUNTS = {"none": 0, "one": 1, "many": 41}


def a_set(**changes: Any) -> SetFigures:
    values: dict[str, Any] = {
        "model": "claude-sonnet-4-6", "judge": "claude-opus-4-7", "launcher": "api",
        "mode": "forced", "environment": "", "vs": "none", "sha": "ab" * 32, "word": "helps",
        "reason": "", "method": "", "evals": 5, "wins": 5, "ties": 0, "losses": 0,
        "with_skill": 0.8, "without_skill": 0.62, "ended_at": NOW,
        "whiskers": Whiskers(difference=0.18, low=0.05, high=0.31),
    }  # fmt: skip
    return SetFigures.model_validate(values | changes)


def a_card(**changes: Any) -> SkillCard:
    values: dict[str, Any] = {
        "repo": "acme/skills", "skill": "text/word-count", "name": "word-count", "sha": "ab" * 32,
        "latest": a_set(), "ended_at": NOW,
    }  # fmt: skip
    return SkillCard.model_validate(values | changes)


def a_version(number: int, **changes: Any) -> VersionPoint:
    """The scores move, and every third has no interval, no price and no tokens."""
    known = number % 3 != 1
    having, lacking = 0.5 + number % 5 / 10, 0.45
    at = NOW - timedelta(days=200 - number)
    values: dict[str, Any] = {
        "series": "s", "sha": sha256(str(number).encode()).hexdigest(), "commit": "c" * 40,
        "model": "claude-sonnet-4-6", "judge": "claude-opus-4-7", "launcher": "api",
        "mode": "forced", "environment": "", "first_at": at if known else None,
        "ended_at": at if known else None, "evals": 5, "with_skill": having,
        "without_skill": lacking, "word": WORDS[number % len(WORDS)],
        "whiskers": Whiskers(
            difference=having - lacking,
            low=having - lacking - 0.5 if known else None,
            high=having - lacking + 0.6 if known else None,
        ),
        "tokens_with": 9_000.0 + number if known else None,
        "tokens_without": 7_000.0 if known else None,
        "cost_usd": 0.12 if known else None,
    }  # fmt: skip
    return VersionPoint.model_validate(values | changes)


def some_figures(count: int, name: str = "") -> SkillFigures:
    """`count` of everything; `name` stands for all that others name."""

    def of(usual: str) -> str:
        return name + usual[-1] if name else usual

    models = [of(f"model-{letter}") for letter in "abcdefghi"]
    sets = [
        a_set(
            model=of(f"m{number}"), word=WORDS[number % len(WORDS)],
            ended_at=NOW if number % 2 else None,
            whiskers=Whiskers(difference=number / 41 - 0.5, low=None, high=None)
            if number % 4 == 0
            else Whiskers(difference=number / 41 - 0.5, low=-1, high=1),
        )
        for number in range(count)
    ]  # fmt: skip
    return SkillFigures(
        card=a_card(name=of("word-count"), latest=sets[0] if sets else None),
        sets=tuple(sets),
        versions=tuple(
            a_version(number, model=models[number % 9], series=str(number % 9), judge=of("j"))
            for number in range(count)
        ),
        cells=tuple(
            HeatCell(
                eval_id=of(f"github-issue-{number}"), model=models[number % 9], run="r",
                difference=None if number % 7 == 3 else number % 21 / 10 - 1,
                is_stale=number % 5 == 0,
            )
            for number in range(count)
        ),
        triggers=tuple(
            TriggerPoint(
                run="r", sha=sha256(str(number).encode()).hexdigest(), model=models[number % 9],
                launcher=of("claude-code"), eval_set=of("e"), queries=20, missing=0,
                ended_at=NOW if number % 4 else None, recall=number / 41,
                precision=None if number % 2 else 0.5,
            )
            for number in range(count)
        ),
    )  # fmt: skip


def subjects(kind: ChartKind, count: int, name: str = "") -> list[Subject]:
    """What a kind is drawn from; `difference` of a repository and of a skill."""
    figures = some_figures(count, name)
    found = [subject_of_skill(kind, figures)]
    if kind == "difference":
        cards = tuple(
            a_card(name=name or f"skill-{number}", latest=figures.sets[number])
            for number in range(count)
        )
        unmeasured = a_card(name=name or "new", latest=None)
        found.append(Subject(kind=kind, repo=name or "acme/skills", cards=(*cards, unmeasured)))
    return found
