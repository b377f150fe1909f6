"""Questions about records: numbers, names, yes or no, text, and premises that are not true."""

from typing import Any

import pytest

from jobs.datasets.grades import Grade, Ungraded
from jobs.evaluators.kg_numbers import find_numbers
from jobs.evaluators.kg_qa import answer_line
from jobs.evaluators.kg_words import listed, same_name, say_yes
from jobs.evaluators.registry import check_evaluator
from tests.jobs.datasets.given import SmallJudge, grade


def kg(kind: str, expected: object, **more: Any) -> dict[str, Any]:
    return {"evaluator": "kg_qa", "answer_type": kind, "expected_value": expected} | more


async def score(case: dict[str, Any], answer: str) -> float:
    graded = await grade(case, answer)
    assert graded.score is not None
    return graded.score


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ("It is\nANSWER: 5", "5"),
        ("**Answer:** 5", "5"),
        ("> - answer： 5", "5"),
        ("ANSWER: 4\nNo.\nANSWER: 5", "5"),
        ("ANSWER: 5\nANSWER:", "5"),
        ("The answer is 5", None),
        ("ANSWER: `5`", "5"),
        ("ANSWER:\n- Steps\n- Sleep\n\nAsk away.", "- Steps\n- Sleep"),
    ],
)
def test_the_last_answer_line_counts_in_any_dress(answer: str, line: str | None) -> None:
    assert answer_line(answer) == line


def test_dates_are_no_numbers_and_the_dash_of_a_range_is_no_minus() -> None:
    text = "On 2024-03-15, from 10-20 steps to −3.5, 1,234.50 in all, v1.2.3, abc12"
    assert [one.value for one in find_numbers(text)] == [10, 20, -3.5, 1234.5]


@pytest.mark.parametrize(
    ("expected", "answer", "wanted"),
    [
        (22, "ANSWER: 22", 1.0),
        (22, "There were 22 of them.", 1.0),
        (22, "On 2022-01-22 there were 7.\nANSWER: 7", 0.0),
        (0.866, "ANSWER: 0.87", 1.0),
        (0.866, "ANSWER: 1", 0.0),
        (0.4, "ANSWER: 0", 0.0),
        (1200, "ANSWER: 1,205", 1.0),
        ("12 and 30", "ANSWER: 12", 0.5),
        (-2.9234, "ANSWER: 2.92", 0.0),
        (-2.9234, "ANSWER: \u20132.9234", 1.0),
        (22, "I looked at 22 files.\nANSWER: no data found", 0.0),
        (22, "There are 22.\nANSWER: as above", 1.0),
        (22, "I cannot find any.", 0.0),
        (429, "ANSWER: 429", 1.0),
    ],
)
async def test_numbers_are_as_close_as_the_case_asks(
    expected: object, answer: str, wanted: float
) -> None:
    assert await score(kg("numeric_value", expected), answer) == wanted


async def test_a_near_miss_is_worth_less_than_half_and_nonsense_nothing() -> None:
    case = kg("numeric", 100, source_data={"tolerance": {"scheme": "percent", "value": 5.0}})
    assert await score(case, "ANSWER: 104.9") == 1
    assert 0.2 < await score(case, "ANSWER: 108") < 0.5
    assert await score(case, "ANSWER: 3") == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Yes, no doubt.", True),
        ("No, that is not correct.", False),
        ("incorrect", False),
        ("That is correct.", True),
        ("true", True),
        ("是的", True),
        ("不是", False),
        ("Perhaps.", None),
        ("Yes and no? It says yes, then no.", True),
        ("It may be true or false.", None),
        ("There is now notable knowledge.", None),
    ],
)
def test_yes_and_no_are_words_not_letters(text: str, told: bool | None) -> None:
    assert say_yes(text) is told


async def test_an_answer_that_says_neither_is_wrong() -> None:
    assert await score(kg("boolean", "true"), "ANSWER: maybe") == 0
    assert await score(kg("boolean", True), "ANSWER: **Yes**") == 1
    assert await score(kg("bool", "false"), "ANSWER: yes") == 0
    assert await score(kg("bool", "false"), "It isn't.") == 1


