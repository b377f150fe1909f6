"""The ledger in Redis: finished runs by dedup key, and leases on the ones under way.

Only an index: the markers in the report comments are the record, so an emptied Redis
costs a look at the comments and no run.
"""

from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from typing import cast

from redis.asyncio import Redis

from bot.redis_clients import away_is_transient
from bot.store.figures_shelf import find_keys
from bot.store.holds import LEASE_S, hold
from bot.store.index_upkeep import AT_ONCE, RUNS, IndexUpkeep
from bot.store.run_index import index_runs, touch
from jobs.results import RunRecord

LEDGER = "skillbench:ledger"


class RedisLedger:
    """Implements `jobs.ports.Ledger`. Raises `Transient` where Redis stays away."""

    def __init__(self, redis: Redis, *, lease_s: float = LEASE_S) -> None:
        self._redis = redis
        self._lease_s = lease_s

    async def find(self, record_key: str) -> RunRecord | None:
        with away_is_transient():
            stored = await cast("Awaitable[bytes | None]", self._redis.hget(LEDGER, record_key))
        return RunRecord.model_validate_json(stored) if stored else None

    async def record(self, record_key: str, record: RunRecord) -> None:
        await self._keep(record, record_key)

    async def note(self, record: RunRecord) -> None:
        await self._keep(record)

    async def records(self, repo: str) -> Sequence[RunRecord]:
        with away_is_transient():
            stored = await cast("Awaitable[list[bytes]]", self._redis.hvals(_runs_of(repo)))
        records = [RunRecord.model_validate_json(one) for one in stored]
        return sorted(records, key=lambda one: (one.ended_at, one.run))

    async def stored(self, repo: str, runs: Sequence[str]) -> list[bytes]:
        """These runs as they are kept, in JSON; those that are no more are left out."""
        if not runs:
            return []
        with away_is_transient():
            found = self._redis.hmget(_runs_of(repo), list(runs))
            kept = await cast("Awaitable[list[bytes | None]]", found)
        return [one for one in kept if one is not None]

    async def index(self, repo: str) -> None:
        """Make the index of a repository's runs anew, whatever stands there."""
        with away_is_transient():
            await IndexUpkeep(self._redis).make(repo)

    async def move(self, old: str, new: str) -> None:
        """Put the runs of a repository under another name: its present one, say.

        Nothing stays under the old one, which may become another repository's.
        """
        if old.lower() == new.lower():
            return
        with away_is_transient():
            async for run, stored in self._redis.hscan_iter(_runs_of(old), count=AT_ONCE):
                if not await cast("Awaitable[bool]", self._redis.hexists(_runs_of(new), run)):
                    record = RunRecord.model_validate_json(stored)
                    await self.note(record.model_copy(update={"repo": new}))
            await self._redis.delete(_runs_of(old))
            await IndexUpkeep(self._redis).forget(old)
            await self._redis.delete(*find_keys(old))

    @asynccontextmanager
    async def hold(self, record_key: str) -> AsyncIterator[None]:
        async with hold(self._redis, f"skillbench:run:{record_key}", lease_s=self._lease_s):
            yield

    async def _keep(self, record: RunRecord, record_key: str | None = None) -> None:
        stored = record.model_dump_json()
        with away_is_transient():
            async with self._redis.pipeline(transaction=True) as both:
                if record_key is not None:
                    both.hset(LEDGER, record_key, stored)
                both.hset(_runs_of(record.repo), record.run, stored)
                index_runs(both, record.repo, [record])
                touch(both, record.repo, [record.skill])
                await both.execute()


def _runs_of(repo: str) -> str:
    """Where the runs of a repository lie; GitHub's names are the same in any case."""
    return f"{RUNS}{repo.lower()}"
