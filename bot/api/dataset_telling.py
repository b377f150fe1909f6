"""Makes what the API tells of runs of datasets from what is kept of them."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from bot.api.dataset_values import (
    CaseFinding,
    CriterionFigures,
    DatasetCaseRow,
    DatasetComparison,
    DatasetFigures,
    DatasetRun,
    DatasetSuite,
    Reach,
    RunSetup,
    TagFigures,
)
from bot.web.asking import Suite
from bot.web.findings import find_findings
from bot.web.runs import RunView
from jobs.datasets.plan import RunPlan
from jobs.datasets.report_cases import RESULT_WORDS
from jobs.datasets.results import CaseResult
from jobs.datasets.summary import find_headline, find_notes

_OUTCOMES = {word: outcome for outcome, word in RESULT_WORDS.items()}
"""Results that reports call otherwise."""


def tell_suite(suite: Suite) -> DatasetSuite:
    return DatasetSuite(
        benchmark=suite.name,
        description=suite.description,
        datasets=suite.datasets,
        targets=suite.targets,
        problem=suite.problem,
    )


def tell_run(run: RunView) -> DatasetRun:
    """A run as a row; what nobody has counted is null and no zero."""
    counts = {
        name: getattr(run, name) if run.is_counted else None
        for name in ("done", "graded", "passed", "failed", "ungraded")
    }
    return DatasetRun(
        run=run.run_id,
        benchmark=run.benchmark,
        dataset=run.dataset,
        target=run.target,
        asker=run.asker,
        started_at=run.started_at,
        state=run.state,
        total=run.total or None,
        **counts,
        average=run.average,
        pass_rate=run.pass_rate,
        cost_usd=tell_money(run.cost_usd),
        is_cost_partial=run.is_cost_partial,
    )


def tell_setup(plan: RunPlan) -> RunSetup:
    return RunSetup(
        source=plan.source,
        sha256=plan.digest,
        fields=plan.typed,
        parallel=plan.parallel,
        judge=plan.judge,
        user_model=plan.user_model,
        max_usd=tell_money(plan.max_usd),
        again_of=plan.again_of,
    )


def tell_figures(report: Mapping[str, Any]) -> DatasetFigures:
    """What a report without cases holds."""
    return DatasetFigures(
        headline=find_headline(report),
        notes=tuple(find_notes(report)),
        average_interval=_tell_reach(report["avg_score_interval"]),
        standard_error=report["standard_error"],
        pass_rate_interval=_tell_reach(report["pass_rate_interval"]),
        missing=report["missing_count"],
        ungraded_because=report["ungraded_because"],
        judges=tuple(report["judges"]),
        by_tag=tuple(_tell_tag(tag, one) for tag, one in report["stats_by_tag"].items()),
        by_criterion=tuple(
            CriterionFigures(
                tag=tag,
                cases=one["cases"],
                average=one["avg_score"],
                standard_error=one["standard_error"],
            )
            for tag, one in report["stats_by_criterion_tag"].items()
        ),
        ended_at=report["finished_at"],
        seconds=report["wall_seconds"],
    )


def _tell_tag(tag: str, one: Mapping[str, Any]) -> TagFigures:
    return TagFigures(
        tag=tag,
        cases=one["total"],
        graded=one["graded"],
        passed=one["pass_count"],
        failed=one["fail_count"],
        average=one["avg_score"],
        standard_error=one["standard_error"],
        pass_rate=one["pass_rate"],
    )


def tell_comparison(found: Mapping[str, Any]) -> DatasetComparison:
    """What the process that compares has written."""
    rows = [one | {"interval": _tell_reach(one["interval"])} for one in found["differences"]]
    told = {name: found[name] for name in DatasetComparison.model_fields}
    return DatasetComparison.model_validate(told | {"differences": rows})


def tell_line(line: Mapping[str, Any]) -> DatasetCaseRow:
    """A case that has ended, from its line in a report."""
    rest = {name: value for name, value in line.items() if name != "result"}
    return DatasetCaseRow(outcome=_OUTCOMES.get(line["result"], line["result"]), **rest)


def tell_findings(case: CaseResult) -> tuple[CaseFinding, ...]:
    return tuple(CaseFinding(**one._asdict()) for one in find_findings(case))


def _tell_reach(ends: Sequence[float] | None) -> Reach | None:
    return None if ends is None else Reach(low=ends[0], high=ends[1])


def tell_money(usd: Decimal | float | None) -> float | None:
    return None if usd is None else float(usd)
