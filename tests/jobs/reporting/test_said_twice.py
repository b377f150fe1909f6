"""What the judge says twice stands in the report once."""

from jobs.reporting.context import ReportContext
from jobs.reporting.report import render_report
from tests.builders import a_pass, a_result, a_verdict


def test_what_both_readings_observe_is_said_once_and_its_opposite_is_kept():
    first = a_pass(1, observations=("candidate_1 is tidier.", "candidate_2 is longer."))
    second = a_pass(2, observations=("Candidate 2 is  tidier", "candidate_1 is not longer."))
    report = render_report(a_result(passes=(first, second)), ReportContext())
    observed = report.partition("### Observations")[2].partition("<details>")[0]
    assert observed.count("is tidier") == 1
    assert observed.count("longer") == 2


def test_a_reason_that_repeats_the_evidence_is_said_once():
    verdict = a_verdict(evidence="At most 50% stand together", reason="At most 50% stand together.")
    other = verdict.model_copy(update={"reason": "That is what was asked."})
    result = a_result()
    rows = [
        row.model_copy(update={"with_skill": (one,)})
        for row, one in zip(result.assertions, (verdict, other), strict=False)
    ]
    report = render_report(
        result.model_copy(update={"assertions": (*rows, *result.assertions[2:])}), ReportContext()
    )
    assert report.count("At most 50% stand together") == 2
    assert "That is what was asked" in report
