"""Rubrics, dialogues as a whole, records, greetings, and people's own ways of grading."""

from typing import Any

import pytest

from jobs.datasets.dialogue import Chunk, Dialogue, Reply, ToolUse
from jobs.datasets.grades import Grade, Grading, ProgramOutcome, Ungraded
from jobs.evaluators.registry import check_evaluator, find_evaluator
from tests.jobs.datasets.given import NOON, SmallJudge, a_case, grade, said


async def test_exact_answers_are_compared_but_for_white_space() -> None:
    case = {"evaluator": "exact", "expected": ["New York", "NYC"]}
    assert (await grade(case, " New\n York ")).score == 1
    assert (await grade(case, "new york")).score == 0
    assert (await grade(case | {"ignore_case": True}, "nyc")).score == 1


async def test_a_pattern_is_found_or_must_not_be() -> None:
    case = {"evaluator": "regex", "pattern": r"\b4\d\b"}
    assert (await grade(case, "It is 42.")).score == 1
    assert (await grade(case | {"absent": True}, "It is 42.")).score == 0
    with pytest.raises(ValueError, match="pattern"):
        check_evaluator(case | {"pattern": "("})


async def test_a_pattern_that_takes_for_ever_leaves_its_case_ungraded() -> None:
    case = {"evaluator": "regex", "pattern": r"(a|aa|a?)+$"}
    with pytest.raises(Ungraded, match="not done within"):
        await grade(case, "a" * 5000 + "b")


class Programs:
    """A program that ended as the test says."""

    def __init__(self, exit_code: int | None, output: str = "") -> None:
        self.outcome = ProgramOutcome(exit_code=exit_code, output=output)

    async def run(self, code: str, *, given: str, timeout_s: float) -> ProgramOutcome:
        assert code == "print()"
        assert '"answer": "42"' in given
        assert timeout_s == 10
        return self.outcome


async def by_program(exit_code: int | None, output: str = "") -> Grade:
    case = a_case({"evaluator": "python", "code": "print()"})
    programs = Programs(exit_code, output)
    given = Grading(case, said(("a question", "42")), SmallJudge(), programs)
    return await find_evaluator("python").grade(given)


async def test_a_program_passes_fails_or_scores() -> None:
    assert (await by_program(0)).score == 1
    assert (await by_program(1, "too long")).feedback == "too long"
    scored = await by_program(0, 'looking\n{"score": 0.25, "feedback": "a quarter"}')
    assert (scored.outcome, scored.score, scored.feedback) == ("scored", 0.25, "a quarter")


@pytest.mark.parametrize(("exit_code", "output"), [(None, ""), (2, "boom"), (0, '{"score": 2}')])
async def test_a_program_that_breaks_grades_nothing(exit_code: int | None, output: str) -> None:
    with pytest.raises(Ungraded):
        await by_program(exit_code, output)


def test_a_program_that_is_none_is_refused_with_its_line() -> None:
    with pytest.raises(ValueError, match="line 1"):
        check_evaluator({"evaluator": "python", "code": "def"})


HELLO = [{"role": "assistant", "content": "Hello, how can I help?"}]


async def greeted(*texts: str, judge: SmallJudge | None = None, **changes: Any) -> Grade:
    dialogue = said(*((text, "I see") for text in texts))
    return await grade(
        {"evaluator": "engagement"}, dialogue, judge, **({"history": HELLO} | changes)
    )


async def test_engagement_is_what_the_judge_calls_so() -> None:
    engaged = await greeted("my knee hurts", judge=SmallJudge([{"result": "engaged"}]))
    assert (engaged.outcome, engaged.score) == ("pass", 1)
    not_so = await greeted("hm", judge=SmallJudge([{"result": "not_engaged", "reason": "filler"}]))
    assert (not_so.outcome, not_so.feedback) == ("fail", "filler")
    assert (await greeted("[silence]", "[沉默]")).score == 0
    with pytest.raises(Ungraded):
        await greeted("hm", judge=SmallJudge([{"result": "perhaps"}]))
    with pytest.raises(Ungraded, match="no opening message"):
        await greeted("hm", history=[])


def dimensions(**scores: object) -> SmallJudge:
    entries = [{"name": name, "score": score} for name, score in scores.items()]
    return SmallJudge([{"dimensions": entries, "overall_feedback": "well"}])


async def test_a_dialogue_is_graded_by_weighted_criteria() -> None:
    criteria = [{"name": "safety", "weight": 60}, {"name": "clarity", "weight": 20}]
    case = {"evaluator": "semantic", "criteria": criteria, "threshold": 0.6}
    graded = await grade(case, "Rest it.", dimensions(safety=100, clarity=20))
    assert graded.outcome == "pass"
    assert graded.score == pytest.approx(0.8)
    with pytest.raises(Ungraded, match="not graded: clarity"):
        await grade(case, "Rest it.", dimensions(safety=100))
    with pytest.raises(Ungraded):
        await grade(case, "Rest it.", dimensions(safety=100, clarity=float("inf")))


async def test_the_qualities_of_a_dialogue_lie_between_one_and_five() -> None:
    case = {"evaluator": "dialogue_quality", "dimensions": {"accuracy": 3, "readability": 1}}
    judge = SmallJudge([{"dimensions": {"accuracy": {"score": 5}, "readability": {"score": 1}}}])
    user = {"type": "auto", "goal": "ask", "persona": {"logic": "fabricating"}}
    graded = await grade(case, "Rest it.", judge, user=user)
    assert (graded.outcome, graded.score) == ("pass", 0.75)
    assert "makes things up" in judge.prompts[0]
    short = SmallJudge([{"dimensions": {"accuracy": {"score": 5}}}])
    with pytest.raises(Ungraded, match="readability"):
        await grade(case, "Rest it.", short)
    with pytest.raises(ValueError, match="kindness"):
        check_evaluator({"evaluator": "dialogue_quality", "dimensions": {"kindness": 1}})


