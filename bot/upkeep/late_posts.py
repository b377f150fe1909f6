"""Puts requests back on their queue that GitHub was away for too long to answer.

First looks whether GitHub is there at all: while it is not, nobody's place is taken up.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import structlog
from redis.asyncio import Redis

from bot.blobs import Blobs
from bot.github.app import GitHubApp
from bot.queues import enqueue
from jobs.late import LATE, LateRequest, read_late, wait_after

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class LatePosts:
    """The chore."""

    app: GitHubApp
    redis: Redis
    blobs: Blobs
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    async def run(self) -> None:
        """Put back what has rested long enough. Raises `Transient` while GitHub is away."""
        due: list[tuple[str, LateRequest]] = []
        async for blob in self.blobs.walk(LATE):
            late = await read_late(blob.key, self.blobs)
            if late is not None and late.not_before <= self.clock():
                due.append((blob.key, late))
        if not due:
            return
        await self.app.prove()
        for key, late in sorted(due, key=lambda pair: pair[1].since):
            if not await self.blobs.exists(key):
                continue  # it has been told meanwhile
            # a worker that dies with it must not find it due again at once
            resting = late.model_copy(update={"not_before": self.clock() + wait_after(late.tries)})
            await self.blobs.put(key, resting.model_dump_json().encode())
            if await enqueue(self.redis, late.request, is_late=True):
                log.warning("late_request_put_back", key=late.request.key, reason=late.reason)
