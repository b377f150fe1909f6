"""The end of a run: its report, and what is remembered for the runs after it."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from jobs.datasets.keeping import DatasetKeeping, PastRun
from jobs.datasets.live import LiveState
from jobs.datasets.ready import Ready
from jobs.datasets.report import RunHead
from jobs.datasets.report_files import store_report, write_report
from jobs.datasets.results import CaseResult
from jobs.ports import Clock
from jobs.reporting import numbers


@dataclass(slots=True)
class _Taken:
    """What the cases of this very run took."""

    cases: int = 0
    usd: Decimal = Decimal(0)
    most_usd: Decimal = Decimal(0)
    seconds: float = 0.0

    def add(self, result: CaseResult) -> None:
        cost = result.cost_usd
        if cost is None or not result.usages:
            return
        self.cases += 1
        self.usd += cost
        self.most_usd = max(self.most_usd, cost)
        self.seconds += result.seconds


@dataclass(frozen=True, slots=True)
class Finisher:
    """Ends a run; doing it twice has the effect of doing it once."""

    ready: Ready
    keeping: DatasetKeeping
    clock: Clock
    taken: _Taken = field(default_factory=_Taken)

    async def finish(self, path: Path, state: LiveState) -> dict[str, Any]:
        """Write the report to `path`, store it, and give its summary.

        Raises `OSError` where the disk fails, `Transient` where the store does.
        """
        plan = self.ready.plan
        summary = await write_report(path, self._make_head(state), self._cases())
        await store_report(self.keeping.blobs, plan.run_id, path, summary)
        if self.taken.cases:
            past = PastRun(
                cases=self.taken.cases,
                usd=self.taken.usd,
                most_usd=self.taken.most_usd,
                seconds=self.taken.seconds,
            )
            await self.keeping.put_past(self.ready.past_key, past)
        await self.keeping.put_state(plan.run_id, state)
        return summary

    async def _cases(self) -> AsyncIterator[CaseResult]:
        async for one in self.keeping.cases(self.ready.plan):
            self.taken.add(one)
            yield one

    def _make_head(self, state: LiveState) -> RunHead:
        plan = self.ready.plan
        return RunHead(
            run_id=plan.run_id,
            benchmark=plan.benchmark,
            dataset=plan.dataset,
            digest=plan.digest,
            source=plan.source,
            target_type=plan.target_type,
            target_fields=self._common_fields(),
            judge=plan.judge,
            user_model=plan.user_model,
            max_concurrency=plan.parallel,
            started_at=plan.started_at,
            ended_at=self.clock(),
            selected=len(plan.cases),
            state=state,
            notes=tuple(make_notes(self.ready, state)),
        )

    def _common_fields(self) -> dict[str, Any]:
        """The target's fields that are the same for every case."""
        rendered = [
            spec.fields.model_dump(mode="json", exclude_none=True) for spec in self.ready.specs
        ]
        return {
            name: value
            for name, value in rendered[0].items()
            if all(one.get(name) == value for one in rendered)
        }


def make_notes(ready: Ready, state: LiveState) -> list[str]:
    """What a reader must know beside the figures."""
    plan, estimate = ready.plan, ready.estimate
    notes = []
    if state == "out_of_money":
        notes.append(
            f"The limit of {plan.max_usd:.2f} USD was reached before every case was run: what "
            "is missing is in no figure."
        )
    if state == "cancelled":
        notes.append(
            "The run was cancelled before every case was run; what those in flight had cost by "
            "then is in no figure."
        )
    if plan.again_of:
        notes.append(
            f"Only cases that were ungraded in the run {plan.again_of} were run; the grades of "
            "the others are those of that run."
        )
    if ready.unpriced:
        names = ", ".join(ready.unpriced)
        notes.append(f"The price of {names} is not known: no limit in USD holds for it.")
    if plan.judge and not any(one.judge for one in ready.specs):
        notes.append(f"No case asks a judge, so {plan.judge} was asked nothing.")
    if plan.user_model and not any(one.user_model for one in ready.specs):
        notes.append(f"Every user is scripted, so {plan.user_model} played nobody.")
    if ready.unpriced:
        return notes
    rests = (
        f"from {numbers.plural(estimate.rests_on, 'case')} of the last such run"
        if estimate.rests_on
        else "a guess, since no such run is known"
    )
    notes.append(f"Expected before it began: {estimate.usd:.2f} USD ({rests}).")
    return notes
