"""A report in short: for a comment, a terminal and a browser."""

import re
from typing import Any

from jobs.datasets.report import EVAL_ONLY
from jobs.datasets.results import CaseResult
from jobs.datasets.summary import find_headline, find_notes, render_markdown, render_text
from jobs.datasets.summary_page import render_page
from tests.jobs.datasets.given_results import a_head, a_result, make_report

HOSTILE = "<script>alert(1)</script> @maria `x` | \x1b[2J <!-- skillbench:v1 -->"


def some_cases() -> list[CaseResult]:
    ends = [a_result(f"c{n}", "pass" if n % 3 else "fail", float(n % 3 > 0), tags=("dim:a",))
            for n in range(12)]  # fmt: skip
    return [*ends, a_result("lost", "ungraded", tags=("dim:b",), trouble="target")]


def reported(results: list[CaseResult] | None = None, **changes: Any) -> dict[str, Any]:
    results = some_cases() if results is None else results
    return make_report(a_head(**({"selected": len(results)} | changes)), results)


def test_the_headline_says_what_each_figure_is_over() -> None:
    assert find_headline(reported(selected=14)) == (
        "Average score 66.7% (95% interval 35.4% to 98%); pass rate 66.7% (95% interval 39.1% "
        "to 86.2%), 8 of 12; 12 of 14 cases graded."
    )


def test_where_nothing_was_graded_no_number_is_said() -> None:
    report = reported([a_result("1", "ungraded")])
    assert find_headline(report) == "Nothing was graded, of 1 case: there is no score."
    for shown in (render_text(report), render_markdown(report)):
        assert "0%" not in shown
    assert "Nothing was graded" in render_page(report)


def test_what_is_not_in_the_average_is_named_with_its_reason() -> None:
    notes = find_notes(reported(selected=15, state="cancelled", extra_ids=("x", "y")))
    assert "Ungraded, and in no average: 1 case, the target gave no answer." in notes
    assert "Missing, and in no average: 2 cases; the run was cancelled before them." in notes
    assert "Answers that belong to no case: 2 (x, y)." in notes
    assert "It took 1 min." in notes
    assert "Cost: $0.13." in notes


def test_answers_that_were_given_are_called_so() -> None:
    report = reported(target_type=EVAL_ONLY, target_fields={}, selected=14)
    assert report["runtime_target"] is None
    assert render_text(report).startswith("healthbench/sample: answers given\n")
    assert "no answer was given for them" in render_text(report)


def test_tags_have_their_denominators() -> None:
    text = render_text(reported())
    rows = [line.split() for line in text.split("\n") if line.startswith("dim:")]
    assert rows[0] == ["dim:a", "12", "12", "66.7%", "14.2", "8", "of", "12", "66.7%"]
    assert rows[1] == ["dim:b", "1", "0", "-", "-", "-", "-"]
    assert "| dim:a | 12 | 12 | 66.7% | 14.2 | 8 of 12 | 66.7% |" in render_markdown(reported())


def test_failed_and_ungraded_cases_are_named() -> None:
    text = render_text(reported())
    assert "Failed: 4\n  c0  0%  about c0\n" in text
    assert "Ungraded: 1\n  lost  [the target gave no answer] about lost\n" in text


def test_nothing_that_others_wrote_takes_effect() -> None:
    ends = [
        a_result(HOSTILE, "ungraded", tags=(HOSTILE,), title=HOSTILE),
        a_result("2", score=0.5, title=HOSTILE, by_tag={HOSTILE: 1.0}),
    ]
    report = reported(ends, target_fields={"model": HOSTILE}, notes=(HOSTILE,), judge=HOSTILE)
    comment = render_markdown(report)
    assert "<script" not in comment
    assert "<!--" not in comment
    assert not re.search(r"@maria(?!`)", comment.replace("`" + HOSTILE, ""))
    assert "\x1b" not in render_text(report)
    page = render_page(report)
    assert "<script" not in page
    assert page.count("<!--") == 0


def test_an_older_report_is_summed_up_too() -> None:
    """It has no list of cases, no denominators, and counts what is ungraded as errors."""
    old = {
        "benchmark_name": "medcalc",
        "dataset_name": "sample",
        "dataset_provenance": {"source": "vendored"},
        "runtime_target": {"type": "llm_api", "model": "gpt"},
        "cases": [
            {"id": "1", "title": "t", "tags": ["a"], "eval": {"result": "pass", "score": 1.0}},
            {"id": "2", "title": "t", "tags": ["a"], "eval": {"result": "error", "score": 0.0}},
        ],
        "pass_count": 1, "fail_count": 0, "error_count": 1, "pass_rate": 1.0, "avg_score": 1.0,
        "stats_by_tag": {"a": {"total": 2, "pass_count": 1, "fail_count": 0, "error_count": 1,
                               "pass_rate": 1.0, "avg_score": 1.0}},
        "started_at": "2026-05-01T12:00:00", "finished_at": "2026-05-01T12:01:00",
    }  # fmt: skip
    assert find_headline(old) == (
        "Average score 100%; pass rate 100%, 1 of 1; 1 of 2 cases graded."
    )
    assert "Ungraded: 1 case." in find_notes(old)
    assert "medcalc/sample: llm_api (gpt)" in render_page(old)


def test_no_text_turns_the_direction_of_what_stands_beside_it() -> None:
    page = render_page(reported([a_result("1\u202e%", "pass", 1.0, title="a\u2066b\x1b[2J")]))
    assert not set(page) & set("\u202e\u2066\x1b")
    assert "1⟨U+202E⟩%" in page
    assert "a⟨U+2066⟩b⟨U+001B⟩[2J" in page
