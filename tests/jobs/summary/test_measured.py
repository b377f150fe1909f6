"""Which runs count, the figures over them, and what a week brought."""

from datetime import timedelta
from typing import Any

import pytest

from jobs.results import RunRecord
from jobs.summary.measured import find_measurements
from jobs.summary.scorecard import find_scorecards
from jobs.summary.week import find_week
from tests.builders import A_SHA, NOON, a_run_record

SKILL = "text/word-count"


def scored(having: float, lacking: float, **changes: Any) -> RunRecord:
    score = {"with_skill": having, "without_skill": lacking}
    return a_run_record(**({"score": score, "finished_at": NOON} | changes))


def failed(**changes: Any) -> RunRecord:
    return a_run_record(**({"score": None, "state": "ungraded", "finished_at": NOON} | changes))


def test_the_latest_run_with_a_score_counts_for_each_case_and_model() -> None:
    records = [
        scored(0.5, 0.5, run="a1", eval_id="github-issue-21"),
        scored(1, 0.5, run="b1", eval_id="github-issue-3"),
        scored(0, 1, run="c1", eval_id="github-issue-3", model="other", model_identity="other"),
        scored(1, 0, run="a2", eval_id="github-issue-21"),
        scored(1, 0, run="d1", eval_id="release-notes#1"),
        scored(1, 0, run="e1", skill="another"),
    ]
    rows = find_measurements(records, SKILL).rows
    assert [row.record.run for row in rows] == ["b1", "c1", "a2", "d1"]
    assert [row.word for row in rows] == ["win", "loss", "win", "win"]


def test_a_run_without_a_score_is_named_until_one_after_it_has_one() -> None:
    records = [
        scored(1, 0, run="a1", eval_id="a"),
        failed(run="a2", eval_id="a"),
        failed(run="b1", eval_id="b"),
        scored(1, 0, run="b2", eval_id="b"),
        scored(1, 0, run="c1", eval_id="c", vs="sha:123"),
        scored(1, 0, run="c2", eval_id="c", vs="self"),
        a_run_record(run="d1", eval_id="d", score={"with_skill": 1.0}),
    ]
    found = find_measurements(records, SKILL)
    assert [row.record.run for row in found.rows] == ["a1", "b2"]
    assert [(one.record.run, one.reason) for one in found.not_counted] == [
        ("a2", "came to no score"),
        ("d1", "came to no score"),
        ("c1", "its other arm had a version of the skill"),
        ("c2", "it held a version against itself, for A/A"),
    ]


def test_a_week_spent_money_on_pull_requests_and_was_moved_by_none() -> None:
    records = [
        scored(1, 0, run="a1"),
        scored(0, 1, run="p1", pull=7, skill_sha="1" * 64, finished_at=NOON + timedelta(hours=1)),
    ]
    week = find_week(records, {SKILL: A_SHA}, NOON + timedelta(days=1))
    assert (week.runs, [one.now.record.run for one in week.moved]) == (2, ["a1"])
    assert week.stale == ()


def test_trivial_cases_are_in_no_figure() -> None:
    records = [
        scored(1, 1, eval_id="trivial"),
        scored(1, 0.5, eval_id="won"),
        scored(0.25, 0.75, eval_id="lost"),
        scored(0.5, 0.5, eval_id="tied"),
        scored(0, 0, eval_id="hopeless"),
    ]
    [card] = find_scorecards(find_measurements(records, SKILL).rows)
    assert (card.wins, card.ties, card.losses, card.counted) == (1, 2, 1, 4)
    assert [row.record.eval_id for row in card.trivial] == ["trivial"]
    assert card.with_skill == pytest.approx(0.4375)
    assert card.without_skill == pytest.approx(0.4375)
    assert card.difference == pytest.approx(0)


def test_nothing_but_trivial_cases_gives_no_mean() -> None:
    [card] = find_scorecards(find_measurements([scored(1, 1)], SKILL).rows)
    assert (card.counted, card.with_skill, card.difference) == (0, None, None)


