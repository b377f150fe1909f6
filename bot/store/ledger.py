"""The ledger in Redis: finished runs by dedup key, and leases on the ones under way.

Only an index: the markers in the report comments are the record, so an emptied Redis
costs a look at the comments and no run.
"""

from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import cast

from redis.asyncio import Redis

from bot.redis_clients import away_is_transient
from bot.store.holds import LEASE_S, hold
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
        stored = record.model_dump_json()
        with away_is_transient():
            await cast("Awaitable[int]", self._redis.hset(LEDGER, record_key, stored))

    @asynccontextmanager
    async def hold(self, record_key: str) -> AsyncIterator[None]:
        async with hold(self._redis, f"skillbench:run:{record_key}", lease_s=self._lease_s):
            yield
