"""A run in a list."""

import pytest

from jobs.dashboard.rows import make_run_row
from tests.builders import NOON
from tests.jobs.conclusions.records import scored, unscored, versions_scored


def test_a_graded_run_shows_both_scores_and_their_difference() -> None:
    record = scored("e1", 0.75, 0.5, issue=21, pull=3, trials=2, cost_usd=0.5)
    row = make_run_row(record)
    assert (row.run, row.repo, row.skill, row.sha) == (
        *(record.run, record.repo, record.skill, record.skill_sha),
    )
    assert (row.with_skill, row.without_skill, row.difference) == (0.75, 0.5, 0.25)
    assert (row.state, row.counts, row.vs, row.trials) == ("complete", True, "none", 2)
    assert (row.issue, row.pull, row.cost_usd, row.ended_at) == (21, 3, 0.5, NOON)
    assert row.url == record.url


def test_of_two_versions_the_one_under_test_stands_first() -> None:
    row = make_run_row(versions_scored("e1", 0.5, 0.75, vs="self"))
    assert (row.with_skill, row.without_skill, row.difference) == (0.5, 0.75, -0.25)


@pytest.mark.parametrize(("invalid", "state"), [(False, "ungraded"), (True, "invalid")])
def test_a_run_without_a_score_has_none(state: str, *, invalid: bool) -> None:
    row = make_run_row(unscored("e1", invalid=invalid, finished_at=None))
    assert row.state == state
    assert (row.with_skill, row.without_skill, row.difference) == (None, None, None)
    assert (row.cost_usd, row.ended_at, row.counts) == (None, None, False)


@pytest.mark.parametrize("why", [{"canary_passed": True}, {"should_load": False}])
def test_a_run_that_counts_nowhere_shows_what_was_measured_and_says_so(
    why: dict[str, bool],
) -> None:
    row = make_run_row(scored("e1", 1.0, 0.5, **why))
    assert (row.difference, row.counts) == (0.5, False)
