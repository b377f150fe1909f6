"""The report of a run as JSON: the fields that existing tools read, and what they lacked.

Beside those stand the dataset's digest, standard errors, denominators, what went ungraded and
why, and what everything used. A figure that nothing was measured for is `null`. It is written
case by case, so that a dialogue is held only while its own case is written.
"""

import json
import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from jobs.datasets.dialogue import Dialogue, Reply, Said, Turn
from jobs.datasets.figures import (
    Figures,
    find_by_criterion,
    find_by_tag,
    find_cost,
    find_figures,
    find_spending,
    find_troubles,
)
from jobs.datasets.report_cases import RESULT_WORDS, render_usage
from jobs.datasets.results import CaseResult
from jobs.requests import Value

REPORT_VERSION = 1
EVAL_ONLY = "eval-only"
"""What stands for a target where the answers came from elsewhere."""
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
LONGEST_LABEL = 80
LONGEST_FEEDBACK = LONGEST_TITLE = 300
"""Characters of a case's feedback and title in the list of cases."""
_SILENT = Turn(said=Said(text=""), said_at=datetime.min.replace(tzinfo=UTC), reply=Reply(text=""))
"""Stands for turns of which only matters that there were some."""


class RunHead(Value):
    """What a report says of the run as a whole."""

    run_id: str = ""
    """Of the run that is stored; empty where nothing is."""
    benchmark: str
    dataset: str
    digest: str
    """SHA-256 of the dataset's file; empty where the file was not at hand."""
    source: str
    """Where the dataset was read from."""
    target_type: str
    """`eval-only` where the answers came from elsewhere."""
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
    """`complete`, or why some cases were not run: `cancelled`, `out_of_money` …"""
    regraded_from: str = ""
    """The report whose dialogues were judged again; empty: the dialogues are the run's own."""
    missing_ids: tuple[str, ...] = ()
    """Cases that no answer was given for."""
    extra_ids: tuple[str, ...] = ()
    """Answers that belong to no case."""
    notes: tuple[str, ...] = ()
    """What a reader must know beside the figures, in sentences."""


def render_head(head: RunHead) -> dict[str, Any]:
    """What is known before the first case."""
    is_run = head.target_type != EVAL_ONLY
    return {
        "version": REPORT_VERSION,
        "run_id": head.run_id or None,
        "benchmark_name": head.benchmark,
        "dataset_name": head.dataset,
        "dataset_provenance": {
            "source": head.source,
            "sha256": head.digest or None,
            **({"regraded_from": head.regraded_from} if head.regraded_from else {}),
        },
        "runtime_target": {"type": head.target_type, **head.target_fields} if is_run else None,
        "max_concurrency": head.max_concurrency,
    }


def render_figures(head: RunHead, results: Sequence[CaseResult]) -> dict[str, Any]:
    """What all cases came to; they may be `slim`."""
    whole = find_figures(results)
    cost = find_cost(results)
    return {
        "pass_count": whole.passed,
        "fail_count": whole.failed,
        "scored_count": whole.graded - whole.passed - whole.failed,
        "error_count": whole.ungraded,
        "ungraded_count": whole.ungraded,
        "graded_count": whole.graded,
        "selected_count": head.selected,
        "missing_count": head.selected - whole.total,
        "missing_ids": list(head.missing_ids),
        "extra_ids": list(head.extra_ids),
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
        "state": head.state,
        "notes": list(head.notes),
        "started_at": head.started_at.isoformat(),
        "finished_at": head.ended_at.isoformat(),
    }


def slim(one: CaseResult) -> CaseResult:
    """The case without what was said and found in it: all that figures are made of."""
    dialogue = Dialogue(turns=(_SILENT,) if one.dialogue.replies else ())
    return one.model_copy(
        update={
            "title": one.title[:LONGEST_TITLE],
            "dialogue": dialogue,
            "history": (),
            "target_fields": {},
            "eval_fields": {},
            "grade": one.grade.model_copy(
                update={"detail": {}, "feedback": one.grade.feedback[:LONGEST_FEEDBACK]}
            ),
        }
    )


def render_line(one: CaseResult) -> dict[str, Any]:
    """A case as a list of cases shows it."""
    return {
        "id": one.id,
        "title": one.title[:LONGEST_TITLE],
        "result": RESULT_WORDS.get(one.grade.outcome, one.grade.outcome),
        "score": one.grade.averaged,
        "trouble": one.trouble,
        "feedback": one.grade.feedback[:LONGEST_FEEDBACK],
        "tags": list(one.tags),
        "seconds": one.seconds,
        "cost_usd": None if one.cost_usd is None else float(one.cost_usd),
    }


def file_name(head: RunHead) -> str:
    """`<dataset>_<target>_<time>.json`; nothing that a model's name holds leads elsewhere."""
    fields = head.target_fields
    parts = [head.target_type, *(str(fields.get(name) or "") for name in ("model", "agent"))]
    if fields.get("top_k"):
        parts.append(f"k{fields['top_k']}")
    label = "_".join(part for part in parts if part)
    label = _UNSAFE.sub("-", label)[:LONGEST_LABEL].strip("-.")
    # down to the microsecond, so that two runs of one second keep their reports
    return f"{safe_name(head.dataset)}_{label or 'target'}_{head.started_at:%Y%m%d_%H%M%S_%f}.json"


def safe_name(name: str) -> str:
    """A name as a part of a path; one that a foreign report holds leads nowhere else either."""
    return _UNSAFE.sub("-", name)[:LONGEST_LABEL].strip("-.") or "unnamed"


def dump(value: object, *, indent: int | None = 2) -> str:
    """A value as JSON with non-ASCII kept; what is no JSON number becomes `null`."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, allow_nan=False, indent=indent)


def _finite(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return value


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