def record(**checkpoint: Any) -> dict[str, Any]:
    first = {"turn": 1, "type": "record_ack", "echo_keywords": ["138", "mmHg"]} | checkpoint
    second = {"turn": 2, "type": "retrieval_data", "must_contain": ["138"]}
    return {"evaluator": "record_retrieval", "checkpoints": [first, second], "threshold": 1.0}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("Noted: 138 mmhg, left shoulder.", ""),
        ("Noted: 138 mmHg. You should rest.", "gives advice: should"),
        ("138 mmHg 已记录，注意休息", "gives advice: 注意"),
        ("138 mmHg 已记录，我注意到了", ""),
        ("Noted.", "does not repeat 138, mmHg"),
        (f"138 mmHg {'x' * 90}", "characters"),
    ],
)
async def test_a_record_is_confirmed_in_few_words(answer: str, reason: str) -> None:
    graded = await grade(record(), said(("BP 138", answer), ("what was it?", "It was 138")))
    told = graded.detail["checkpoints"][0]["reason"]
    assert reason in told
    assert bool(told) == bool(reason)
    assert graded.outcome == ("fail" if reason else "pass")


async def test_the_time_until_the_record_counts_and_a_missing_turn_fails() -> None:
    stamp = Chunk(type="annotation", timestamp=NOON.timestamp() + 2)
    quick = Reply(text="138 mmHg", chunks=(stamp,))
    slow = said(("BP 138", quick), ("what was it?", "138"), seconds=30)
    assert (await grade(record(), slow)).outcome == "pass"
    assert (await grade(record(max_seconds=1), slow)).outcome == "fail"
    short = await grade(record(), said(("BP 138", "138 mmHg")))
    assert short.detail["checkpoints"][1]["reason"] == "no answer"


async def test_a_rubric_weighs_code_judge_and_time() -> None:
    turn = {
        "turn": 1,
        "latency": {"total_seconds": 10},
        "criteria": [
            {"name": "chart", "signal_check": {"signal": "has_chart", "op": "=="}},
            {"name": "specific", "llm_rubric": "names hours", "weight": 2.0},
        ],
    }
    case = {"evaluator": "rubric", "turns": [turn]}
    dialogue = said(("show", "![sleep](a.png) 7 hours"), seconds=15)
    graded = await grade(case, dialogue, SmallJudge([{"scores": {"specific": 0.5}}]))
    assert graded.score == pytest.approx((1 + 0.5 * 2 + 0.5) / 4)
    with pytest.raises(Ungraded):
        await grade(case, dialogue, SmallJudge([{"scores": {}}]))


async def test_a_turn_that_was_never_reached_is_not_left_out() -> None:
    check = {"name": "long", "signal_check": {"signal": "char_count", "op": ">", "value": 2}}
    turns = [{"turn": 1, "criteria": [check]}, {"turn": 2, "criteria": [check]}]
    case = {"evaluator": "rubric", "turns": turns, "case_criteria": [check]}
    graded = await grade(case, said(("a", "long enough"), ("b", None)))
    assert graded.score == pytest.approx((0.5 + 1) / 2)


def test_signals_see_tools_tables_and_charts() -> None:
    table = Reply(text="| a | b |\n|---|---|\n| 1 | 2 |")
    tool = Reply(text="here", tool_calls=(ToolUse(name="draw_chart"),))
    replies = Dialogue().replies
    assert replies == ()
    for signal, reply in (("has_table", table), ("has_chart", tool), ("tool_calls_count", tool)):
        check_evaluator(
            {"evaluator": "rubric", "case_criteria": [
                {"name": "x", "signal_check": {"signal": signal, "op": "=="}}]}
        )  # fmt: skip
        assert reply.text


@pytest.mark.parametrize(
    "check",
    [
        {"signal": "has_wings", "op": "=="},
        {"signal": "char_count", "op": ">", "value": "many"},
        {"signal": "char_count", "op": "~", "value": 1},
    ],
)
def test_a_check_that_cannot_be_made_is_refused(check: dict[str, Any]) -> None:
    criterion = {"name": "x", "signal_check": check}
    with pytest.raises(ValueError, match="eval"):
        check_evaluator({"evaluator": "rubric", "case_criteria": [criterion]})


async def test_time_that_was_not_measured_is_not_zero() -> None:
    unmeasured = {"turn": 1, "latency": {"ttft_seconds": 3}}
    with pytest.raises(Ungraded, match="measured"):
        await grade({"evaluator": "rubric", "turns": [unmeasured]}, "an answer")
    check = {"name": "long", "signal_check": {"signal": "char_count", "op": ">", "value": 3}}
    turns = [unmeasured, {"turn": 1, "criteria": [check]}]
    graded = await grade({"evaluator": "rubric", "turns": turns}, "an answer")
    assert graded.score == 1


def test_two_criteria_of_one_name_are_refused() -> None:
    criteria = [{"name": "clear", "llm_rubric": text} for text in ("short", "plain")]
    with pytest.raises(ValueError, match="two criteria of one turn are called 'clear'"):
        check_evaluator({"evaluator": "rubric", "turns": [{"turn": 1, "criteria": criteria}]})
