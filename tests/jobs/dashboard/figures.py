"""Figures of one skill, from records, at a fixed moment."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from jobs.conclusions.thresholds import Thresholds
from jobs.dashboard.skill import SkillRuns, make_skill_figures
from jobs.dashboard.values import SkillCard, SkillFigures
from jobs.results import RunRecord
from tests.builders import NOON
from tests.jobs.conclusions.records import scored

REPO = "acme/skills"
SKILL = "text/word-count"
OLD, NEW = "1" * 64, "2" * 64
"""Two versions."""
SONNET: dict[str, Any] = {"model": "claude-sonnet-4-6", "model_identity": "claudesonnet46"}
GPT: dict[str, Any] = {
    "model": "gpt-5-mini",
    "model_identity": "gpt5mini",
    "served": "gpt-5-mini-2026",
}


def make_figures(
    records: Sequence[RunRecord],
    *,
    total: int | None = None,
    now: datetime = NOON + timedelta(days=3),
) -> SkillFigures:
    runs = SkillRuns(REPO, SKILL, records, len(records) if total is None else total)
    return make_skill_figures(runs, Thresholds(), now)


def card_of(records: Sequence[RunRecord], **more: Any) -> SkillCard:
    return make_figures(records, **more).card


def measured(
    sha: str, pairs: Sequence[tuple[float, float]], *, day: int = 0, **changes: Any
) -> list[RunRecord]:
    """A run of each eval case of a version: scores with the skill, and without it."""
    ended = NOON + timedelta(days=day)
    return [
        scored(
            f"e{number}",
            *pair,
            **{
                "run": f"run {sha[0]} {day} {number} {sorted(changes.items())}",
                "skill_sha": sha,
                "finished_at": ended + timedelta(minutes=number),
                **changes,
            },
        )
        for number, pair in enumerate(pairs)
    ]
