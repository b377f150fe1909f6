"""A skill in a line: what is known of it, and never a number that nobody measured."""

from datetime import timedelta
from typing import Any

import pytest

from jobs.conclusions.thresholds import Thresholds
from jobs.dashboard.skill import SkillRuns, make_skill_figures
from jobs.dashboard.values import SkillCard
from jobs.statistics.paired import find_paired_interval
from tests.builders import NOON
from tests.jobs.conclusions.records import (
    against_itself,
    results,
    scored,
    unscored,
    versions_scored,
)
from tests.jobs.dashboard.figures import (
    GPT,
    NEW,
    OLD,
    REPO,
    SKILL,
    SONNET,
    card_of,
    make_figures,
    measured,
)


def test_a_skill_without_runs_has_no_number() -> None:
    figures = make_figures([])
    assert figures.card == SkillCard(repo=REPO, skill=SKILL, name="word-count", sha="")
    assert (figures.sets, figures.versions, figures.cells) == ((), (), ())


def test_runs_that_came_to_no_score_leave_no_score_behind() -> None:
    card = card_of(
        [unscored("e1"), unscored("e2", skill_sha=NEW, finished_at=NOON.replace(hour=13))]
    )
    assert card.latest is None
    assert card.change is None
    assert (card.runs, card.read, card.evals, card.models, card.stale) == (2, 2, 0, 0, ())
    assert card.sha == NEW
    assert card.ended_at == NOON.replace(hour=13)


def test_one_eval_case_has_a_difference_and_no_interval() -> None:
    card = card_of([scored("e1", 0.75, 0.5)])
    assert card.latest is not None
    assert card.latest.word == "underpowered"
    assert (card.latest.evals, card.latest.wins) == (1, 1)
    assert card.latest.whiskers.difference == 0.25
    assert (card.latest.whiskers.low, card.latest.whiskers.high) == (None, None)


def test_the_newest_set_tells_word_counts_means_and_interval() -> None:
    """Six eval cases won by half of the assertions, two tied at one half."""
    card = card_of(results(6, 2, 0))
    latest = card.latest
    assert latest is not None
    assert (latest.word, latest.reason) == ("helps", "")
    assert (latest.wins, latest.ties, latest.losses, latest.evals) == (6, 2, 0, 8)
    assert latest.with_skill == pytest.approx((6 * 0.75 + 2 * 0.5) / 8)
    assert latest.without_skill == pytest.approx((6 * 0.25 + 2 * 0.5) / 8)
    assert latest.whiskers.difference == pytest.approx(3 / 8)
    interval = find_paired_interval([0.5] * 6 + [0.0] * 2)
    assert interval is not None
    assert (latest.whiskers.low, latest.whiskers.high) == interval
    assert latest.method == "exact one-sided sign test over eval cases, p = 0.016 (at most 0.05)"
    assert (card.evals, card.models, card.stale) == (8, 1, ())


def test_eval_cases_that_tie_alone_show_no_difference_and_have_no_interval() -> None:
    latest = card_of(results(0, 16, 0)).latest
    assert latest is not None
    assert latest.word == "no difference shown"
    assert (latest.wins, latest.ties, latest.losses) == (0, 16, 0)
    assert latest.whiskers.difference == 0
    assert latest.whiskers.low is None


def test_the_method_says_how_many_eval_cases_were_measured_more_than_once() -> None:
    again = measured(OLD, [(0.9, 0.5)] * 2, day=1)
    latest = card_of([*measured(OLD, [(0.5, 0.5)] * 3), *again]).latest
    assert latest is not None
    assert latest.method.endswith(
        "2 eval cases were measured more than once, of which the latest run counts"
    )
    assert (latest.wins, latest.ties) == (2, 1)


