"""What a report says of weak assertions, canaries and lengths; every word of a model is escaped."""

from decimal import Decimal

import pytest

from jobs.reporting.context import ReportContext
from jobs.reporting.report import render_report
from jobs.reporting.soundness import TITLE, soundness_notes, soundness_part
from jobs.results import RunResult
from jobs.values import Assertion, VerdictWord
from jobs.weak_evals.canary_check import (
    Canary,
    CanaryCheck,
    CanaryVerdict,
    OutputLength,
    OutputLengths,
)
from tests.builders import a_result, a_run_spec, a_usage, an_assertion_score, an_eval_case

CONTEXT = ReportContext(web_url="https://github.com", archive_url="https://a.test/x.zip")
RUN = a_run_spec().run_id
HOSTILE = "<!-- x --> @all | `a` [b](https://evil.test) <script>"


def a_check(
    *satisfied: tuple[str, Canary, VerdictWord], reason: str = "It says so.", paid_by: str = RUN
) -> CanaryCheck:
    return CanaryCheck(
        judge="claude-opus-4-7",
        prompt_version="p",
        assertions=("A1", "A2", "A3"),
        satisfied=tuple(
            CanaryVerdict(assertion=name, canary=canary, verdict=word, reason=reason)
            for name, canary, word in satisfied
        ),
        usage=a_usage(cost_usd=Decimal("0.03")),
        paid_by=paid_by,
    )


def report(check: CanaryCheck | None) -> str:
    return render_report(a_result().model_copy(update={"canaries": check}), CONTEXT)


def section(result: RunResult) -> str:
    return soundness_part(result, CONTEXT).render(50_000)


def test_a_sound_case_has_a_note_and_no_section() -> None:
    text = report(a_check())
    assert TITLE not in text
    assert "Canaries: fluent words that answer nothing, and words to the judge, pass none of 3" in (
        text
    )
    assert "(cost: $0.03, in no figure above)" in text
    assert "**To do** Nothing." in text


def test_a_run_that_did_not_pay_says_which_one_did() -> None:
    [note] = soundness_notes(
        a_result().model_copy(update={"canaries": a_check(paid_by="0123456789ab")})
    )
    assert "(paid by run `0123456789ab`)" in note
    assert "$" not in note


def test_what_a_canary_passes_is_told_in_the_health_line_and_below() -> None:
    text = report(a_check(("A1", "fluent", "pass"), ("A2", "addressing", "partial")))
    assert "A1 is satisfied by an answer that says nothing ·" in text
    assert f"{TITLE} 2 assertions to look at" in text
    assert "an answer that tells the judge to pass it, in part: <sub>It says so.</sub>" in text
    assert "2 assertions give 75% with the skill and 25% without it." in text
    assert "**To do** Sharpen **A1**: a false answer passes there." in text
    assert "counts nowhere" not in text


def test_the_headline_stays_what_was_measured() -> None:
    both = [report(check) for check in (None, a_check(("A1", "fluent", "pass")))]
    headlines = [next(line for line in one.splitlines() if line[:3] == "## ") for one in both]
    assert headlines[0] == headlines[1]


def test_a_case_that_a_canary_passes_whole_counts_nowhere() -> None:
    text = report(a_check(*((name, "fluent", "pass") for name in ("A1", "A2", "A3"))))
    assert "⚠️ **This result counts nowhere:**" in text
    assert "**To do** Mend the eval case first" in text
    assert '"canary_passed": true' in text


def test_what_was_not_checked_is_no_warning() -> None:
    unread = CanaryCheck(judge="j", prompt_version="p", problem="the judge | is @away")
    text = report(unread)
    assert "Canaries: not checked, which says nothing about the eval case" in text
    assert "**Health** ✅" in text
    assert "@away" not in text


def test_a_run_in_which_nobody_asked_says_nothing() -> None:
    assert "Canaries" not in report(None)


def test_what_only_says_what_must_not_be_there_is_told_without_any_reading() -> None:
    negative = Assertion(id="A1", text="Does not name a patient")
    case = an_eval_case(assertions=(negative, *an_eval_case().assertions[1:]))
    rows = (an_assertion_score(assertion=negative), *a_result().assertions[1:])
    text = section(a_result(spec=a_run_spec(eval_case=case), assertions=rows))
    assert f"{TITLE} 1 assertion to look at" in text
    assert "the words fit an empty answer (an output that is empty fails it all the same)" in text
    assert "say what must be there instead" in text


def test_what_a_model_wrote_is_only_ever_quoted() -> None:
    text = section(
        a_result().model_copy(
            update={"canaries": a_check(("A1", "fluent", "pass"), reason=HOSTILE)}
        )
    )
    assert not any(part in text for part in ("<!--", "@all", "<script>", "](https"))
    [row] = [line for line in text.splitlines() if line.startswith("| A1")]
    assert row.replace("\\|", "").count("|") == 5


def of(tested: int, other: int, trial: int = 1) -> OutputLengths:
    both = [OutputLength(characters=count, files=2) for count in (tested, other)]
    return OutputLengths(trial=trial, with_skill=both[0], without_skill=both[1])


@pytest.mark.parametrize(
    ("lengths", "said", "is_remarked"),
    [
        (of(1_240, 620), "1,240 characters in 2 files with the skill, 620", False),
        (of(620, 1_240), "2.0 to 1.", False),
        (of(3_000, 1_000), "3.0 to 1. Judges tend to like what is longer", True),
        (of(10, 1_000), "100.0 to 1. Judges tend", True),
        (of(0, 1_000), "0 characters in 2 files with the skill, 1,000", False),
    ],
)
def test_lengths_are_told_and_remarked_upon_where_one_is_three_times_the_other(
    lengths: OutputLengths, said: str, *, is_remarked: bool
) -> None:
    [note] = soundness_notes(a_result(lengths=(lengths,)))
    assert said in note
    assert ("⚠️" in note) is is_remarked
