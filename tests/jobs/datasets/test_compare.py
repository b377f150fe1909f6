"""Two reports beside each other, worked out by hand, and in words."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.datasets.compare import compare_reports
from jobs.datasets.compare_words import find_conclusion, render_markdown, render_text
from jobs.datasets.results import CaseResult
from jobs.errors import Refused
from tests.jobs.datasets.given_results import a_head, a_result, make_report

HOSTILE = "<script>@maria |`x`\x1b[2J"


def reported(results: Sequence[CaseResult], **changes: Any) -> dict[str, Any]:
    return make_report(a_head(selected=len(results), **changes), results)


def scored(scores: Mapping[str, float | None], tags: Sequence[str] = ()) -> list[CaseResult]:
    return [
        a_result(name, "ungraded" if score is None else "scored", score, tags=tags)
        for name, score in scores.items()
    ]


def test_differences_are_those_worked_out_by_hand() -> None:
    first = scored({"1": 0.5, "2": 1.0, "3": 0.0, "4": None, "5": 1.0}, tags=("t",))
    second = scored({"1": 1.0, "2": 0.5, "3": 0.75, "4": 1.0, "6": 0.0})
    found = compare_reports(reported(first), reported(second))
    whole, tag = found.rows
    assert (whole.name, whole.cases, whole.better, whole.worse) == ("all cases", 3, 2, 1)
    assert (whole.first, whole.second, whole.difference) == (0.5, 0.75, 0.25)
    assert whole.interval is None
    assert (tag.name, tag.cases) == ("t", 3)
    assert (found.only_first, found.only_second, found.ungraded) == (1, 1, 1)


@pytest.mark.parametrize("score", [float("nan"), float("-inf"), 1e308, 10**400])
def test_a_score_that_no_run_gives_is_refused_by_its_case(score: float) -> None:
    """Somebody has written into the report."""
    first, second = (reported(scored({"1": 0.5, "2": 1.0})) for _ in range(2))
    second["cases"][1]["eval"]["raw_score"] = score
    with pytest.raises(Refused, match="the case `2` has a score that no report of a run holds"):
        compare_reports(first, second)


@pytest.mark.parametrize("tags", [7, "theme", None, {"a": 1}])
def test_tags_that_are_no_list_are_none(tags: object) -> None:
    first, second = (reported(scored({"1": 0.5})) for _ in range(2))
    first["cases"][0]["tags"] = tags
    assert [row.name for row in compare_reports(first, second).rows] == ["all cases"]


def test_the_interval_is_that_of_the_differences_and_not_of_two_means() -> None:
    """Every case gains 0.1 or 0.2, however far the cases lie apart."""
    first = scored({str(n): n / 20 for n in range(12)})
    second = scored({str(n): n / 20 + (0.1 if n % 2 else 0.2) for n in range(12)})
    [whole] = compare_reports(reported(first), reported(second)).rows
    assert whole.interval is not None
    assert 0.1 < whole.interval.low < 0.15 < whole.interval.high < 0.2


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=20))
def test_turned_round_it_says_the_opposite(pairs: list[tuple[float, float]]) -> None:
    first = scored({str(n): one for n, (one, _) in enumerate(pairs)})
    second = scored({str(n): two for n, (_, two) in enumerate(pairs)})
    [there] = compare_reports(reported(first), reported(second)).rows
    [back] = compare_reports(reported(second), reported(first)).rows
    assert there.difference == -back.difference
    assert (there.better, there.worse) == (back.worse, back.better)
    if there.interval and back.interval:
        assert there.interval.low == pytest.approx(-back.interval.high)


@given(st.integers(1, 5))
def test_what_is_ungraded_in_one_moves_no_difference(more: int) -> None:
    first = {"1": 0.5, "2": 0.25}
    second = {"1": 0.75, "2": 0.25}
    lost: dict[str, float | None] = {f"u{n}": None for n in range(more)}
    there: dict[str, float | None] = {f"u{n}": 1.0 for n in range(more)}
    found = compare_reports(
        reported(scored({**first, **there})), reported(scored({**second, **lost}))
    )
    assert found.rows == compare_reports(reported(scored(first)), reported(scored(second))).rows
    assert found.ungraded == more


def test_raw_scores_are_compared_where_the_mean_is_clipped() -> None:
    first = [a_result("1", score=0.0, raw_score=-0.5)]
    second = [a_result("1", score=0.5, raw_score=0.5)]
    [whole] = compare_reports(reported(first), reported(second)).rows
    assert whole.difference == 1.0


def test_why_two_may_not_be_comparable_is_said() -> None:
    first = reported(scored({"1": 1.0}))
    second = reported(
        [a_result("1", score=1.0, judge="other"), a_result("1", score=0.0, judge="other")],
        dataset="hard", digest="cd" * 32, user_model="x", state="cancelled",
    )  # fmt: skip
    assert compare_reports(first, second).warnings == (
        "they are of different datasets: sample, hard",
        "the dataset's file was not the same for both",
        "they were judged by different models: none; other",
        "they were talked to by different models: none; x",
        "the second is not complete: cancelled",
        "the second holds 1 ids twice; the last of each counts",
    )
    del first["dataset_provenance"]
    warnings = compare_reports(first, first).warnings
    assert warnings == ("at least one report does not say which file its dataset was",)


def test_what_cannot_be_compared_is_refused() -> None:
    one = reported(scored({"1": 1.0}))
    with pytest.raises(Refused, match="no case in common"):
        compare_reports(one, reported(scored({"2": 1.0})))
    with pytest.raises(Refused, match="no list of cases"):
        compare_reports(one, {"cases": "x"})


@pytest.mark.parametrize(
    ("gain", "conclusion"),
    [
        (0.3, "B scores higher than A (+30 points, 95% interval +26.7 to +33.3, 12 cases)."),
        (-0.3, "B scores lower than A (-30 points, 95% interval -33.3 to -26.7, 12 cases)."),
        (0.0, "No difference is shown (0 points, 95% interval -3.3 to +3.3, 12 cases)."),
    ],
)
def test_the_conclusion_follows_the_interval(gain: float, conclusion: str) -> None:
    first = scored({str(n): 0.5 for n in range(12)})
    second = scored({str(n): 0.5 + gain + (0.05 if n % 2 else -0.05) for n in range(12)})
    found = compare_reports(reported(first), reported(second))
    assert find_conclusion(found) == conclusion


def test_few_cases_bear_no_conclusion() -> None:
    few = compare_reports(reported(scored({"1": 0.0})), reported(scored({"1": 1.0})))
    assert "too little to say how sure it is" in find_conclusion(few)
    none = compare_reports(reported(scored({"1": None})), reported(scored({"1": 1.0})))
    assert "No case is graded in both" in find_conclusion(none)
    assert "1 case of both left out" in render_text(none, "a", "b")


def test_as_text_it_is_a_table_and_steers_no_terminal() -> None:
    first = scored({"1": 0.5, "2": None, "3": 1.0}, tags=(HOSTILE,))
    found = compare_reports(reported(first), reported(scored({"1": 1.0, "2": 1.0})))
    text = render_text(found, "old.json", HOSTILE)
    assert "\x1b" not in text
    head, whole = (line.split() for line in text.split("\n")[5:7])
    assert head == ["cases", "A", "B", "difference", "95%", "interval", "better", "worse"]
    assert whole == ["all", "cases", "1", "50%", "100%", "+50", "points", "unknown", "1", "0"]


def test_as_markdown_nothing_that_others_wrote_takes_effect() -> None:
    found = compare_reports(
        reported(scored({"1": 0.5}, tags=(HOSTILE,))), reported(scored({"1": 1.0}))
    )
    text = render_markdown(found, HOSTILE, "b.json")
    assert "<script" not in text
    assert "@maria" not in text
    assert "\x1b" not in text
    assert "| all cases | 1 | 50% | 100% | +50 points | unknown | 1 | 0 |" in text
