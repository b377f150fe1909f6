"""How much of a report stands open: the repository's wish, never its decision."""

import pytest

from jobs.reporting.context import ReportContext
from jobs.reporting.fit import CAP
from jobs.reporting.report import render_report
from jobs.reporting.verbosity import Verbosity
from tests.builders import a_result


def report(verbosity: Verbosity) -> str:
    return render_report(a_result(), ReportContext(verbosity=verbosity))


def test_a_short_report_folds_all_but_the_decision():
    text = report("short")
    fold = text.index("<summary>Scorecard and verdict</summary>")
    assert text.index("## ") < fold < text.index("### Scorecard") < text.index("### Verdict")
    assert text.count("<details>") == report("normal").count("<details>") + 1
    assert text.count("<details>") == text.count("</details>")


def test_a_full_report_leaves_everything_open():
    text = report("full")
    assert "<details>" not in text
    assert text.count("<details open>") == report("normal").count("<details>")
    assert text.replace("<details open>", "<details>") == report("normal")


@pytest.mark.parametrize("verbosity", ["short", "normal", "full"])
def test_every_report_says_the_same_and_keeps_its_markers(verbosity: Verbosity):
    text = report(verbosity)
    assert text.startswith(report("normal").partition("\n")[0])
    assert text.rstrip().endswith("-->")
    assert len(text.encode()) <= CAP
