"""Code wins over the judge, and a check counts as much as an assertion of the rubric."""

from jobs.checks.check import Check
from jobs.checks.merge import GROUP, merge
from jobs.checks.verdict import MachineVerdict
from jobs.judging.score import Scored, score_run
from jobs.scores import AssertionScore
from jobs.values import SKILL_OR_NONE, Arm, EvalCase
from tests.builders import a_pass, an_eval_case

CASE = an_eval_case(checks=(Check(id="C1", command="true", name="adds up"),))
BOTH = (
    a_pass(1, (("pass", "fail"), ("fail", "fail"), ("partial", "pass"))),
    a_pass(2, (("fail", "pass"), ("fail", "fail"), ("pass", "partial"))),
)
"""With the skill A1 passes and A3 holds in part in both readings; without it A3 passes."""


def said(assertion: str, arm: Arm, verdict: str | None) -> MachineVerdict:
    return MachineVerdict.model_validate(
        {"assertion": assertion, "arm": arm, "verdict": verdict, "found": f"{assertion} was seen."}
    )


CHECKED = (said("C1", Arm.WITH_SKILL, "pass"), said("C1", Arm.WITHOUT_SKILL, "fail"))


def score(*machine: MachineVerdict, case: EvalCase = CASE) -> Scored:
    def decide(rows: tuple[AssertionScore, ...]) -> tuple[AssertionScore, ...]:
        return merge(rows, case, machine, SKILL_OR_NONE)

    scored = score_run(case, Arm.WITH_SKILL, BOTH, decide)
    assert isinstance(scored, Scored)
    return scored


def row(scored: Scored, assertion: str) -> AssertionScore:
    return next(one for one in scored.assertions if one.assertion.id == assertion)


def test_a_check_is_an_assertion_of_its_own_in_both_scores() -> None:
    without = score_run(an_eval_case(), Arm.WITH_SKILL, BOTH)
    assert isinstance(without, Scored)
    scored = score(*CHECKED)
    assert [one.assertion.id for one in scored.assertions] == ["A1", "A2", "A3", "C1"]
    assert row(scored, "C1").assertion.group == GROUP
    assert row(scored, "C1").assertion.text == "adds up"
    assert scored.with_skill.score == (without.with_skill.score * 3 + 1) / 4
    assert scored.without_skill.score == without.without_skill.score * 3 / 4
    assert scored.with_skill.passes == without.with_skill.passes + 1
    assert scored.without_skill.fails == without.without_skill.fails + 1


def test_a_check_that_was_not_measured_for_one_arm_counts_for_neither() -> None:
    without = score_run(an_eval_case(), Arm.WITH_SKILL, BOTH)
    assert isinstance(without, Scored)
    scored = score(said("C1", Arm.WITH_SKILL, "pass"), said("C1", Arm.WITHOUT_SKILL, None))
    assert scored.with_skill.score == without.with_skill.score
    assert scored.without_skill.score == without.without_skill.score
    assert {one.verdict for one in row(scored, "C1").with_skill} == {"cannot_verify"}
    assert scored.with_skill.unverified == 1


def test_a_check_of_which_nothing_is_known_counts_for_neither() -> None:
    scored = score()
    assert "was not run" in row(scored, "C1").with_skill[0].evidence
    assert scored.with_skill.unverified == scored.without_skill.unverified == 1


def test_code_wins_over_the_judge_and_what_the_judge_said_is_kept() -> None:
    scored = score(*CHECKED, said("A1", Arm.WITH_SKILL, "fail"))
    decided = row(scored, "A1")
    assert [one.verdict for one in decided.with_skill] == ["fail", "fail"]
    assert [one.judge_said for one in decided.with_skill] == ["pass", "pass"]
    assert decided.with_skill[0].evidence == "A1 was seen."
    assert decided.machine == {"with_skill": decided.with_skill}
    assert not any(one.by_machine for one in decided.without_skill)
    assert scored.with_skill.passes == score(*CHECKED).with_skill.passes - 1


def test_of_an_empty_output_no_judge_said_anything() -> None:
    rows = score_run(an_eval_case(), Arm.WITH_SKILL, BOTH)
    assert isinstance(rows, Scored)
    nobody = rows.assertions[0].with_skill[0].model_copy(update={"by_machine": True})
    row = rows.assertions[0].model_copy(update={"with_skill": (nobody, nobody)})
    machine = (said("A1", Arm.WITH_SKILL, "fail"),)
    [decided] = merge([row], an_eval_case(), machine, SKILL_OR_NONE)
    assert [one.judge_said for one in decided.with_skill] == [None, None]


def test_code_settles_what_the_readings_are_split_on() -> None:
    split = (
        a_pass(1, (("pass", "fail"),) * 3),
        a_pass(2, (("pass", "fail"),) * 3),
    )
    case = an_eval_case()
    machine = (said("A1", Arm.WITH_SKILL, "pass"), said("A1", Arm.WITHOUT_SKILL, "fail"))
    scored = score_run(
        case, Arm.WITH_SKILL, split, lambda rows: merge(rows, case, machine, SKILL_OR_NONE)
    )
    assert isinstance(scored, Scored)
    assert [one.split for one in scored.assertions] == [False, True, True]


def test_what_code_cannot_tell_stays_with_the_judge() -> None:
    assert score(*CHECKED, said("A1", Arm.WITH_SKILL, None)) == score(*CHECKED)


def test_code_decides_even_where_the_judge_could_verify_nothing() -> None:
    blank = (("cannot_verify", "cannot_verify"),) * 3
    passes = (a_pass(1, blank), a_pass(2, blank))
    scored = score_run(
        CASE, Arm.WITH_SKILL, passes, lambda rows: merge(rows, CASE, CHECKED, SKILL_OR_NONE)
    )
    assert isinstance(scored, Scored)
    assert (scored.with_skill.score, scored.without_skill.score) == (1, 0)