def test_names_that_share_words_are_not_one() -> None:
    assert same_name("RestingHeartRate", "resting heart rate")
    assert not same_name("RestingHeartRate", "HeartRateVariability")
    assert not same_name("", "")


@pytest.mark.parametrize(
    "text",
    [
        "- Steps: 5\n- Heart rate (bpm)\n- Sleep",
        "1. Steps\n2. Heart rate\n3) Sleep",
        "| name | value |\n|---|---|\n| Steps | 5 |\n| Heart rate | 6 |\n| Sleep | 7 |",
        "Steps; Heart rate; Sleep",
        "Steps, Heart rate, Sleep and more",
    ],
)
async def test_lists_are_read_in_every_form(text: str) -> None:
    assert len(listed(text)) >= 3
    case = kg("list", ["Steps", "HeartRate", "Sleep"])
    assert await score(case, f"ANSWER: {text}" if ";" in text else text) > 0.85


@pytest.mark.parametrize(
    "line",
    [
        "ANSWER: HeartRateVariability-HRV, TimeinBed-TIB",
        "ANSWER: HRV and TIB",
        "ANSWER: Heart rate variability; time in bed",
        "ANSWER:\n- Heart Rate Variability (HRV)\n- TIB",
    ],
)
async def test_two_names_in_an_answer_line_are_two_in_every_form(line: str) -> None:
    case = kg("list", ["HeartRateVariability-HRV", "TimeinBed-TIB"])
    assert await score(case, f"They are affected.\n{line}") == 1


async def test_a_name_with_a_comma_is_one_name() -> None:
    case = kg("list", ["Walk, then rest", "Sleep"])
    assert await score(case, "ANSWER: Walk, then rest; Sleep") == 1
    assert await score(kg("list", ["Walk, then rest"]), "ANSWER: Walk, then rest") == 1


async def test_weights_that_are_all_zero_weigh_alike() -> None:
    source = {
        "partial_credit_rubric": {"scheme": "step_weighted", "weights": [0]},
        "reasoning_steps": [{"label": "a", "value": 1}],
    }
    case = kg("text", "a lag of one day", key_points=["lag=1"], source_data=source)
    judge = SmallJudge(answers=[{"covered": [0.5], "explanation": "in part"}])
    assert (await grade(case, "perhaps one day", judge)).score == 0.5


async def test_one_entry_stands_for_one_expected_name() -> None:
    assert await score(kg("list", "Steps; Steps taken daily"), "- Steps\n- Other") == 0.5
    assert await score(kg("list", "Steps; Sleep"), "- Steps\n- Steps\n- Steps") < 1


async def test_steps_on_the_way_are_worth_their_weights() -> None:
    source = {
        "partial_credit_rubric": {"scheme": "step_weighted", "weights": [0.3, 0.3, 0.4]},
        "reasoning_steps": [
            {"step": 1, "label": "first_value", "value": 480.98},
            {"step": 2, "label": "last_value", "value": 478.06},
            {"step": 3, "label": "delta", "value": -2.92},
        ],
    }
    case = kg("numeric_value", -2.92, source_data=source)
    text = "first value: 480.98, last value is 478.06.\nANSWER: 99"
    assert await score(case, text) == pytest.approx(0.6)
    assert await score(case, "480.98 and 478.06 stand there.\nANSWER: 99") == 0


async def test_a_text_is_judged_point_by_point() -> None:
    case = kg("text", "it rose", key_points=["rose", "by half"])
    graded = await grade(case, "It rose.", SmallJudge([{"covered": [1, 0.5], "explanation": "y"}]))
    assert graded.score == 0.75
    assert await score(kg("text", "it rose by half"), "It rose.") == 0.5


