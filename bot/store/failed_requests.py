"""The newest failures, in Redis: for whoever looks at the queue, not for the record.

Each is kept once, under its id, in the order of their times.
"""

from collections.abc import Awaitable, Sequence
from datetime import datetime, timedelta
from typing import cast

import structlog
from pydantic import ValidationError
from redis.asyncio import Redis

from bot.queues import milliseconds
from bot.redis_clients import REDIS_AWAY, away_is_transient
from jobs.failures import Failure

FAILED = "skillbench:failed"
"""Hash: id to `Failure`."""
ORDER = "skillbench:failed:order"
"""Sorted set: id by its time."""
MOST = 200
KEPT = timedelta(days=30)

NOTE = """
redis.call('hset', KEYS[1], ARGV[1], ARGV[2])
redis.call('zadd', KEYS[2], 'nx', ARGV[3], ARGV[1])
local old = redis.call('zrangebyscore', KEYS[2], '-inf', '(' .. ARGV[4])
local many = redis.call('zrange', KEYS[2], 0, -1 - ARGV[5])
for _, ids in ipairs({old, many}) do
  for _, id in ipairs(ids) do
    redis.call('zrem', KEYS[2], id)
    redis.call('hdel', KEYS[1], id)
  end
end
redis.call('pexpire', KEYS[1], ARGV[6])
redis.call('pexpire', KEYS[2], ARGV[6])
return 1
"""
"""Hash, order; id, failure, its time, since when any is kept, how many, time to live."""

log = structlog.get_logger(__name__)


class RedisFailures:
    """Implements `jobs.failures.Failures`, and is where the pages look."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def note(self, failure: Failure, /) -> None:
        """Keep one; where Redis is away it is not kept."""
        at = _milliseconds(failure.at)
        try:
            await self._redis.register_script(NOTE)(
                keys=[FAILED, ORDER],
                args=[
                    failure.id,
                    failure.model_dump_json(),
                    at,
                    at - milliseconds(KEPT),
                    MOST,
                    milliseconds(KEPT),
                ],
            )
        except REDIS_AWAY as trouble:
            log.warning("failure_not_noted", problem=type(trouble).__name__)

    async def newest(self, now: datetime) -> Sequence[Failure]:
        """All that are kept, the last one first. Raises `Transient` where Redis is away."""
        since = _milliseconds(now - KEPT)
        with away_is_transient():
            ids = await self._redis.zrevrangebyscore(ORDER, "+inf", since)
            if not ids:
                return []
            found = self._redis.hmget(FAILED, ids)
            stored = await cast("Awaitable[list[bytes | None]]", found)
        read = [_read(one) for one in stored if one is not None]
        return [one for one in read if one is not None]

    async def find(self, failure_id: str) -> Failure | None:
        """One by its id. Raises `Transient` where Redis is away."""
        with away_is_transient():
            found = self._redis.hget(FAILED, failure_id)
            stored = await cast("Awaitable[bytes | None]", found)
        return _read(stored) if stored is not None else None


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def _read(stored: bytes) -> Failure | None:
    """None for what another version wrote."""
    try:
        return Failure.model_validate_json(stored)
    except ValidationError:
        return None
