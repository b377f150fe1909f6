"""Runs the cases of a plan, many at once; each is stored as soon as it ends.

Carrying a plan on finds what is stored and runs the rest, so nothing is paid for twice but
what was in flight when its worker died.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from jobs.conversation import ModelCatalog
from jobs.datasets.case_run import CaseSpec, CaseWorld, run_case
from jobs.datasets.cases import AutoUser, DatasetCase
from jobs.datasets.dialogue import Dialogue
from jobs.datasets.keeping import DatasetKeeping
from jobs.datasets.loading import Dataset
from jobs.datasets.plan import RunPlan
from jobs.datasets.results import CaseResult
from jobs.errors import Refused
from jobs.evaluators.registry import judge_named
from jobs.targets.registry import make_fields
from jobs.values import Model

UNLIMITED = 1_000
"""Cases in flight where nobody sets a limit: what one process can hold open."""


class Watcher(Protocol):
    """Sees a run go on."""

    async def began(self, case: DatasetCase) -> None: ...
    async def turned(self, case_id: str, dialogue: Dialogue) -> None:
        """Something was said in a case."""

    async def ended(self, result: CaseResult) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetWorld:
    """What runs of datasets are carried out in."""

    cases: CaseWorld
    keeping: DatasetKeeping
    catalog: ModelCatalog
    default_judge: str
    default_user_model: str


@dataclass(frozen=True, slots=True)
class Ready:
    """A plan that can be carried out: every case with its models and fields."""

    plan: RunPlan
    specs: tuple[CaseSpec, ...]


async def make_ready(plan: RunPlan, dataset: Dataset, world: DatasetWorld) -> Ready:
    """Resolve all that the cases name. Raises `Refused` before anything is spent.

    The dataset must be the one that was planned for, to the byte.
    """
    if dataset.digest != plan.digest:
        raise Refused(
            f"the file of {plan.benchmark}/{plan.dataset} has changed since this run began: its "
            f"SHA-256 was {plan.digest[:12]}…, now it is {dataset.digest[:12]}…. Put the old file "
            "back, or begin a new run."
        )
    by_id = {case.id: case for case in dataset.cases}
    cases = [by_id[name] for name in plan.cases]
    choice = dataset.settings.choose_target(plan.target_type, (plan.target_type,))
    models = await _resolve(_models_of(plan, cases, world), world.catalog)
    specs = tuple(
        CaseSpec(
            case=case,
            target_type=plan.target_type,
            fields=make_fields(choice, case, plan.typed),
            judge=models[_judge_of(plan, case, world)],
            user_model=models[user] if (user := _user_of(plan, case, world)) else None,
        )
        for case in cases
    )
    return Ready(plan, specs)


def _judge_of(plan: RunPlan, case: DatasetCase, world: DatasetWorld) -> str:
    return plan.judge or judge_named(case.eval) or world.default_judge


def _user_of(plan: RunPlan, case: DatasetCase, world: DatasetWorld) -> str:
    """Who plays the user; empty where the user is scripted."""
    if not isinstance(case.user, AutoUser):
        return ""
    return plan.user_model or case.user.model or world.default_user_model


def _models_of(plan: RunPlan, cases: Sequence[DatasetCase], world: DatasetWorld) -> list[str]:
    judges = [_judge_of(plan, case, world) for case in cases]
    users = [name for case in cases if (name := _user_of(plan, case, world))]
    return list(dict.fromkeys([*judges, *users]))


async def _resolve(names: Sequence[str], catalog: ModelCatalog) -> Mapping[str, Model]:
    """Each model once, so that an alias that moves meanwhile splits no run."""
    return {name: await catalog.resolve(name) for name in names}


async def run_dataset(ready: Ready, world: DatasetWorld, watcher: Watcher) -> bool:
    """Run every case that has not ended; False where the money ended before the cases did.

    Raises `Transient` where the store fails. Cancelled, it stops the cases in flight.
    """
    plan = ready.plan
    purse = _Purse(plan.max_usd)
    slots = asyncio.Semaphore(plan.parallel or UNLIMITED)

    async def run(spec: CaseSpec) -> None:
        async with slots:
            kept = await world.keeping.get_case(plan.run_id, spec.case.id)
            if kept is not None:
                purse.take(kept)
            elif purse.is_open:
                await watcher.began(spec.case)
                result = await _run_one(spec, world, watcher)
                await world.keeping.put_case(plan.run_id, result)
                purse.take(result)
                await watcher.ended(result)

    async with asyncio.TaskGroup() as together:
        for spec in ready.specs:
            together.create_task(run(spec))
    return purse.is_open


async def _run_one(spec: CaseSpec, world: DatasetWorld, watcher: Watcher) -> CaseResult:
    async def watch(dialogue: Dialogue) -> None:
        await watcher.turned(spec.case.id, dialogue)

    return await run_case(spec, world.cases, watch)


class _Purse:
    """How much of a run's money is left; no case is begun once it is empty."""

    def __init__(self, limit: Decimal | None) -> None:
        self._limit = limit
        self._spent = Decimal(0)

    def take(self, result: CaseResult) -> None:
        for usage in result.usages:
            self._spent += usage.cost_usd or Decimal(0)

    @property
    def is_open(self) -> bool:
        return self._limit is None or self._spent < self._limit
