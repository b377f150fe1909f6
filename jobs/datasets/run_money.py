"""The money of one run, from which its chunks take as they go on.

A chunk takes a few cases' worth at a time, and what it has not spent goes back when it ends: so
one dear chunk does not stop while the run has money left, and all of them together never take
more than the run's limit. What each has taken stands in the blob store before it is spent, so a
worker that takes a chunk over finds it.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from decimal import Decimal

from jobs.datasets.keeping import FOLDER
from jobs.errors import OverBudget
from jobs.ports import BlobStore, Budget
from jobs.requests import Repo, Value

Hold = Callable[[str], AbstractAsyncContextManager[None]]
"""`jobs.ports.Ledger.hold`."""


class Taken(Value):
    """What one chunk has taken of its run's money."""

    usd: Decimal = Decimal(0)
    """Taken and not given back; once the chunk has ended, what it has spent."""
    grants: int = 0
    """How often it has taken; each is set aside for the day under a name of its own."""
    last: Decimal = Decimal(0)
    """The last of them, which may not be set aside yet."""
    closed: int = 0
    """Grants of an earlier opening of the run, which are settled."""
    spent: Decimal = Decimal(0)
    """What was spent by the end of that."""


@dataclass(slots=True)
class ChunkMoney:
    """The part of one chunk. Raises `Transient` where the store or Redis fails."""

    blobs: BlobStore
    hold: Hold
    budget: Budget
    """The day's limits, within which the run's money lies."""
    repo: Repo
    run_id: str
    limit: Decimal
    """Of the whole run."""
    number: int
    chunks: int
    refusal: str = ""
    """Why the day had no more, where it was the day's limit that stopped the chunk."""

    async def open(self) -> Decimal:
        """What the chunk has taken so far.

        A worker may have died between noting it and setting it aside for the day, so that is
        done again; where the day has no room for it any more, it goes back.
        """
        taken = await self._get(self.number)
        if taken.grants == taken.closed:
            return taken.usd
        return taken.usd if await self._set_aside(taken) else taken.usd - taken.last

    async def take(self, least: Decimal, wish: Decimal) -> Decimal:
        """Take `wish`, or what is left, if that is `least`; 0 where it is not."""
        async with self.hold(f"dataset-money:{self.run_id}"):
            every = await asyncio.gather(*(self._get(one) for one in range(self.chunks)))
            left = self.limit - sum((one.usd for one in every), Decimal(0))
            own = every[self.number]
            for usd in dict.fromkeys((min(wish, left), least)):
                if least <= usd <= left and await self._grant(own, usd):
                    return usd
            return Decimal(0)

    async def close(self, spent: Decimal) -> None:
        """Give back what was not spent; the same end twice is once."""
        taken = await self._get(self.number)
        for grant in range(taken.closed, taken.grants):
            usd = spent - taken.spent if grant == taken.closed else Decimal(0)
            await self.budget.settle(self._name(grant), max(usd, Decimal(0)))
        ended = Taken(usd=spent, grants=taken.grants, closed=taken.grants, spent=spent)
        await self._put(ended)

    async def _grant(self, own: Taken, usd: Decimal) -> bool:
        """Note it before it is set aside: what is noted is never given to anybody else."""
        more = {"usd": own.usd + usd, "grants": own.grants + 1, "last": usd}
        taken = own.model_copy(update=more)
        await self._put(taken)
        return await self._set_aside(taken)

    async def _set_aside(self, taken: Taken) -> bool:
        """Set the last grant aside for the day; False where it has no room, and it goes back."""
        try:
            await self.budget.reserve(self._name(taken.grants - 1), self.repo, taken.last)
        except OverBudget as over:
            self.refusal = str(over)
            less = {"usd": taken.usd - taken.last, "grants": taken.grants - 1, "last": Decimal(0)}
            await self._put(taken.model_copy(update=less))
            return False
        self.refusal = ""
        return True

    def _name(self, grant: int) -> str:
        return f"{self.run_id}-{self.number}-{grant}"

    async def _get(self, number: int) -> Taken:
        stored = await self.blobs.get(self._key(number))
        return Taken.model_validate_json(stored) if stored else Taken()

    async def _put(self, taken: Taken) -> None:
        await self.blobs.put(self._key(self.number), taken.model_dump_json().encode())

    def _key(self, number: int) -> str:
        return f"{FOLDER}/{self.run_id}/money/{number}"
