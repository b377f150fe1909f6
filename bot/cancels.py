"""Requests taken back: which there are, how their workers hear of it, and who ends them.

A request that waits is taken off its queue in one step and becomes an event, `end_cancelled`,
so that it ends at once, however long the queue is. One that is under way is flagged; its
worker looks for the flag every second, and whoever takes the job over after a crash finds it
there. A flag is for one asking: a label put on anew asks anew.

A worker that shuts down is no cancel: it hands its jobs back, flags and all.
"""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from typing import Any

import msgspec
import structlog
from arq.constants import in_progress_key_prefix, retry_key_prefix
from arq.utils import ms_to_datetime
from redis.asyncio import Redis

from bot.queues import (
    AGAIN,
    END_CANCELLED,
    EVENTS,
    JOB_KEY,
    KEEP_JOB,
    REQUESTS,
    make_job,
    milliseconds,
    now_ms,
)
from bot.redis_clients import REDIS_AWAY
from bot.troubles import make_reference
from bot.turns import ALL, SLOTS
from jobs.alongside import alongside
from jobs.cancelling import Cancelled
from jobs.requests import Request, Value

LOOK_S = 1.0
"""How often a worker looks whether what it carries out was cancelled."""
AT_ONCE = 500
"""Jobs that are read from Redis in one go."""

CANCEL = """
if not redis.call('zscore', KEYS[1], ARGV[1]) then return 0 end
redis.call('set', KEYS[4], ARGV[3], 'px', ARGV[6])
redis.call('del', KEYS[9])
local clock = redis.call('time')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local held_until = tonumber(redis.call('zscore', KEYS[5], ARGV[1]) or 0)
if redis.call('exists', KEYS[3]) == 1 or held_until > now then return 1 end
redis.call('zrem', KEYS[1], ARGV[1])
redis.call('del', KEYS[2], KEYS[8])
redis.call('set', KEYS[7], ARGV[4], 'px', ARGV[6])
redis.call('zadd', KEYS[6], ARGV[5], ARGV[2])
return 1
"""
"""Queue, job, mark of progress, flag, slots, queue of events, job that ends it, count of tries,
what was asked meanwhile; ids of job and ending, flag, ending, now, time to live.
"""


log = structlog.get_logger(__name__)


class CancelledJob(Value):
    """What the event `end_cancelled` carries."""

    request: Request
    cancelled: Cancelled


class Cancels:
    """Takes requests back, and tells workers which were."""

    def __init__(self, redis: Redis, *, look_s: float = LOOK_S) -> None:
        self._redis = redis
        self._look_s = look_s

    async def find_waiting(self, repository: str, issue: int) -> list[tuple[str, Request]]:
        """The requests of an issue that wait or are under way, with their references."""
        name = repository.casefold()
        ids = [job_id.decode() for job_id in await self._redis.zrange(REQUESTS, 0, -1)]
        named = [job_id for job_id in ids if name in job_id.casefold()]
        found = []
        for first in range(0, len(named), AT_ONCE):
            batch = named[first : first + AT_ONCE]
            bodies = await self._redis.mget([JOB_KEY + job_id for job_id in batch])
            for job_id, stored in zip(batch, bodies, strict=True):
                read = read_asking(job_id, stored)
                if read is None:
                    continue
                request = read[1]
                if request.issue == issue and request.repo.full_name.casefold() == name:
                    found.append(read)
        return found

    async def find_all(self) -> AsyncIterator[tuple[str, Request]]:
        """Every request that waits or is under way, with its reference."""
        ids = [job_id.decode() for job_id in await self._redis.zrange(REQUESTS, 0, -1)]
        for first in range(0, len(ids), AT_ONCE):
            batch = ids[first : first + AT_ONCE]
            bodies = await self._redis.mget([JOB_KEY + job_id for job_id in batch])
            for job_id, stored in zip(batch, bodies, strict=True):
                if (read := read_asking(job_id, stored)) is not None:
                    yield read

    async def cancel(self, reference: str, request: Request, cancelled: Cancelled) -> bool:
        """Cancel a request; False where it has ended meanwhile."""
        job_id, ending_id = f"request:{request.key}", f"end:{reference}"
        ending = CancelledJob(request=request, cancelled=cancelled).model_dump(mode="json")
        now = now_ms()
        return bool(
            await self._redis.register_script(CANCEL)(
                keys=[
                    REQUESTS,
                    JOB_KEY + job_id,
                    in_progress_key_prefix + job_id,
                    flag_key(reference),
                    SLOTS + ALL,
                    EVENTS,
                    JOB_KEY + ending_id,
                    retry_key_prefix + job_id,
                    AGAIN + job_id,
                ],
                args=[
                    job_id,
                    ending_id,
                    cancelled.model_dump_json(),
                    make_job(END_CANCELLED, ending, now),
                    now,
                    milliseconds(KEEP_JOB),
                ],
            )
        )

    async def find(self, reference: str) -> Cancelled | None:
        """By whom an asking was cancelled; None where it was not."""
        stored = await self._redis.get(flag_key(reference))
        return Cancelled.model_validate_json(stored) if stored else None

    async def run(self, reference: str, work: Coroutine[Any, Any, None]) -> Cancelled | None:
        """Work until it is done, or until its asking is cancelled; gives by whom.

        Then nothing of it runs any more. Raises what the work raises.
        """
        if (cancelled := await self._find_or_close(reference, work)) is not None:
            return cancelled
        working = asyncio.create_task(work)
        try:
            async with alongside(self.wait_for(reference)) as waiting:
                await asyncio.wait({working, waiting}, return_when=asyncio.FIRST_COMPLETED)
                if working.done():
                    await working
                    return None
                return None if await _stop(working) else waiting.result()
        finally:
            await _stop(working)

    async def _find_or_close(
        self, reference: str, work: Coroutine[Any, Any, None]
    ) -> Cancelled | None:
        try:
            cancelled = await self.find(reference)
        except BaseException:
            work.close()
            raise
        if cancelled is not None:
            work.close()
        return cancelled

    async def wait_for(self, reference: str) -> Cancelled:
        """Wait until an asking is cancelled; while Redis is away, nobody can."""
        while True:
            await asyncio.sleep(self._look_s)
            try:
                cancelled = await self.find(reference)
            except REDIS_AWAY:
                continue
            if cancelled is not None:
                return cancelled

    async def forget(self, reference: str) -> None:
        """The asking has ended as cancelled."""
        await self._redis.delete(flag_key(reference))


async def _stop(working: "asyncio.Task[None]") -> bool:
    """End the work, if it goes on; whether it came to its own end. What it broke on is logged."""
    if not working.done() and not working.cancelling():
        working.cancel()
    await asyncio.wait({working})
    if working.cancelled():
        return False
    if (error := working.exception()) is not None:
        log.warning("stopped_work_failed", problem=type(error).__name__)
    return error is None


def flag_key(reference: str) -> str:
    """Where it stands that an asking was cancelled."""
    return f"skillbench:cancelled:{reference}"


def read_asking(job_id: str, stored: bytes | None) -> tuple[str, Request] | None:
    """The reference and the request of a job; None where it cannot be read as one."""
    if stored is None:
        return None
    try:
        job = msgspec.json.decode(stored)
        reference = make_reference(job_id, ms_to_datetime(job["et"]))
        return reference, Request.model_validate(job["a"][0])
    except (msgspec.DecodeError, ValueError, KeyError, TypeError, IndexError):
        return None
