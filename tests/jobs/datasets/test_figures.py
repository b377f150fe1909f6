"""The figures of a run, worked out by hand, and what holds of all of them."""

from decimal import Decimal
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.datasets.dialogue import Dialogue
from jobs.datasets.figures import (
    find_by_criterion,
    find_by_tag,
    find_cost,
    find_figures,
    find_spending,
    find_troubles,
)
from jobs.datasets.grades import Outcome
from jobs.datasets.report import slim
from jobs.datasets.results import CaseResult
from jobs.values import Usage
from tests.jobs.datasets.given_results import a_result

SCORES = st.floats(0, 1)
GRADED: st.SearchStrategy[Outcome] = st.sampled_from(["pass", "fail", "scored"])


@st.composite
def results(draw: st.DrawFn) -> list[CaseResult]:
    kinds = draw(st.lists(st.tuples(GRADED | st.just("ungraded"), SCORES), max_size=12))
    return [
        a_result(
            f"c{number}",
            outcome,
            None if outcome == "ungraded" else score,
            tags=draw(st.lists(st.sampled_from(["a", "b"]), max_size=3)),
        )
        for number, (outcome, score) in enumerate(kinds)
    ]


def test_figures_are_those_worked_out_by_hand() -> None:
    found = find_figures(
        [
            a_result("1", "pass", 1.0),
            a_result("2", "fail", 0.0),
            a_result("3", "scored", 0.5),
            a_result("4", "scored", 0.7),
            a_result("5", "ungraded"),
        ]
    )
    assert (found.total, found.graded, found.passed, found.failed, found.ungraded) == (
        5, 4, 1, 1, 1,
    )  # fmt: skip
    assert found.average == pytest.approx(0.55)
    variance = (0.45**2 + 0.55**2 + 0.05**2 + 0.15**2) / 3
    assert found.standard_error == pytest.approx(sqrt(variance / 4))
    assert found.pass_rate == 0.5
    assert found.interval is None  # too few for one


def test_where_nothing_was_graded_there_is_no_figure() -> None:
    for none in ([], [a_result("1", "ungraded")]):
        found = find_figures(none)
        assert (found.average, found.standard_error, found.interval) == (None, None, None)
        assert (found.pass_rate, found.pass_interval) == (None, None)


def test_the_mean_is_clipped_and_not_the_scores_that_go_into_it() -> None:
    """As HealthBench has it: -0.5 and 0.9 come to 0.2, not to 0.45."""
    scores = [a_result("1", score=0.0, raw_score=-0.5), a_result("2", score=0.9, raw_score=0.9)]
    assert find_figures(scores).average == pytest.approx(0.2)
    assert find_figures(scores[:1]).average == 0.0


def test_the_interval_of_ten_scores_is_students_and_stays_between_0_and_1() -> None:
    scores = [a_result(str(n), score=float(n % 2)) for n in range(10)]
    found = find_figures(scores)
    assert found.average == 0.5
    error = sqrt(10 * 0.25 / 9 / 10)
    assert found.standard_error == pytest.approx(error)
    assert found.interval is not None
    assert found.interval.low == pytest.approx(0.5 - 2.2621571628 * error)
    high = [a_result(str(n), score=1.0 if n else 0.0) for n in range(10)]
    interval = find_figures(high).interval
    assert interval is not None
    assert interval.high == 1.0


@given(results(), st.integers(1, 5))
def test_what_is_ungraded_moves_no_mean_and_no_rate(some: list[CaseResult], more: int) -> None:
    added = [*some, *(a_result(f"u{n}", "ungraded", tags=("a",)) for n in range(more))]
    before, after = find_figures(some), find_figures(added)
    assert after.ungraded == before.ungraded + more
    assert after.total == before.total + more
    for name in ("average", "standard_error", "interval", "pass_rate", "pass_interval", "graded"):
        assert getattr(after, name) == getattr(before, name)
    tagged, tagged_more = find_by_tag(some), find_by_tag(added)
    assert tagged_more.get("b") == tagged.get("b")
    if "a" in tagged:
        assert tagged_more["a"].average == tagged["a"].average


@given(results())
def test_a_slim_case_gives_the_same_figures(some: list[CaseResult]) -> None:
    slims = [slim(one) for one in some]
    assert find_figures(slims) == find_figures(some)
    assert find_by_tag(slims) == find_by_tag(some)
    assert find_spending(slims) == find_spending(some)
    assert find_cost(slims) == find_cost(some)
    assert find_troubles(slims) == find_troubles(some)


def test_a_tag_that_a_case_bears_twice_counts_it_once() -> None:
    assert find_by_tag([a_result("1", score=0.5, tags=("x", "x", "y"))])["x"].total == 1


def test_criteria_have_figures_over_the_cases_that_have_them() -> None:
    found = find_by_criterion(
        [
            a_result("1", score=0.5, by_tag={"axis:accuracy": 0.2}),
            a_result("2", score=0.5, by_tag={"axis:accuracy": 0.6, "axis:context": 1.0}),
            a_result("3", "ungraded"),
        ]
    )
    assert list(found) == ["axis:accuracy", "axis:context"]
    assert found["axis:accuracy"].cases == 2
    assert found["axis:accuracy"].average == pytest.approx(0.4)
    assert found["axis:accuracy"].standard_error == pytest.approx(0.2)
    assert found["axis:context"].standard_error is None


def test_money_is_summed_exactly_and_unknown_as_soon_as_a_part_is() -> None:
    known = [a_result(str(n), score=1.0) for n in range(3)]
    assert find_cost(known) == Decimal("0.03")
    priceless = a_result("x", score=1.0, judge_usage=Usage(requests=1))
    assert find_cost([*known, priceless]) is None
    silent = a_result("y", score=1.0, target_usage=None)
    quiet = a_result("z", "ungraded", target_usage=None, dialogue=Dialogue())
    spending = find_spending([*known, silent, quiet])
    assert (spending["target"].cases, spending["target"].unknown) == (3, 1)
    assert "judge" not in spending


def test_troubles_are_counted_by_whose_they_are() -> None:
    ends = [
        a_result("1", "ungraded", trouble="target"),
        a_result("2", "ungraded", trouble="judge"),
        a_result("3", "ungraded", trouble="target"),
        a_result("4", "pass", 1.0),
    ]
    assert find_troubles(ends) == {"judge": 1, "target": 2}
