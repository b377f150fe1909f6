"""Ends of cases, for tests of figures and reports."""

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from jobs.datasets.dialogue import Dialogue
from jobs.datasets.grades import Grade, Outcome
from jobs.datasets.report import RunHead, render_figures, render_head
from jobs.datasets.report_cases import render_case
from jobs.datasets.results import CaseResult
from jobs.values import Usage
from tests.jobs.datasets.given import NOON, said


def make_report(head: RunHead, results: Sequence[CaseResult]) -> dict[str, Any]:
    """The whole report, which a run only ever writes case by case."""
    return {
        **render_head(head),
        "cases": [render_case(one) for one in results],
        **render_figures(head, results),
    }


def a_result(
    name: str,
    outcome: Outcome = "scored",
    score: float | None = None,
    *,
    tags: Sequence[str] = (),
    dialogue: Dialogue | None = None,
    **changes: Any,
) -> CaseResult:
    """A case that took two seconds; ungraded, it is the judge's fault."""
    graded = {"raw_score": changes.pop("raw_score", None), "by_tag": changes.pop("by_tag", {})}
    values: dict[str, Any] = {
        "id": name,
        "title": f"case {name}",
        "tags": tuple(tags),
        "user_type": "manual",
        "evaluator": "exact",
        "target_type": "llm_api",
        "dialogue": said(("a question", "an answer")) if dialogue is None else dialogue,
        "grade": Grade(outcome=outcome, score=score, feedback=f"about {name}", **graded),
        "trouble": "judge" if outcome == "ungraded" else None,
        "started_at": NOON,
        "ended_at": NOON + timedelta(seconds=2),
        "target_usage": Usage(
            requests=1, input_tokens=10, output_tokens=5, cost_usd=Decimal("0.01")
        ),
    }
    return CaseResult.model_validate(values | changes)


def a_head(**changes: Any) -> RunHead:
    values: dict[str, Any] = {
        "benchmark": "healthbench",
        "dataset": "sample",
        "digest": "ab" * 32,
        "source": "folder",
        "target_type": "llm_api",
        "target_fields": {"model": "claude-sonnet"},
        "judge": "",
        "max_concurrency": 4,
        "started_at": NOON,
        "ended_at": NOON + timedelta(minutes=1),
        "selected": 1,
    }
    return RunHead.model_validate(values | changes)


async def one_by_one(results: Sequence[CaseResult]) -> AsyncIterator[CaseResult]:
    for one in results:
        yield one
