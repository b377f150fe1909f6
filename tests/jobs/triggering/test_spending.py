"""The day's money: set aside once, settled once, with what lost sessions may have cost."""

from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, cast

import pytest

from config.settings import Settings
from jobs.errors import OverBudget
from jobs.requests import Repo
from jobs.triggering.spending import Spending, settle
from jobs.triggering.world import TriggerWorld
from jobs.values import Usage
from tests.builders import a_repo
from tests.jobs.triggering.found import a_trigger_run
from tests.jobs.triggering.world import MemoryBlobs

RUN = a_trigger_run()  # 10 sessions for a dollar, five dollars at most
CENT = Usage(requests=1, cost_usd=Decimal("0.01"))


@dataclass
class Day:
    """A budget of six dollars."""

    set_aside: dict[str, Decimal] = field(default_factory=dict)

    async def reserve(self, run_id: str, _: Repo, usd: Decimal) -> None:
        if run_id not in self.set_aside:
            if sum(self.set_aside.values()) + usd > 6:
                raise OverBudget("the day is used up")
            self.set_aside[run_id] = usd

    async def settle(self, run_id: str, usd: Decimal) -> None:
        self.set_aside[run_id] = usd


@dataclass
class Parts:
    budget: Day = field(default_factory=Day)
    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)
    settings: Any = field(default_factory=lambda: Settings(_env_file=None, queries_at_once=4))


def make_world() -> tuple[TriggerWorld, Day]:
    parts = Parts()
    return cast("TriggerWorld", parts), parts.budget


async def test_what_was_spent_replaces_what_was_set_aside():
    world, day = make_world()
    spending = await Spending.begin(RUN, a_repo(), world)
    assert day.set_aside == {RUN.run_id: Decimal(5)}
    async with spending.noting():
        spending.purse.take(CENT)
        spending.changed()
    assert await settle(RUN, world, ended=True) == 0
    assert day.set_aside == {RUN.run_id: Decimal("0.01")}


async def test_a_second_attempt_goes_on_with_the_same_purse_and_counts_what_was_lost():
    """Four sessions can have been under way, at a tenth of a dollar each."""
    world, day = make_world()
    first = await Spending.begin(RUN, a_repo(), world)
    with suppress(RuntimeError):
        async with first.noting():
            first.purse.take(CENT)
            raise RuntimeError("the worker is told to stop")
    second = await Spending.begin(RUN, a_repo(), world)
    assert second.purse.spent.cost_usd == Decimal("0.01")
    async with second.noting():
        second.purse.take(CENT)
    assert await settle(RUN, world, ended=True) == Decimal("0.4")
    assert await settle(RUN, world, ended=True) == Decimal("0.4")
    assert day.set_aside == {RUN.run_id: Decimal("0.42")}


async def test_one_that_is_given_up_counts_its_own_sessions_as_lost():
    world, day = make_world()
    await Spending.begin(RUN, a_repo(), world)
    await settle(RUN, world, ended=False)
    assert day.set_aside == {RUN.run_id: Decimal("0.4")}


async def test_one_that_never_began_costs_nothing():
    world, day = make_world()
    await settle(RUN, world, ended=False)
    assert day.set_aside == {RUN.run_id: Decimal(0)}


async def test_a_day_that_is_used_up_starts_nothing():
    world, _ = make_world()
    await Spending.begin(RUN, a_repo(), world)
    with pytest.raises(OverBudget):
        await Spending.begin(a_trigger_run(run_id="b" * 12), a_repo(), world)