def test_a_change_is_told_over_the_eval_cases_that_both_versions_have() -> None:
    """The old one helped 0.1, 0.3 and 0.9; the new one, of two of them, 0.4 and 0.2."""
    old = measured(OLD, [(0.6, 0.5), (0.8, 0.5), (1.0, 0.1)])
    new = measured(NEW, [(0.9, 0.5), (0.7, 0.5)], day=1)
    card = card_of([*old, *new])
    assert card.sha == NEW
    assert card.change == pytest.approx(((0.4 - 0.1) + (0.2 - 0.3)) / 2)
    assert card.change_evals == 2


def test_a_new_version_with_one_eval_case_hides_nothing_of_the_one_before() -> None:
    old = measured(OLD, [(0.75, 0.25)] * 8)
    card = card_of([*old, *measured(NEW, [(0.5, 0.25)], day=1)])
    assert card.latest is not None
    assert (card.latest.sha, card.latest.evals) == (NEW, 1)
    assert card.earlier is not None
    assert (card.earlier.sha, card.earlier.evals, card.earlier.word) == (OLD, 8, "helps")
    assert card.change == pytest.approx(-0.25)
    assert card.change_evals == 1
    assert card.evals == 8
    assert card.stale == tuple(f"e{number}" for number in range(1, 8))


def test_versions_that_share_no_eval_case_have_no_change() -> None:
    new = [scored("other", 0.9, 0.5, skill_sha=NEW, finished_at=NOON + timedelta(days=1))]
    card = card_of([*measured(OLD, [(0.6, 0.5)]), *new])
    assert (card.change, card.change_evals) == (None, 0)


@pytest.mark.parametrize(
    "other", [{"judge_served": "another"}, {"judge_prompt": "p2"}, {"launcher": "claude-code"}, GPT]
)
def test_a_version_under_other_conditions_is_none_to_compare_with(other: dict[str, Any]) -> None:
    card = card_of([*measured(OLD, [(0.6, 0.5)], **other), *measured(NEW, [(0.9, 0.5)], day=1)])
    assert card.latest is not None
    assert card.latest.whiskers.difference == pytest.approx(0.4)
    assert card.change is None


def test_a_version_that_comes_back_is_the_newest_again() -> None:
    back = measured(OLD, [(0.8, 0.5)], day=2)
    card = card_of(
        [*measured(OLD, [(0.6, 0.5)]), *measured(NEW, [(0.9, 0.5), (0.9, 0.5)], day=1), *back]
    )
    assert card.sha == OLD
    assert card.stale == ("e1",)
    assert card.change == pytest.approx(0.3 - 0.4)


def test_several_models_are_counted_and_the_newest_is_shown() -> None:
    gpt = measured(OLD, [(0.9, 0.5)] * 2, day=1, **GPT)
    figures = make_figures([*measured(OLD, [(0.6, 0.5)] * 3, **SONNET), *gpt])
    card = figures.card
    assert card.latest is not None
    assert (card.latest.model, card.models, card.evals, card.stale) == ("gpt-5-mini", 2, 3, ())
    assert [one.model for one in figures.sets] == ["gpt-5-mini", "claude-sonnet-4-6"]
    assert figures.chance.startswith("2 verdicts stand side by side")
    assert "*" not in figures.chance


@pytest.mark.parametrize(("begun", "shown"), [(1, "claude-sonnet-4-6"), (2, "gpt-5-mini")])
def test_a_set_that_has_only_begun_does_not_stand_for_the_skill(begun: int, shown: str) -> None:
    """Half of the largest is enough, whatever came out."""
    whole = measured(OLD, [(0.6, 0.5)] * 4, **SONNET)
    second = measured(OLD, [(1.0, 0.0)] * begun, day=1, **GPT)
    latest = card_of([*whole, *second]).latest
    assert latest is not None
    assert latest.model == shown


def test_an_earlier_version_never_stands_for_the_skill_however_large() -> None:
    card = card_of([*measured(OLD, [(0.6, 0.5)] * 8), *measured(NEW, [(0.5, 0.5)], day=1)])
    assert card.latest is not None
    assert card.latest.sha == NEW


