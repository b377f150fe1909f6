"""How often a job met trouble, and when it is tried again.

Counted for each asking in Redis, where restarts of a worker do not touch the count. arq's
own tries are not used: they also count what is nobody's fault, and end without a word.
"""

import hashlib
import random
from datetime import datetime, timedelta
from typing import Any

import structlog
from arq.worker import Retry
from redis.asyncio import Redis

from bot.redis_clients import REDIS_AWAY
from jobs.errors import Transient

MOST_TROUBLES = 6
"""Waits of 30 s, 1, 2, 4, 8 minutes between them: about a quarter of an hour in all."""
FIRST_WAIT = timedelta(seconds=30)
KEPT = timedelta(days=1)

log = structlog.get_logger(__name__)


def reference_of(ctx: dict[str, Any]) -> str:
    """Twelve hexadecimal digits for one asking; a label put on once more has others.

    `ctx` is arq's: a job keeps its id and the time it was enqueued however often it is tried.
    """
    return make_reference(ctx["job_id"], ctx["enqueue_time"])


def make_reference(job_id: str, enqueued: datetime) -> str:
    """The reference of the job that was enqueued at this time."""
    return hashlib.sha256(f"{job_id}|{enqueued.isoformat()}".encode()).hexdigest()[:12]


class Troubles:
    """The count of troubles of each job."""

    def __init__(self, redis: Redis, *, first_wait: timedelta = FIRST_WAIT) -> None:
        self._redis = redis
        self._first_wait = first_wait

    async def is_last_try(self, ctx: dict[str, Any]) -> bool:
        """Whether one more trouble would be the last."""
        try:
            count = int(await self._redis.get(_key(ctx)) or 0)
        except REDIS_AWAY:
            return False
        return count + 1 >= MOST_TROUBLES

    async def is_given_up(self, ctx: dict[str, Any], trouble: Exception) -> bool:
        """Count one; whether it was one too many. Raises `Retry` for another try if not."""
        try:
            count = int(await self._redis.incr(_key(ctx)))
            await self._redis.expire(_key(ctx), KEPT)
        except REDIS_AWAY:  # cannot be counted, and must not be lost
            count = 1
        if count >= MOST_TROUBLES:
            log.error("given_up", job=ctx["job_id"], problem=str(trouble))
            return True
        asked = trouble.retry_after if isinstance(trouble, Transient) else None
        wait = asked or self._first_wait * 2 ** (count - 1)
        wait *= 1 + random.random() / 4  # noqa: S311 -- spreads the tries, hides nothing
        log.warning("trouble", problem=str(trouble), wait_s=wait.total_seconds(), count=count)
        raise Retry(defer=wait)


def _key(ctx: dict[str, Any]) -> str:
    return f"skillbench:troubles:{reference_of(ctx)}"
