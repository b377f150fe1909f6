"""The report of a run as JSON: the fields that existing tools read, and what they lacked.

Beside those stand the dataset's digest, standard errors, denominators, what went ungraded and
why, and what everything used. A figure that nothing was measured for is `null`.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from jobs.datasets.figures import (
    Figures,
    find_by_criterion,
    find_by_tag,
    find_cost,
    find_figures,
    find_spending,
    find_troubles,
)
from jobs.datasets.report_cases import render_case, render_usage
from jobs.datasets.results import CaseResult
from jobs.requests import Value

REPORT_VERSION = 1
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
LONGEST_LABEL = 80


class RunHead(Value):
    """What a report says of the run as a whole."""

    benchmark: str
    dataset: str
    digest: str
    """SHA-256 of the dataset's file."""
    source: str
    """Where the dataset was read from."""
    target_type: str
    target_fields: dict[str, Any]
    """As typed and as the suite sets them; a case's own values stand with the case."""
    judge: str
    """As asked for; empty: each case's own, or the configured one."""
    user_model: str = ""
    max_concurrency: int
    """0: as many as the provider lets through."""
    started_at: datetime
    ended_at: datetime
    selected: int
    """Cases that were to be run."""
    state: str = "complete"
    """`complete`, or `cancelled` where some were not run."""


def make_report(head: RunHead, results: Sequence[CaseResult]) -> dict[str, Any]:
    """The whole report. `results` are in the order of the dataset."""
    whole = find_figures(results)
    cost = find_cost(results)
    return {
        "version": REPORT_VERSION,
        "benchmark_name": head.benchmark,
        "dataset_name": head.dataset,
        "dataset_provenance": {"source": head.source, "sha256": head.digest},
        "runtime_target": {"type": head.target_type, **head.target_fields},
        "max_concurrency": head.max_concurrency,
        "state": head.state,
        "selected_count": head.selected,
        "cases": [render_case(one) for one in results],
        "pass_count": whole.passed,
        "fail_count": whole.failed,
        "scored_count": whole.graded - whole.passed - whole.failed,
        "error_count": whole.ungraded,
        "ungraded_count": whole.ungraded,
        "graded_count": whole.graded,
        "ungraded_because": find_troubles(results),
        "pass_rate": whole.pass_rate,
        "pass_rate_interval": _pair(whole.pass_interval),
        "avg_score": whole.average,
        "standard_error": whole.standard_error,
        "avg_score_interval": _pair(whole.interval),
        "total_duration_seconds": sum(one.seconds for one in results),
        "wall_seconds": (head.ended_at - head.started_at).total_seconds(),
        "cost_usd": None if cost is None else float(cost),
        "usage": {
            part: render_usage(spent.usage) | {"cases": spent.cases, "unknown_cases": spent.unknown}
            for part, spent in find_spending(results).items()
        },
        "judges": sorted({one.judge for one in results if one.judge}),
        "judge_asked": head.judge or None,
        "user_model": head.user_model or None,
        "stats_by_tag": {tag: _render(one) for tag, one in find_by_tag(results).items()},
        "stats_by_criterion_tag": {
            tag: {
                "cases": one.cases,
                "avg_score": one.average,
                "standard_error": one.standard_error,
            }
            for tag, one in find_by_criterion(results).items()
        },
        "started_at": head.started_at.isoformat(),
        "finished_at": head.ended_at.isoformat(),
    }


def file_name(head: RunHead) -> str:
    """`<dataset>_<target>_<time>.json`; nothing that a model's name holds leads elsewhere."""
    label = "_".join(
        part
        for part in (
            head.target_type,
            str(head.target_fields.get("model") or ""),
            str(head.target_fields.get("agent") or ""),
        )
        if part
    )
    label = _UNSAFE.sub("-", label)[:LONGEST_LABEL].strip("-.")
    # down to the microsecond, so that two runs of one second keep their reports
    return f"{head.dataset}_{label or 'target'}_{head.started_at:%Y%m%d_%H%M%S_%f}.json"


def _render(one: Figures) -> dict[str, Any]:
    return {
        "total": one.total,
        "graded": one.graded,
        "pass_count": one.passed,
        "fail_count": one.failed,
        "error_count": one.ungraded,
        "pass_rate": one.pass_rate,
        "avg_score": one.average,
        "standard_error": one.standard_error,
    }


def _pair(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else list(interval)
