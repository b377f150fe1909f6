"""Grades what was said elsewhere or before: saved dialogues once more, and answers given.

No target is asked. What cannot be read is ungraded; nothing that was not handed in counts as wrong.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from jobs.datasets.case_run import CaseSpec, CaseWorld, grade_answers
from jobs.datasets.dialogue import Dialogue
from jobs.datasets.grades import Grade
from jobs.datasets.kept_grades import KeptGrades
from jobs.datasets.loading import Dataset
from jobs.datasets.report import EVAL_ONLY, RunHead
from jobs.datasets.results import CaseResult
from jobs.datasets.saved import Given, Saved
from jobs.evaluators.registry import judge_of
from jobs.ports import Clock
from jobs.targets.target import TargetFields
from jobs.values import Model, Usage

AT_ONCE = 8
"""Cases that are graded together where nobody says."""


def judges_of(given: Given, asked: str, default: str) -> list[str]:
    """The judges that grading needs, each once: resolve them first."""
    named = dict.fromkeys(_judge_of(one, asked, default) for one in given.saved)
    return [name for name in named if name]


def _judge_of(one: Saved, asked: str, default: str) -> str:
    return judge_of(one.case.eval, asked, default)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grader:
    """Grades dialogues with judges that are resolved already."""

    world: CaseWorld
    models: Mapping[str, Model]
    """By the name that was asked for."""
    asked: str
    """The judge for all cases; empty: each case's own, else `default`."""
    default: str
    kept: KeptGrades
    target_type: str = EVAL_ONLY
    at_once: int = AT_ONCE

    async def grade(self, given: Given) -> AsyncIterator[CaseResult]:
        """Each case graded, in order, a few at once. Cancelled, it stops those under way."""
        waiting: list[asyncio.Task[CaseResult]] = []
        rest = iter(given.saved)
        try:
            while True:
                while len(waiting) < max(1, self.at_once) and (one := next(rest, None)):
                    waiting.append(asyncio.create_task(self._grade(one)))
                if not waiting:
                    return
                yield await waiting[0]
                waiting.pop(0)
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    async def forget(self, given: Given) -> None:
        """Forget what was kept of these grades, once the report that holds them is written."""
        await self.kept.forget((one, self._judge(one)) for one in given.saved)

    async def _grade(self, one: Saved) -> CaseResult:
        spec = CaseSpec(
            case=one.case,
            target_type=self.target_type,
            fields=TargetFields(),
            judge=self.models.get(_judge_of(one, self.asked, self.default)),
            user_model=None,
        )
        if one.problem:
            return _ungraded(spec, one, self.world.clock())
        judge = self._judge(one)
        if (kept := await self.kept.get(one, judge)) is not None:
            return kept
        graded = await grade_answers(spec, one.turns, self.world)
        # what the target used then is no cost of grading now
        graded = graded.model_copy(update={"target_usage": Usage(cost_usd=Decimal(0))})
        await self.kept.put(one, judge, graded)
        return graded

    def _judge(self, one: Saved) -> str:
        """Who judges a dialogue, as it is sent; empty where nobody is asked."""
        model = self.models.get(_judge_of(one, self.asked, self.default))
        return model.sent if model else ""


def _ungraded(spec: CaseSpec, one: Saved, now: datetime) -> CaseResult:
    case = one.case
    return CaseResult(
        id=case.id,
        title=case.title,
        tags=case.tags,
        user_type=case.user.type,
        evaluator=case.evaluator,
        target_type=spec.target_type,
        eval_fields=case.evaluator_fields,
        dialogue=Dialogue(turns=one.turns),
        grade=Grade(outcome="ungraded", feedback=one.problem),
        trouble="target",
        started_at=now,
        ended_at=now,
    )


def head_of_regraded(  # noqa: PLR0913 -- each by its name
    report: Mapping[str, Any],
    given: Given,
    dataset: Dataset | None,
    *,
    name: str,
    judge: str,
    at_once: int = AT_ONCE,
    clock: Clock,
    started_at: datetime,
) -> RunHead:
    """The head of the report on dialogues that were judged again; `name` is the old report's."""
    target = report.get("runtime_target")
    fields = dict(target) if isinstance(target, dict) else {}
    provenance = report.get("dataset_provenance")
    kept = provenance if isinstance(provenance, dict) else {}
    return RunHead(
        benchmark=str(report.get("benchmark_name")),
        dataset=str(report.get("dataset_name")),
        digest=dataset.digest if dataset is not None else str(kept.get("sha256") or ""),
        source=dataset.source if dataset is not None else str(kept.get("source") or "unknown"),
        target_type=str(fields.pop("type", "") or EVAL_ONLY),
        target_fields=fields,
        judge=judge,
        user_model=str(report.get("user_model") or ""),
        max_concurrency=at_once,
        started_at=started_at,
        ended_at=clock(),
        selected=len(given.saved),
        regraded_from=name,
        extra_ids=given.extra,
        notes=given.notes,
    )


def head_of_given(  # noqa: PLR0913 -- each by its name
    given: Given,
    dataset: Dataset,
    *,
    judge: str,
    at_once: int = AT_ONCE,
    clock: Clock,
    started_at: datetime,
) -> RunHead:
    """The head of the report on answers that came from elsewhere."""
    return RunHead(
        benchmark=dataset.benchmark,
        dataset=dataset.name,
        digest=dataset.digest,
        source=dataset.source,
        target_type=EVAL_ONLY,
        target_fields={},
        judge=judge,
        max_concurrency=at_once,
        started_at=started_at,
        ended_at=clock(),
        selected=len(given.saved) + len(given.missing),
        missing_ids=given.missing,
        extra_ids=given.extra,
        notes=given.notes,
    )
