"""The report tells how steady its judge is, what it could not verify, and whose kind it is."""

from collections.abc import Sequence

from jobs.judging.agreement import find_agreement
from jobs.judging.score import score_arms
from jobs.readings import JudgeAgreement
from jobs.reporting.context import ReportContext
from jobs.reporting.judges import judge_notes, render_agreement, warn_of_judge
from jobs.reporting.report import render_report
from jobs.results import RunResult
from jobs.values import VerdictWord
from tests.builders import (
    a_model,
    a_pass,
    a_result,
    a_run_spec,
    a_verdict,
    an_assertion_score,
    an_eval_case,
    some_assertions,
)

CONTEXT = ReportContext()


def a_scored(
    *rows: tuple[Sequence[VerdictWord], Sequence[VerdictWord]], reason: str = "It needs the shop."
) -> RunResult:
    """A run with these verdicts of both readings, with the skill and without it."""
    assertions = some_assertions(len(rows))
    scored = []
    for one, (having, lacking) in zip(assertions, rows, strict=True):
        row = an_assertion_score(one, having, lacking)
        told = {
            arm: tuple(
                said.model_copy(update={"reason": reason, "evidence": reason, "quote_found": False})
                if said.verdict == "cannot_verify"
                else said
                for said in getattr(row, arm)
            )
            for arm in ("with_skill", "without_skill")
        }
        scored.append(row.model_copy(update=told))
    scores = score_arms(scored)
    assert scores is not None
    return a_result(
        spec=a_run_spec(eval_case=an_eval_case(assertions=assertions)),
        assertions=tuple(scored),
        with_skill=scores[0],
        without_skill=scores[1],
    )


UNSURE = a_scored(
    (("pass", "pass"), ("fail", "fail")),
    (("cannot_verify", "cannot_verify"), ("pass", "pass")),
    (("pass", "pass"), ("cannot_verify", "fail")),
)


def test_agreement_and_bias_are_told_with_their_counts() -> None:
    agreement = JudgeAgreement(pairs={"pass/pass": 6, "fail/fail": 4, "pass/fail": 2})
    assert render_agreement(agreement) == (
        "agree on 10 of 12 verdicts (83.3%, kappa 0.67); standing first was worth +16.7 points: "
        "better in 2 and worse in 0 of 12"
    )


def test_kappa_is_left_out_where_it_has_no_value() -> None:
    assert render_agreement(JudgeAgreement(pairs={"pass/pass": 3})) == (
        "agree on 3 of 3 verdicts (100%); standing first was worth 0 points: better in 0 and "
        "worse in 0 of 3"
    )


def test_the_notes_on_the_judging_tell_the_agreement() -> None:
    passes = (a_pass(1), a_pass(2, (("pass", "pass"), ("pass", "pass"), ("partial", "partial"))))
    result = a_result(passes=passes, agreement=find_agreement(passes))
    assert "Readings in both orders agree on 5 of 6 verdicts" in render_report(result, CONTEXT)


def test_an_older_result_without_agreement_tells_none() -> None:
    assert "Readings in both orders" not in render_report(a_result(), CONTEXT)


def test_what_could_not_be_verified_stands_in_the_table_and_the_notes_with_its_reason() -> None:
    report = render_report(UNSURE, CONTEXT)
    assert "❔ cannot verify: It needs the shop." in report
    assert "| Could not be verified, counts for neither | 1.5 | 1.5 |" in report
    notes = judge_notes(UNSURE)
    assert (
        "Could not be verified: A2 with the skill, so it counts for neither: It needs the shop."
        in notes
    )
    assert (
        "Could not be verified: A3 without it in 1 of 2 readings, so there it counts for neither: "
        "It needs the shop." in notes
    )
    assert "quotation not found" not in report


def test_health_warns_of_what_could_not_be_verified() -> None:
    assert warn_of_judge(UNSURE) == ["2 assertions could not be verified in every reading"]
    assert "2 assertions could not be verified" in render_report(UNSURE, CONTEXT)
    assert warn_of_judge(a_result()) == []


def test_the_verdict_does_not_call_the_same_what_nobody_could_verify() -> None:
    """Of A3 one reading counts."""
    report = render_report(UNSURE, CONTEXT)
    assert "better on 2 (**A1**, **A3**), worse on 0, the same on 0" in report
    assert "not to be verified on 1 (**A2**)" in report


def test_a_lead_that_rests_on_what_could_not_be_verified_is_told() -> None:
    turned = a_scored(
        (("pass", "pass"), ("fail", "fail")),
        *[(("cannot_verify", "cannot_verify"), ("pass", "pass"))] * 2,
    )
    assert turned.difference == 1
    assert warn_of_judge(turned) == [
        "2 assertions could not be verified, which may have turned the result"
    ]
    assert any("the difference would be -33.3 points" in note for note in judge_notes(turned))


def test_what_nobody_could_verify_is_no_difference() -> None:
    report = render_report(
        a_scored(
            (("pass", "pass"), ("pass", "pass")),
            (("cannot_verify", "cannot_verify"), ("fail", "fail")),
        ),
        CONTEXT,
    )
    assert report.startswith("## ⚪ Same with and without the skill: 100% and 100%")


def test_a_judge_cannot_write_markup_or_name_its_candidates_in_a_reason() -> None:
    result = a_scored(
        (("pass", "pass"), ("fail", "fail")),
        (("cannot_verify", "cannot_verify"), ("pass", "pass")),
        reason="[x](http://a.b) @acme of candidate_1, unlike candidate_2.",
    )
    (note, *_) = judge_notes(result)
    assert "](http" not in note
    assert "@acme" not in note
    assert "candidate" not in note
    assert "this output" in note


def test_a_judge_of_the_same_family_is_told_and_of_another_is_not() -> None:
    assert "one family (Claude)" in render_report(a_result(), CONTEXT)
    other = a_model(sent="gpt-5.2", identity="gpt52", provider="openai")
    assert "one family" not in render_report(a_result(spec=a_run_spec(model=other)), CONTEXT)


def test_a_quotation_that_is_not_in_the_output_is_shown_as_such():
    row = an_assertion_score().model_copy(
        update={"with_skill": (a_verdict(quote_found=False), a_verdict())}
    )
    report = render_report(a_result(assertions=(row,)), CONTEXT)
    assert "1 of 2 quotations found" in report
    assert "⚠️ quotation not found in the output" in report
