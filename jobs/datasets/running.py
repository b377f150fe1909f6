"""Runs the cases of a plan, many at once; each is stored as soon as it ends.

Carrying a plan on finds what is stored and runs the rest, so nothing is paid for twice but
what was in flight when its worker died.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Protocol

from jobs.datasets.case_run import CaseSpec, run_case
from jobs.datasets.cases import DatasetCase
from jobs.datasets.dialogue import Dialogue
from jobs.datasets.keeping import READ_AT_ONCE
from jobs.datasets.purse import Purse
from jobs.datasets.ready import DatasetWorld, Ready
from jobs.datasets.results import CaseResult
from jobs.errors import Transient

UNLIMITED = 500
"""Cases in flight where nobody sets a limit: the providers' own limits hold besides
(`jobs.models.pace`)."""
GAP_S = 0.002
"""Between the first cases, about as long as our own work on one takes: those that begin in the
same moment are answered in the same moment, and each then waits for our work on all of them."""


class Watcher(Protocol):
    """Sees a run go on."""

    async def began(self, case: DatasetCase) -> None: ...
    async def turned(self, case_id: str, dialogue: Dialogue) -> None:
        """Something was said in a case."""

    async def ended(self, result: CaseResult) -> None:
        """A case has ended, now or before."""


async def run_dataset(
    ready: Ready,
    world: DatasetWorld,
    watcher: Watcher,
    *,
    only: Collection[str] | None = None,
    purse: Purse | None = None,
) -> bool:
    """Run every case that has not ended; False where the money ended before the cases did.

    `only` names the cases that are meant, where several processes share a run; `purse` holds
    their share of its money. Raises `Transient` where the store fails. Cancelled, it stops the
    cases in flight, of which nothing is stored.
    """
    specs = [spec for spec in ready.specs if only is None or spec.case.id in only]
    run = _Run(ready, world, watcher, purse or Purse(ready.plan.max_usd, expected=ready.expected))
    ended = await world.keeping.find_ended(ready.plan.run_id, [spec.case.id for spec in specs])
    # all that was spent is known before more of it is
    await _together(run.recall, [spec for spec in specs if spec.case.id in ended], READ_AT_ONCE)
    todo = [spec for spec in specs if spec.case.id not in ended]
    await _together(run.work, todo, ready.plan.parallel or UNLIMITED, gap_s=GAP_S)
    return not run.purse.is_empty


async def _together(
    work: Callable[[CaseSpec], Awaitable[None]],
    specs: Sequence[CaseSpec],
    at_once: int,
    *,
    gap_s: float = 0.0,
) -> None:
    """Do it with every case, so many at a time; the first ones begin `gap_s` after each other."""
    todo = iter(specs)

    async def take(first: CaseSpec) -> None:
        for spec in chain([first], todo):
            await work(spec)

    try:
        async with asyncio.TaskGroup() as together:
            for spec in islice(todo, at_once):
                together.create_task(take(spec))
                await asyncio.sleep(gap_s)
    except BaseExceptionGroup as group:
        raise _first(group) from group


class _Run:
    """One run under way in this process."""

    def __init__(self, ready: Ready, world: DatasetWorld, watcher: Watcher, purse: Purse) -> None:
        self._plan = ready.plan
        # with the models as they were pinned
        target = replace(world.cases.target, catalog=ready.catalog)
        self._cases = replace(world.cases, target=target)
        self._keeping = world.keeping
        self._watcher = watcher
        self.purse = purse

    async def recall(self, spec: CaseSpec) -> None:
        """Take in what a case has come to that has ended before."""
        kept = await self._keeping.get_case(self._plan.run_id, spec.case.id)
        if kept is None:  # taken away since it was listed
            raise Transient(f"the store has lost the case {spec.case.id[:80]!r}")
        if not await self._keeping.is_taken_over(self._plan, kept.id):
            self.purse.count_earlier(kept)
        await self._watcher.ended(kept)

    async def work(self, spec: CaseSpec) -> None:
        """Run a case, unless an earlier run has paid for it or the money has ended."""
        earlier = await self._find_earlier(spec)
        if earlier is not None and earlier.grade.outcome != "ungraded":
            await self._keep(earlier)
        elif await self.purse.take():
            await self._run_paid(spec, attempts=1 + (earlier.attempts if earlier else 0))

    async def _find_earlier(self, spec: CaseSpec) -> CaseResult | None:
        """What became of the case in the run that this one repeats."""
        if not self._plan.again_of:
            return None
        return await self._keeping.get_case(self._plan.again_of, spec.case.id)

    async def _run_paid(self, spec: CaseSpec, *, attempts: int) -> None:
        result = None
        try:
            await self._watcher.began(spec.case)

            async def watch(dialogue: Dialogue) -> None:
                await self._watcher.turned(spec.case.id, dialogue)

            result = await run_case(spec, self._cases, watch)
            result = result.model_copy(update={"attempts": attempts})
            await self._keep(result)
        finally:
            await self.purse.settle(result)

    async def _keep(self, result: CaseResult) -> None:
        await self._keeping.put_case(self._plan.run_id, result)
        await self._watcher.ended(result)


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """What went wrong, where several tasks broke: a defect before a platform's failure."""
    leaves = list(_leaves(group))
    return next((one for one in leaves if not isinstance(one, Transient)), leaves[0])


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for one in group.exceptions:
        if isinstance(one, BaseExceptionGroup):
            yield from _leaves(one)
        else:
            yield one
