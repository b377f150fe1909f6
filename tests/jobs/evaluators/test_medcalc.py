"""The value of a calculation: read from the answer, compared by the rule of its kind."""

from typing import Any

import pytest

from jobs.datasets.grades import Ungraded
from jobs.evaluators.registry import check_evaluator
from tests.jobs.datasets.given import SmallJudge, grade

LIMITS = {"lower_limit": "21.714", "upper_limit": "24.0"}


def medcalc(truth: str, kind: str, **limits: Any) -> dict[str, Any]:
    return {"evaluator": "medcalc", "ground_truth": truth, "output_type": kind} | limits


async def score(truth: str, kind: str, answer: str, **limits: Any) -> float | None:
    return (await grade(medcalc(truth, kind, **limits), answer)).score


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("The final answer is 22.9 kg/m2.", 1),
        ("**Answer:** 22.857", 1),
        ("The answer is: 21.714", 1),
        ("The answer is 24.01", 0),
        ("First the answer is 5.\nNo: the final answer is 23", 1),
        ('{"step_by_step": "…", "answer": "22.5"}', 1),
        ("The answer is 1e999", 0),
    ],
)
async def test_a_decimal_lies_between_its_limits(answer: str, right: float) -> None:
    assert await score("22.857", "decimal", answer, **LIMITS) == right


async def test_limits_of_negative_values_and_thousands_are_understood() -> None:
    assert await score("-5", "decimal", "The answer is -5.1", lower_limit="-5.25",
                       upper_limit="-4.75") == 1  # fmt: skip
    assert await score("1200", "decimal", "The answer is 1,201.5", lower_limit="1140",
                       upper_limit="1260") == 1  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "truth", "right"),
    [("4", "4", 1), ("4.0", "4", 1), ("2.5", "3", 1), ("2.4", "3", 0), ("-3", "3", 0)],
)
async def test_whole_numbers_are_rounded_half_up(answer: str, truth: str, right: float) -> None:
    assert await score(truth, "integer", f"The answer is {answer}") == right


@pytest.mark.parametrize("answer", ["08/31/2023", "2023-08-31"])
async def test_dates_are_compared_as_days(answer: str) -> None:
    assert await score("08/31/2023", "date", f"The answer is {answer}.") == 1
    assert await score("09/01/2023", "date", f"The answer is {answer}.") == 0


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("35 weeks", True),
        ("35 weeks.", True),
        ("35 weeks, 0 days", True),
        ("35 weeks, 2 days", False),
        ("34 weeks", False),
    ],
)
async def test_whole_weeks_need_no_days(said: str, *, right: bool) -> None:
    judge = SmallJudge([{"answer": said}])
    given = medcalc("35 weeks, 0 days", "weeks_days")
    assert (await grade(given, f"It is {said}", judge)).score == right


@pytest.mark.parametrize(
    ("said", "right"),
    [("25,3", True), ("25.3", True), ("25,30", True), ("253", False), ("2,53", False)],
)
async def test_a_comma_before_fewer_or_more_than_three_figures_is_a_decimal_comma(
    said: str, *, right: bool
) -> None:
    limits = {"lower_limit": "25.2", "upper_limit": "25.4"}
    assert await score("25.3", "decimal", f"The answer is {said}", **limits) == right


async def test_a_comma_before_three_figures_groups_them() -> None:
    assert await score("1250", "integer", "The answer is 1,250") == 1
    assert await score("1250000", "integer", "The answer is 1,250,000") == 1


@pytest.mark.parametrize("truth", ["('35 weeks', '4 days')", "35 weeks, 4 days"])
async def test_weeks_and_days_match_in_both_spellings(truth: str) -> None:
    assert await score(truth, "weeks_days", "The answer is 35 weeks and 4 days") == 1
    assert await score(truth, "weeks_days", "The answer is 35 weeks, 5 days") == 0


@pytest.mark.parametrize(
    "answer",
    ["It comes to 22.8 or so.", "The answer is 22 to 23", "The answer is about right", "…"],
)
async def test_a_value_that_no_rule_finds_is_looked_for_by_a_model(answer: str) -> None:
    judge = SmallJudge([{"answer": "22.8"}])
    graded = await grade(medcalc("22.857", "decimal", **LIMITS), answer, judge)
    assert graded.score == 1
    assert graded.detail["found_by"] == "model"
    assert "22.857" not in judge.prompts[0], "who looks for the value must not know the right one"


async def test_a_long_answer_is_read_to_its_end() -> None:
    judge = SmallJudge([{"answer": "22.8"}])
    await grade(medcalc("22.857", "decimal", **LIMITS), f"{'so ' * 5000} it is 22.8", judge)
    assert "it is 22.8" in judge.prompts[0]


async def test_no_final_value_is_wrong_and_a_judge_that_is_away_is_not() -> None:
    case = medcalc("22.857", "decimal", **LIMITS)
    graded = await grade(case, "I cannot say.", SmallJudge([{"answer": None}]))
    assert (graded.outcome, graded.score) == ("fail", 0)
    with pytest.raises(Ungraded):
        await grade(case, "I cannot say.", SmallJudge(fails="the judge is away"))


@pytest.mark.parametrize(
    ("case", "told"),
    [
        (medcalc("22", "decimal"), "lower_limit"),
        (medcalc("soon", "date"), "ground_truth"),
        (medcalc("22", "fraction"), "output_type"),
    ],
)
def test_a_case_that_nothing_can_match_is_refused(case: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        check_evaluator(case)


@pytest.mark.parametrize(
    ("kind", "truth", "answer", "meant"),
    [
        ("decimal", "22.857", "The answer is 22.9\n\nWait, I made an error: it is 30.", "30"),
        ("decimal", "22.857", "The answer is 22.9? No.", None),
        ("date", "08/31/2024", "The answer is 31/08/2023", "08/31/2023"),
    ],
)
async def test_what_is_taken_back_or_cannot_be_read_is_asked_of_a_model(
    kind: str, truth: str, answer: str, meant: str | None
) -> None:
    judge = SmallJudge(answers=[{"answer": meant}])
    limits = LIMITS if kind == "decimal" else {}
    graded = await grade(medcalc(truth, kind, **limits), answer, judge)
    assert (graded.outcome, graded.detail["found_by"]) == ("fail", "model")
