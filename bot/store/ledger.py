"""The ledger in Redis: finished runs by dedup key, and leases on the ones under way.

Only an index: the markers in the report comments are the record, so an emptied Redis
costs a look at the comments and no run.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from typing import cast

from redis.asyncio import Redis
from redis.asyncio.lock import Lock
from redis.exceptions import LockError, RedisError

from jobs.results import RunRecord

LEDGER = "skillbench:ledger"
LEASE_S = 15.0
"""A killed holder blocks others for at most this long."""


class RedisLedger:
    """Implements `jobs.ports.Ledger`."""

    def __init__(self, redis: Redis, *, lease_s: float = LEASE_S) -> None:
        self._redis = redis
        self._lease_s = lease_s

    async def find(self, record_key: str) -> RunRecord | None:
        stored = await cast("Awaitable[bytes | None]", self._redis.hget(LEDGER, record_key))
        return RunRecord.model_validate_json(stored) if stored else None

    async def record(self, record_key: str, record: RunRecord) -> None:
        await cast("Awaitable[int]", self._redis.hset(LEDGER, record_key, record.model_dump_json()))

    @asynccontextmanager
    async def hold(self, record_key: str) -> AsyncIterator[None]:
        lock = self._redis.lock(f"skillbench:run:{record_key}", timeout=self._lease_s, sleep=0.2)
        await lock.acquire()
        renewal = asyncio.create_task(self._renew(lock))
        try:
            yield
        finally:
            renewal.cancel()
            with suppress(asyncio.CancelledError):
                await renewal
            with suppress(LockError, RedisError):  # an expired lease frees itself
                await lock.release()

    async def _renew(self, lock: Lock) -> None:
        while True:
            await asyncio.sleep(self._lease_s / 3)
            with suppress(LockError, RedisError):  # a restarted Redis: the job's own lease decides
                await lock.reacquire()
