"""Looks at the queues for whoever asks how things stand; it touches nothing."""

from contextlib import suppress

import msgspec
from arq.constants import in_progress_key_prefix
from pydantic import ValidationError
from redis.asyncio import Redis

from bot.queues import AT_ONCE, EVENTS, JOB_KEY, REQUESTS
from bot.redis_clients import away_is_transient
from jobs.inquiries.world import Queued, Queues
from jobs.requests import Request

SIGNS_OF_LIFE = f"{REQUESTS}:health:*"
"""Keys that workers renew every half minute (`bot.worker`)."""


class RedisQueueView:
    """Implements `jobs.inquiries.world.QueueView`."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def look(self, *, most: int = 0) -> Queues:
        """The queues; of the requests only the first so many, where `most` is given."""
        with away_is_transient():
            found = await self._redis.zrange(REQUESTS, 0, most - 1)
            job_ids = [job_id.decode() for job_id in found]
            running: list[Queued] = []
            waiting: list[Queued] = []
            for first in range(0, len(job_ids), AT_ONCE):
                for request, is_running in await self._read(job_ids[first : first + AT_ONCE]):
                    if is_running:
                        running.append(Queued(request=request, position=0))
                    else:
                        waiting.append(Queued(request=request, position=len(waiting) + 1))
            return Queues(
                requests=(*running, *waiting),
                events=int(await self._redis.zcard(EVENTS)),
                workers=len([key async for key in self._redis.scan_iter(SIGNS_OF_LIFE, 1000)]),
            )

    async def _read(self, job_ids: list[str]) -> list[tuple[Request, bool]]:
        """The requests of these jobs, as far as this version can read them."""
        bodies = await self._redis.mget([JOB_KEY + job_id for job_id in job_ids])
        marks = await self._redis.mget([in_progress_key_prefix + job_id for job_id in job_ids])
        found = []
        for body, mark in zip(bodies, marks, strict=True):
            with suppress(msgspec.DecodeError, ValidationError, KeyError, IndexError, TypeError):
                request = Request.model_validate(msgspec.json.decode(body or b"null")["a"][0])
                found.append((request, mark is not None))
        return found
