"""What holds of the figures of any runs, in any order, of any number."""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import timedelta
from math import isfinite
from statistics import fmean
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobs.calibration.series import series_key
from jobs.dashboard.values import SetFigures, VersionPoint
from jobs.results import RunRecord
from tests.bot.web_pages.ledger_seed import some_records
from tests.builders import NOON
from tests.jobs.conclusions.records import scored, unscored
from tests.jobs.dashboard.figures import GPT, REPO, SKILL, SONNET, make_figures

Drawn = tuple[int, ...]


@st.composite
def many_records(draw: st.DrawFn) -> list[RunRecord]:
    """Runs of few eval cases, versions, models and judges, so that they meet each other."""
    drawn = st.tuples(*(st.integers(0, most) for most in (8, 2, 1, 1, 8, 8, 30, 9)))
    return [_make(number, one) for number, one in enumerate(draw(st.lists(drawn, max_size=40)))]


def _make(number: int, drawn: Drawn) -> RunRecord:
    eval_number, version, model, judge, having, lacking, hour, kind = drawn
    common: dict[str, Any] = {
        "run": f"{number:04}",
        "skill_sha": f"{version}" * 64,
        "finished_at": None if hour == 0 else NOON + timedelta(hours=hour),
        "cost_usd": None if kind == 1 else having / 4,
        "pull": 5 if kind == 2 else 0,
        **(GPT if model else SONNET),
    }
    if kind == 3:
        return unscored(f"e{eval_number}", **common)
    common["judge_served"] = f"judge {judge}"
    common["canary_passed"] = kind == 4
    common["should_load"] = kind != 5
    return scored(f"e{eval_number}", having / 8, lacking / 8, **common)


def _list_numbers(value: object) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _list_numbers(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _list_numbers(one)


quickly = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@quickly
@given(many_records(), st.randoms(use_true_random=False))
def test_the_order_in_which_runs_are_read_changes_nothing(
    records: list[RunRecord], chance: random.Random
) -> None:
    mixed = list(records)
    chance.shuffle(mixed)
    assert make_figures(mixed) == make_figures(records)


@quickly
@given(many_records())
def test_every_number_is_finite_and_every_interval_holds_its_difference(
    records: list[RunRecord],
) -> None:
    figures = make_figures(records)
    assert all(isfinite(one) for one in _list_numbers(figures.model_dump()))
    shown: list[SetFigures | VersionPoint] = [*figures.sets, *figures.versions]
    for one in shown:
        whiskers = one.whiskers
        assert -1 <= whiskers.difference <= 1
        assert whiskers.difference == pytest.approx(one.with_skill - one.without_skill)
        assert (whiskers.low is None) == (whiskers.high is None)
        if whiskers.low is not None and whiskers.high is not None:
            assert -1 <= whiskers.low <= whiskers.difference <= whiskers.high <= 1
    for each in figures.sets:
        assert each.wins + each.ties + each.losses == each.evals > 0


@quickly
@given(many_records())
def test_a_point_is_made_of_one_version_one_model_and_one_judge(records: list[RunRecord]) -> None:
    """Counted once more, by hand: the latest score of each eval case under one of each."""
    latest: dict[tuple[str, ...], dict[str, RunRecord]] = defaultdict(dict)
    for record in _in_order(records):
        if record.score and not record.pull and record.should_load and not record.canary_passed:
            latest[record.skill_sha, *series_key(record)][record.eval_id] = record
    expected = sorted(
        (key[0], key[2], len(runs), fmean(_difference(one) for one in runs.values()))
        for key, runs in latest.items()
    )
    found = sorted(
        (one.sha, one.judge, one.evals, one.whiskers.difference)
        for one in make_figures(records).versions
    )
    assert [one[:3] for one in found] == [one[:3] for one in expected]
    assert sorted(one[3] for one in found) == pytest.approx(sorted(one[3] for one in expected))


@quickly
@given(many_records())
def test_what_has_no_score_stays_without_a_number(records: list[RunRecord]) -> None:
    none = [
        one.model_copy(update={"score": None, "state": "ungraded", "cost_usd": None})
        for one in records
    ]
    figures = make_figures(none)
    assert (figures.card.latest, figures.card.change, figures.card.earlier) == (None, None, None)
    assert (figures.sets, figures.versions) == ((), ())
    assert {one.difference for one in figures.cells} <= {None}


@quickly
@given(many_records())
def test_the_cells_and_the_card_know_the_same_eval_cases(records: list[RunRecord]) -> None:
    figures = make_figures(records)
    shown = {one.eval_id for one in figures.cells}
    assert set(figures.card.stale) <= shown
    assert figures.card.evals <= len(shown)
    assert len({(one.eval_id, one.model) for one in figures.cells}) == len(figures.cells)
    if figures.card.latest is not None:
        assert figures.card.evals > len(figures.card.stale)


@pytest.mark.parametrize("count", [0, 1, 5_000])
def test_any_number_of_runs_makes_figures(count: int) -> None:
    records = some_records(count, repo=REPO, skills=(SKILL,), until=NOON)
    figures = make_figures(records)
    assert (figures.card.runs, figures.card.read) == (count, count)
    assert len(figures.cells) == min(count, 24)
    assert (figures.card.latest is None) == (count == 0)
    assert len(figures.versions) == {0: 0, 1: 1}.get(count, 60)
    newest = max((one.ended_at for one in figures.versions if one.ended_at), default=None)
    assert newest == (records[-1].finished_at if records else None)


def _in_order(records: Sequence[RunRecord]) -> list[RunRecord]:
    return sorted(records, key=lambda one: (one.ended_at, one.run))


def _difference(record: RunRecord) -> float:
    assert record.score is not None
    return record.score["with_skill"] - record.score["without_skill"]
