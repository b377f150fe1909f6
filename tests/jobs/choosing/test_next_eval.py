"""The order in which eval cases are measured."""

import random
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.choosing.next_eval import Standing, rank
from jobs.results import LONG_AGO
from tests.builders import NOON


def standing(eval_id: str, **changes: Any) -> Standing:
    return Standing(**({"eval_id": eval_id, "issue": 0, "is_pending": True} | changes))


def ids(*standings: Standing, model: str = "claudesonnet46") -> list[str]:
    return [one.eval_id for one in rank(standings, model)]


def test_what_the_model_has_measured_least_goes_first() -> None:
    assert ids(standing("a", completed=2), standing("b"), standing("c", completed=1)) == list("bca")


def test_then_what_all_models_together_have_measured_least() -> None:
    two = standing("a", completed=1, completed_in_all=5)
    assert ids(two, standing("b", completed=1, completed_in_all=2)) == ["b", "a"]


def test_then_what_was_measured_the_longest_ago_and_never_is_the_longest() -> None:
    def case(eval_id: str, days: int | None) -> Standing:
        last = None if days is None else NOON - timedelta(days=days)
        return standing(eval_id, completed=1, completed_in_all=1, last_run=last)

    assert ids(case("a", 1), case("b", None), case("c", 9)) == ["b", "c", "a"]


def test_what_is_alike_has_an_order_that_no_listing_changes() -> None:
    """And not the same one for every model, so that two models begin with two cases."""
    cases = [standing(f"case-{number}") for number in range(20)]
    order = ids(*cases)
    assert ids(*reversed(cases)) == order
    assert ids(*cases, model="gpt41") != order


def test_a_case_whose_history_cannot_be_read_goes_last() -> None:
    unread = standing("a", is_readable=False)
    assert ids(unread, standing("b", completed=9, completed_in_all=9)) == ["b", "a"]


def test_nothing_is_next_where_nothing_is_pending() -> None:
    assert ids(standing("a", is_pending=False), standing("b", is_pending=False)) == []


@pytest.mark.parametrize("seed", range(3))
@given(
    st.lists(
        st.tuples(
            st.booleans(),
            st.integers(0, 3),
            st.integers(0, 3),
            st.none() | st.integers(0, 5),
            st.booleans(),
        ),
        max_size=12,
    )
)
def test_every_place_is_by_the_rules_in_their_order(
    seed: int, rows: list[tuple[bool, int, int, int | None, bool]]
) -> None:
    cases = [
        standing(
            f"case-{number}",
            is_pending=pending,
            completed=mine,
            completed_in_all=mine + others,
            last_run=None if days is None else NOON - timedelta(days=days),
            is_readable=readable,
        )
        for number, (pending, mine, others, days, readable) in enumerate(rows)
    ]
    ranked = rank(cases, "claudesonnet46")
    assert {one.eval_id for one in ranked} == {one.eval_id for one in cases if one.is_pending}
    for first, second in pairwise(ranked):
        assert _rule(first) <= _rule(second)
    random.Random(seed).shuffle(cases)
    assert rank(cases, "claudesonnet46") == ranked


def _rule(one: Standing) -> tuple[bool, int, int, object]:
    readable, last = one.is_readable, one.last_run or LONG_AGO
    return (not readable, one.completed, one.completed_in_all, last)
