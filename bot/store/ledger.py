"""The ledger in Redis: finished runs by dedup key, and leases on the ones under way.

Only an index: the markers in the report comments are the record, so an emptied Redis
costs a look at the comments and no run.
"""

from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from typing import cast

from redis.asyncio import Redis

from bot.redis_clients import away_is_transient
from bot.store.holds import LEASE_S, hold
from jobs.results import RunRecord

LEDGER = "skillbench:ledger"
RUNS = "skillbench:runs:"
"""Where all runs of a repository lie, by run id."""


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
        stored = record.model_dump_json()
        with away_is_transient():
            async with self._redis.pipeline(transaction=True) as both:
                both.hset(LEDGER, record_key, stored)
                both.hset(_runs_of(record.repo), record.run, stored)
                await both.execute()

    async def note(self, record: RunRecord) -> None:
        stored = record.model_dump_json()
        with away_is_transient():
            noted = self._redis.hset(_runs_of(record.repo), record.run, stored)
            await cast("Awaitable[int]", noted)

    async def records(self, repo: str) -> Sequence[RunRecord]:
        with away_is_transient():
            stored = await cast("Awaitable[list[bytes]]", self._redis.hvals(_runs_of(repo)))
        records = [RunRecord.model_validate_json(one) for one in stored]
        return sorted(records, key=lambda one: (one.ended_at, one.run))

    @asynccontextmanager
    async def hold(self, record_key: str) -> AsyncIterator[None]:
        async with hold(self._redis, f"skillbench:run:{record_key}", lease_s=self._lease_s):
            yield


def _runs_of(repo: str) -> str:
    """Where the runs of a repository lie; GitHub's names are the same in any case."""
    return f"{RUNS}{repo.lower()}"