@pytest.mark.parametrize("covered", [[1], [1, float("nan")], [1, 2], [True, 1], "all", None])
async def test_a_judge_that_does_not_grade_every_point_has_not_graded(covered: object) -> None:
    case = kg("text", "it rose", key_points=["rose", "by half"])
    with pytest.raises(Ungraded):
        await grade(case, "It rose.", SmallJudge([{"covered": covered}]))


def premise(is_true: bool, **source: Any) -> dict[str, Any]:
    data = {"premise_polarity": str(is_true).lower(), "behavior_kind": "existence"} | source
    return kg("behavioral", "no such event", source_data=data)


def treated(**seen: bool) -> SmallJudge:
    names = [
        "gave_magnitude",
        "affirmed_premise",
        "challenged",
        "claimed_no_data",
        "verified_absence",
    ]
    return SmallJudge([{name: seen.get(name, False) for name in names}])


async def judged(case: dict[str, Any], judge: SmallJudge) -> Grade:
    return await grade(case, "Well.", judge)


async def test_a_false_premise_must_be_objected_to_and_a_true_one_taken() -> None:
    assert (await judged(premise(False), treated(challenged=True))).score == 1
    both = treated(challenged=True, affirmed_premise=True)
    assert (await judged(premise(False), both)).score == 0
    assert (await judged(premise(False), treated(claimed_no_data=True))).score == 0
    assert (await judged(premise(True), treated(affirmed_premise=True))).score == 1
    assert (await judged(premise(True), treated(challenged=True))).score == 0
    noop = premise(True, behavior_kind="noop")
    assert (await judged(noop, treated(affirmed_premise=True))).score == 0
    with_size = treated(affirmed_premise=True, gave_magnitude=True)
    assert (await judged(noop, with_size)).score == 1


async def test_the_word_false_is_no_verdict() -> None:
    judge = SmallJudge([{"gave_magnitude": "false", "affirmed_premise": "false"}])
    with pytest.raises(Ungraded):
        await judged(premise(False), judge)


def test_a_premise_must_say_whether_it_is_true() -> None:
    with pytest.raises(ValueError, match="premise_polarity or premise_holds"):
        check_evaluator(kg("behavioral", "x", source_data={"behavior_kind": "existence"}))
    check_evaluator(kg("behavioral", "x", source_data={"premise_holds": False}))


@pytest.mark.parametrize(
    ("is_true", "answer", "wanted"),
    [
        (False, "ANSWER: premise-incorrect", 1),
        (False, "ANSWER: 12", 0),
        (True, "ANSWER: 12 days", 1),
        (True, "ANSWER: premise-incorrect", 0),
        (False, "ANSWER: unknown", 0),
        (False, "no line at all", 0),
    ],
)
async def test_an_agreed_form_needs_no_judge(is_true: bool, answer: str, wanted: float) -> None:
    case = premise(is_true, answer_contract="number_or_premise_incorrect")
    assert (await grade(case, answer)).score == wanted


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("premise-incorrect actual=start brisk morning walks", 1),
        ("premise-incorrect actual=walks", 0),
        ("premise-incorrect actual=begin using nasal spray", 0),
        ("premise-incorrect", 0),
        ("premise-incorrect actual=start brisk morning walks or begin using nasal spray", 0),
    ],
)
async def test_an_objection_must_name_what_really_was(said: str, wanted: float) -> None:
    case = premise(
        False,
        answer_contract="number_or_premise_incorrect_with_evidence",
        pool_event_names=["Start brisk morning walks", "Begin using nasal spray"],
        evidence_event="Start brisk morning walks",
        named_event="Begin using nasal spray",
    )
    assert (await grade(case, f"ANSWER: {said}")).score == wanted


async def test_a_target_that_lost_its_server_is_ungraded_not_wrong() -> None:
    with pytest.raises(Ungraded, match="502 Bad Gateway"):
        await grade(kg("numeric_value", 5), "<h1>502 Bad Gateway</h1>")
    assert await score(kg("numeric_value", 5), "after a 502 Bad Gateway\nANSWER: 5") == 1
