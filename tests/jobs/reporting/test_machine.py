"""What code decided is told beside what the judge said, and never mistaken for a quotation."""

from jobs.checks.check import Check
from jobs.checks.merge import merge
from jobs.checks.verdict import MachineVerdict
from jobs.judging.score import Scored, score_run
from jobs.reporting.context import ReportContext
from jobs.reporting.fit import EVERYTHING
from jobs.reporting.health import render_health
from jobs.reporting.machine import OUTPUT, machine_part
from jobs.reporting.report import render_report
from jobs.results import RunResult
from jobs.values import SKILL_OR_NONE, Arm
from tests.builders import a_pass, a_result, a_run_spec, an_eval_case, an_ungraded_result

CASE = an_eval_case(
    checks=(
        Check(id="C1", command="test -s output/a.md | cat", name="there is `a.md`"),
        Check(id="C2", command="python3 tests/check.py"),
    )
)
PASSES = (
    a_pass(1, (("pass", "fail"), ("fail", "fail"), ("partial", "pass"))),
    a_pass(2, (("fail", "pass"), ("fail", "fail"), ("pass", "pass"))),
)
"""Of A3 the readings say different things with the skill."""


def said(assertion: str, arm: Arm, verdict: str | None, found: str, output: str = ""):
    fields = {"assertion": assertion, "arm": arm, "verdict": verdict, "found": found}
    return MachineVerdict.model_validate({**fields, "output": output})


GOOD = (
    said("C1", Arm.WITH_SKILL, "pass", "Exit code 0.", "fine"),
    said("C1", Arm.WITHOUT_SKILL, "fail", "Exit code 1.", "no a.md\n"),
    said("C2", Arm.WITH_SKILL, "pass", "Exit code 0."),
    said("C2", Arm.WITHOUT_SKILL, "pass", "Exit code 0."),
    said("A3", Arm.WITH_SKILL, "fail", "There is no file a.md."),
    said("A3", Arm.WITHOUT_SKILL, None, "a.md is there, and empty."),
)


def a_checked_result(*machine: MachineVerdict) -> RunResult:
    scored = score_run(
        CASE, Arm.WITH_SKILL, PASSES, lambda rows: merge(rows, CASE, machine, SKILL_OR_NONE)
    )
    assert isinstance(scored, Scored)
    return a_result(
        spec=a_run_spec(eval_case=CASE),
        passes=PASSES,
        machine=machine,
        assertions=scored.assertions,
        with_skill=scored.with_skill,
        without_skill=scored.without_skill,
    )


def shown(result: RunResult) -> str:
    return machine_part(result, ReportContext()).render(EVERYTHING)


def test_every_check_stands_with_its_command_and_what_it_found() -> None:
    part = shown(a_checked_result(*GOOD))
    assert "⚙️ By machine: 2 checks, 1 plain assertion; 1 against the judge" in part
    [first] = [line for line in part.splitlines() if line.startswith("| C1 |")]
    assert first.startswith("| C1 | there is &#96;a.md&#96;<br><code>test -s output/a.md")
    assert first.endswith("| ✅ pass: Exit code 0. | ❌ fail: Exit code 1. |")
    assert "⚪ left to the judge: a.md is there, and empty." in part
    assert part.count("```") == 2, "only what failed shows its output"
    assert "**C1 without it**\n\n```\nno a.md\n```" in part


def test_an_assertion_shows_that_code_won_and_all_that_the_judge_had_said() -> None:
    report = render_report(a_checked_result(*GOOD), ReportContext())
    [row] = [line for line in report.splitlines() if "by machine: There is no file" in line]
    assert "❌ fail ⚙️ by machine: There is no file a.md. <br>The judge said 🟡 partial" in row
    assert "✅ pass" in row


def test_health_counts_the_judges_quotations_and_assertions_alone() -> None:
    health = render_health(a_checked_result(*GOOD))
    assert "agree on 2 of 3 assertions" in health
    assert "code decided 3 of 5 assertions, 1 against the judge" in health
    assert " quotations found" in health
    assert "could not be measured" not in health


def test_a_check_that_was_not_measured_is_a_warning_and_no_fail() -> None:
    reason = "Not measured: the engine is away."
    lost = (said("C2", Arm.WITHOUT_SKILL, None, reason), *GOOD[:3])
    result = a_checked_result(*lost)
    assert "⚠️" in render_health(result)
    assert "C2 could not be measured and counts in no score" in render_health(result)
    report = render_report(result, ReportContext())
    assert f"⚪ not measured ⚙️: {reason}" in report
    assert f"⚪ not measured: {reason}" in report


def test_what_the_checks_of_an_ungraded_run_found_is_told_all_the_same() -> None:
    result = an_ungraded_result(spec=a_run_spec(eval_case=CASE), machine=GOOD[:4])
    assert "⚙️ By machine: 2 checks" in render_report(result, ReportContext())


def test_of_a_long_output_the_end_is_shown() -> None:
    output = "".join(f"line {number}\n" for number in range(1_000))
    lost = said("C1", Arm.WITH_SKILL, "fail", "Exit code 1.", output)
    part = shown(a_checked_result(lost, *GOOD[1:]))
    assert "line 999" in part
    assert "line 1\n" not in part
    assert len(part) < OUTPUT + 2_000


def test_without_anything_by_machine_nothing_is_said_of_it() -> None:
    assert "machine" not in render_report(a_result(), ReportContext())
