"""What a report says of one eval case and, in one line, of the set that it belongs to."""

import pytest

from jobs.reporting.conclusion import conclude
from jobs.reporting.context import ReportContext
from jobs.reporting.report import render_report
from jobs.reporting.verdict import render_verdict
from jobs.results import RunResult
from jobs.scores import AssertionScore
from jobs.values import VerdictWord
from tests.builders import a_result, an_assertion_score, an_ungraded_result, some_assertions

PASS: tuple[VerdictWord, ...] = ("pass", "pass")
FAIL: tuple[VerdictWord, ...] = ("fail", "fail")


def rows(*pairs: tuple[tuple[VerdictWord, ...], tuple[VerdictWord, ...]]) -> RunResult:
    assertions = some_assertions(len(pairs))
    scored: tuple[AssertionScore, ...] = tuple(
        an_assertion_score(assertion, having, lacking)
        for assertion, (having, lacking) in zip(assertions, pairs, strict=True)
    )
    return a_result(assertions=scored)


def verdict(result: RunResult) -> str:
    conclusion = conclude(result)
    assert conclusion is not None
    return render_verdict(result, conclusion)


def test_what_is_better_worse_and_the_same_is_counted_and_named() -> None:
    text = verdict(rows((PASS, FAIL), (PASS, FAIL), (FAIL, PASS), (PASS, PASS)))
    assert (
        "Of 4 assertions, better on 2 (**A1**, **A2**), worse on 1 (**A3**), the same on 1." in text
    )
    assert text.endswith("*One eval case, 1 trial: an observation, not a proof.*")


def test_of_very_many_assertions_ten_are_named() -> None:
    assert "better on 14 (**A1**, **A2**," in verdict(rows(*[(PASS, FAIL)] * 14))
    assert "**A10**, 4 more), worse on 0, the same on 0." in verdict(rows(*[(PASS, FAIL)] * 14))


@pytest.mark.parametrize("result", [a_result(), rows((PASS, FAIL)), rows((FAIL, PASS))])
def test_one_eval_case_is_never_called_significant(result: RunResult) -> None:
    assert "significan" not in render_report(result, ReportContext())
    assert "confiden" not in render_report(result, ReportContext())


def test_the_set_is_told_above_the_scorecard_where_there_is_one() -> None:
    line = "**With this, the skill's set** on `m`: 🟢 **helps**"
    report = render_report(a_result(), ReportContext(set_line=line))
    assert report.index("**Health**") < report.index(line) < report.index("### Scorecard")
    assert "skill's set" not in render_report(a_result(), ReportContext())
    assert line not in render_report(an_ungraded_result(), ReportContext(set_line=line))