def test_a_pull_request_is_spent_money_and_nothing_else() -> None:
    pull = measured(NEW, [(1.0, 0.0)] * 3, day=2, pull=7, cost_usd=0.5)
    figures = make_figures([*measured(OLD, [(0.6, 0.5)], cost_usd=0.25), *pull])
    card = figures.card
    assert card.latest is not None
    assert (card.sha, card.latest.evals, card.evals, card.stale) == (OLD, 1, 1, ())
    assert [one.sha for one in figures.versions] == [OLD]
    assert [one.run for one in figures.cells] == [figures.cells[0].run]
    assert (card.runs, card.spend_week_usd) == (4, 1.75)


def test_what_says_nothing_of_help_is_in_no_figure() -> None:
    """A false answer passes it all; the skill must stay dormant; arms that cannot be compared."""
    good = measured(OLD, [(0.6, 0.5)])
    none = [
        scored("canary", 1.0, 0.0, canary_passed=True),
        scored("dormant", 1.0, 0.0, should_load=False),
        unscored("torn", invalid=True),
    ]
    figures = make_figures([*good, *none])
    assert figures.card.evals == 1
    assert figures.card.latest is not None
    assert figures.card.latest.evals == 1
    assert {one.eval_id: one.difference for one in figures.cells} == {
        "e0": pytest.approx(0.1),
        "canary": None,
        "torn": None,
    }


def test_runs_of_a_version_against_itself_make_no_set_and_may_make_one_invalid() -> None:
    """The rule passes identical arms, so its word on the set is worth nothing."""
    alone = make_figures(against_itself([0.5] * 5))
    assert (alone.card.latest, alone.sets, alone.cells) == (None, (), ())
    latest = card_of([*results(6, 0, 0), *against_itself([0.5] * 6)]).latest
    assert latest is not None
    assert latest.word == "invalid"


def test_two_versions_held_against_each_other_are_a_set_and_no_card() -> None:
    compared = versions_scored("e1", 0.9, 0.5, vs=f"sha:{OLD}", skill_sha=NEW)
    figures = make_figures([compared])
    assert figures.card.latest is None
    assert [(one.vs, one.evals) for one in figures.sets] == [(f"sha:{OLD}", 1)]
    assert figures.versions == ()


def test_the_week_begins_seven_days_ago_and_unknown_prices_make_it_partial() -> None:
    now = NOON + timedelta(days=7)
    runs = [
        scored("in", 0.5, 0.5, cost_usd=0.25, finished_at=NOON),
        unscored("broken", cost_usd=0.5, finished_at=NOON + timedelta(days=1)),
        scored("out", 0.5, 0.5, cost_usd=9.0, finished_at=NOON - timedelta(seconds=1)),
        scored("unknown", 0.5, 0.5, finished_at=NOON - timedelta(days=1)),
    ]
    card = card_of(runs, now=now)
    assert (card.spend_week_usd, card.is_spend_partial) == (0.75, False)
    free = scored("free", 0.5, 0.5, finished_at=NOON + timedelta(hours=1))
    assert card_of([*runs, free], now=now).is_spend_partial


def test_a_week_of_which_not_all_was_read_is_partial() -> None:
    week = measured(OLD, [(0.5, 0.5)] * 3, day=1, cost_usd=0.5)
    card = card_of(week, total=4)
    assert (card.runs, card.read, card.is_spend_partial) == (4, 3, True)
    before = scored("old", 0.5, 0.5, finished_at=NOON - timedelta(days=30))
    assert not card_of([*week, before], total=5).is_spend_partial


def test_what_did_not_say_when_it_ended_has_no_time() -> None:
    figures = make_figures([scored("e1", 0.6, 0.5, finished_at=None)])
    assert figures.card.ended_at is None
    assert figures.sets[0].ended_at is None
    assert (figures.versions[0].first_at, figures.versions[0].ended_at) == (None, None)


def test_a_repositorys_own_skill_bears_the_repositorys_name() -> None:
    figures = make_skill_figures(SkillRuns(REPO, ".", [], 0), Thresholds(), NOON)
    assert figures.card.name == "skills"
