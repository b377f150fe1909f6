"""The ledger in Redis: finished runs by dedup key, and leases on the ones under way.

Only an index: the markers in the report comments are the record, so an emptied Redis
costs a look at the comments and no run.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from typing import cast

import structlog
from redis.asyncio import Redis
from redis.asyncio.lock import Lock
from redis.exceptions import LockError, RedisError

from jobs.alongside import alongside
from jobs.results import RunRecord

LEDGER = "skillbench:ledger"
LEASE_S = 15.0
"""A killed holder blocks others for at most this long."""

log = structlog.get_logger(__name__)


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
        try:
            async with alongside(self._renew(lock)):
                yield
        finally:
            with suppress(RedisError, OSError):  # an expired lease frees itself
                await lock.release()

    async def _renew(self, lock: Lock) -> None:
        """Keep the hold for ever; one that is gone, from an emptied Redis, is taken again."""
        while True:
            await asyncio.sleep(self._lease_s / 3)
            with suppress(RedisError, OSError):  # away; then nobody else can take it either
                try:
                    await lock.reacquire()
                except LockError:
                    if not await lock.do_acquire(lock.local.token):
                        log.warning("hold_lost", lock=lock.name)