def test_each_model_has_its_own_figures_and_names_of_one_model_are_one() -> None:
    records = [
        scored(1, 0, eval_id="a", model="claude-sonnet-4-6"),
        scored(1, 0, eval_id="b", model="claude-sonnet-4.6"),
        scored(0, 1, eval_id="a", model="gpt", model_identity="gpt"),
    ]
    cards = find_scorecards(find_measurements(records, SKILL).rows)
    assert [(card.wins, card.losses) for card in cards] == [(2, 0), (0, 1)]


def test_a_week_is_held_against_what_was_known_before_it() -> None:
    before, within = NOON - timedelta(days=8), NOON - timedelta(days=1)
    records = [
        scored(1, 0.5, run="a0", eval_id="up", finished_at=before),
        scored(1, 0.5, run="b0", eval_id="down", finished_at=before, skill_sha="e" * 64),
        scored(1, 0.5, run="c0", eval_id="idle", finished_at=before, skill_sha="e" * 64),
        scored(1, 0.25, run="a1", eval_id="up", finished_at=within, cost_usd=0.5),
        scored(0.5, 0.5, run="b1", eval_id="down", finished_at=within, cost_usd=0.25),
        scored(1, 0.5, run="d1", eval_id="new", finished_at=within),
        failed(run="e1", eval_id="failed", finished_at=within, cost_usd=1.0),
        scored(1, 0, run="f1", eval_id="later", finished_at=NOON),
        a_run_record(run="g1", eval_id="undated"),
    ]
    week = find_week(records, {SKILL: A_SHA}, NOON)
    assert (week.runs, week.unscored, week.unpriced) == (4, 1, 1)
    assert str(week.usd) == "1.75"
    moves = {one.now.record.eval_id: (one.is_up, one.is_down, one.before) for one in week.moved}
    assert [moves[name][:2] for name in ("up", "down", "new")] == [
        *((True, False), (False, True), (False, False))
    ]
    assert moves["new"][2] is None
    assert [row.record.eval_id for row in week.stale] == ["idle"]


def test_a_week_is_named_by_its_last_full_day() -> None:
    assert find_week([], {}, NOON).name == "2026-W18"  # NOON is a Monday
    assert find_week([], {}, NOON + timedelta(days=1)).name == "2026-W19"


OTHER_SERIES: list[dict[str, Any]] = [
    {"judge_served": "opus-2"},
    {"judge_prompt": "another wording"},
    {"served": "sonnet-2"},
]


@pytest.mark.parametrize("changes", OTHER_SERIES)
def test_scores_of_two_series_are_in_no_mean_together(changes: dict[str, Any]) -> None:
    """A judge that is shown more decides otherwise; a mean over both says nothing of the skill."""
    known = {"served": "sonnet-1", "judge_served": "opus-1", "judge_prompt": "p"}
    first = scored(1, 0, run="a1", eval_id="a", **known)
    second = scored(0.5, 0.5, run="b1", eval_id="b", **(known | changes))
    cards = find_scorecards(find_measurements([first, second], SKILL).rows)
    assert sorted((card.with_skill, card.without_skill) for card in cards) == [
        (0.5, 0.5),
        (1.0, 0.0),
    ]


@pytest.mark.parametrize(
    "changes", [*OTHER_SERIES, {"eval_digest": "e" * 64}, {"launcher": "claude-code"}]
)
def test_a_week_compares_with_the_latest_run_that_is_comparable(changes: dict[str, Any]) -> None:
    known = {"served": "sonnet-1", "judge_served": "opus-1", "judge_prompt": "p"}
    old = scored(1, 0.5, run="a1", finished_at=NOON - timedelta(days=20), **known)
    other = scored(0, 0.5, run="a2", finished_at=NOON - timedelta(days=10), **(known | changes))
    now = scored(1, 0, run="a3", **known)
    [moved] = find_week([old, other, now], {}, NOON + timedelta(hours=1)).moved
    assert moved.before is not None
    assert moved.before.record.run == "a1"
    [alone] = find_week([other, now], {}, NOON + timedelta(hours=1)).moved
    assert (alone.before, alone.is_other, alone.is_up, alone.is_down) == (None, True, False, False)
