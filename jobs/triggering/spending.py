"""What a measurement on GitHub spends of the day's money: set aside whole, settled once.

What was spent is noted while it goes on, so that whoever carries it on, or ends it, knows.
Sessions that were under way when a worker was lost, or was told to stop, were paid and tell
nobody how much: as many as can go on together are counted for each time, at what a session
was expected to cost.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Self

from jobs.alongside import alongside
from jobs.requests import Repo, Value
from jobs.triggering.plan import TriggerRun
from jobs.triggering.purse import Purse
from jobs.triggering.world import TriggerWorld
from jobs.values import Usage


class Noted(Value):
    """What is known of a measurement's spending."""

    attempts: int = 0
    """How often it was begun."""
    usage: Usage = Usage(cost_usd=Decimal(0))
    lost_usd: Decimal | None = None
    """Once it is settled, the most that lost sessions can have cost; None before."""


@dataclass(slots=True)
class Spending:
    """The money of one measurement in one attempt at it."""

    run: TriggerRun
    world: TriggerWorld
    purse: Purse
    attempts: int
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    async def begin(cls, run: TriggerRun, repo: Repo, world: TriggerWorld) -> Self:
        """Set its money aside. Raises `OverBudget` where the day's is used up."""
        await world.budget.reserve(run.run_id, repo, run.most_usd)
        before = await _read(run, world)
        purse = Purse(usd=run.most_usd, tokens=run.most_tokens, spent=before.usage)
        spending = cls(run, world, purse, before.attempts + 1)
        await spending.note()
        return spending

    @asynccontextmanager
    async def noting(self) -> AsyncIterator[None]:
        """Note what is spent while the block runs, and once more at its end."""
        try:
            async with alongside(self._keep_noting()):
                yield
        finally:
            await self.note()

    def changed(self) -> None:
        """Something was spent; it is noted soon."""
        self._changed.set()

    async def note(self) -> None:
        noted = Noted(attempts=self.attempts, usage=self.purse.spent)
        await self.world.blobs.put(_key(self.run), noted.model_dump_json().encode())

    async def _keep_noting(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            await self.note()


async def settle(run: TriggerRun, world: TriggerWorld, *, ended: bool) -> Decimal:
    """Settle a measurement that has `ended`, or was given up; twice is once.

    Gives the most that lost sessions can have cost, which is in no other figure.
    """
    noted = await _read(run, world)
    lost = noted.lost_usd
    if lost is None:
        lost = _estimate_lost(run, noted.attempts - ended, world)
        noted = noted.model_copy(update={"lost_usd": lost})
        await world.blobs.put(_key(run), noted.model_dump_json().encode())
    await world.budget.settle(run.run_id, (noted.usage.cost_usd or Decimal(0)) + lost)
    return lost


async def read_spent(run: TriggerRun, world: TriggerWorld) -> Usage:
    """What is known to be spent on a measurement, in all attempts at it."""
    return (await _read(run, world)).usage


def _estimate_lost(run: TriggerRun, attempts: int, world: TriggerWorld) -> Decimal:
    estimate = run.estimate
    if attempts < 1 or estimate.usd is None:
        return Decimal(0)
    each = estimate.usd / estimate.sessions
    return min(attempts * world.settings.queries_at_once * each, run.most_usd)


async def _read(run: TriggerRun, world: TriggerWorld) -> Noted:
    stored = await world.blobs.get(_key(run))
    return Noted.model_validate_json(stored) if stored else Noted()


def _key(run: TriggerRun) -> str:
    return f"runs/{run.run_id}/spent.json"
