"""Versions of a skill over time, each a set by itself."""

from datetime import timedelta
from typing import Any

import pytest

from tests.builders import NOON
from tests.jobs.conclusions.records import scored, unscored
from tests.jobs.dashboard.figures import GPT, NEW, OLD, SONNET, make_figures, measured


def test_a_point_is_the_mean_over_the_latest_run_of_each_eval_case() -> None:
    first = measured(OLD, [(0.6, 0.5), (0.2, 0.4)], commit="c" * 40)
    again = measured(OLD, [(1.0, 0.5)], day=1, commit="c" * 40)
    [point] = make_figures([*first, *again]).versions
    assert point.with_skill == pytest.approx(0.6)
    assert point.without_skill == pytest.approx(0.45)
    assert point.whiskers.difference == pytest.approx(0.15)
    assert (point.evals, point.word, point.sha, point.commit) == (2, "underpowered", OLD, "c" * 40)
    assert point.first_at == NOON
    assert point.ended_at == NOON + timedelta(days=1)


def test_points_stand_in_the_order_in_which_their_versions_were_first_measured() -> None:
    """On any model, and wherever a later run of the old one stands."""
    runs = [
        *measured(NEW, [(0.9, 0.5)], day=2, **SONNET),
        *measured(OLD, [(0.6, 0.5)], day=1, **GPT),
        *measured(OLD, [(0.7, 0.5)], day=3, **SONNET),
    ]
    points = make_figures(runs).versions
    assert [(one.sha, one.model) for one in points] == [
        (OLD, "claude-sonnet-4-6"),
        (OLD, "gpt-5-mini"),
        (NEW, "claude-sonnet-4-6"),
    ]
    assert [one.first_at for one in points[:2]] == [NOON + timedelta(days=1)] * 2
    assert points[0].series == points[2].series != points[1].series


@pytest.mark.parametrize(
    "other",
    [
        {"judge_served": "another"},
        {"judge_prompt": "p2"},
        {"served": "claude-sonnet-4-6-next"},
        {"launcher": "claude-code"},
        {"mode": "installed"},
        {"environment": "a" * 64},
    ],
)
def test_what_was_measured_otherwise_is_a_point_of_another_series(other: dict[str, Any]) -> None:
    """Nothing of one enters the other: 0.1 and 0.9, never 0.5."""
    runs = [*measured(OLD, [(0.6, 0.5)] * 2), *measured(OLD, [(1.0, 0.1)] * 2, day=1, **other)]
    points = make_figures(runs).versions
    assert sorted(round(one.whiskers.difference, 6) for one in points) == [0.1, 0.9]
    assert len({one.series for one in points}) == 2
    assert [one.evals for one in points] == [2, 2]


def test_tokens_are_those_of_one_session_and_cost_is_that_of_one_run() -> None:
    """Means over the runs that say: of 6000 for three trials and 1000 for one, 1500."""
    runs = [
        scored(
            *("a", 0.5, 0.5),
            trials=3,
            tokens={"with_skill": 6000, "without_skill": 900},
            cost_usd=0.5,
        ),
        scored("b", 0.5, 0.5, tokens={"with_skill": 1000, "without_skill": 300}, cost_usd=0.25),
        scored("c", 0.5, 0.5),
    ]
    [point] = make_figures(runs).versions
    assert (point.tokens_with, point.tokens_without) == (1500, 300)
    assert point.cost_usd == 0.375


def test_tokens_and_cost_that_nobody_noted_are_not_zero() -> None:
    [point] = make_figures([scored("a", 0.5, 0.5)]).versions
    assert (point.tokens_with, point.tokens_without, point.cost_usd) == (None, None, None)


def test_a_version_without_a_score_has_no_point() -> None:
    runs = [*measured(OLD, [(0.6, 0.5)]), unscored("e0", skill_sha=NEW)]
    assert [one.sha for one in make_figures(runs).versions] == [OLD]


def test_an_eval_case_that_was_rewritten_takes_its_older_scores_along() -> None:
    """What it asked then is not what it asks now."""
    older = measured(OLD, [(1.0, 0.0), (0.6, 0.5)], eval_digest="a" * 64)
    newer = measured(NEW, [(0.7, 0.5)], day=1, eval_digest="b" * 64)
    points = make_figures([*older, *newer]).versions
    assert [(one.sha, one.evals) for one in points] == [(OLD, 1), (NEW, 1)]
    assert points[0].whiskers.difference == pytest.approx(0.1)


def test_a_point_says_who_answered_and_who_judged_by_what() -> None:
    [point] = make_figures(measured(OLD, [(0.6, 0.5)])).versions
    assert (point.served, point.judge, point.judge_prompt) == (
        "claude-sonnet-4-6",
        "claude-opus-4-7",
        "p1",
    )
    unknown: dict[str, Any] = {"served": "", "judge_served": "", "judge_prompt": ""}
    [older] = make_figures(measured(OLD, [(0.6, 0.5)], **unknown)).sets
    assert (older.served, older.judge, older.judge_prompt) == ("", "claude-opus-4-7", "")
