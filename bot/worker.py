"""The worker: takes events and requests off their queues, and gives up none silently.

Two arq workers in one process, so that a reaction never waits behind sessions. Restarts and
crashes cost a job nothing; only a platform's trouble is counted, and only so often.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine
from datetime import timedelta
from typing import Any, cast
from uuid import uuid4

import msgspec
import structlog
from arq.connections import ArqRedis
from arq.typing import WorkerCoroutine
from arq.worker import Retry, func
from pydantic import ValidationError
from redis.asyncio import ConnectionPool, Redis

from bot.lease import LeaseWorker
from bot.metrics import Counts
from bot.queues import (
    ANSWER_UNREADABLE,
    CARRY_OUT_REQUEST,
    EVENTS,
    HANDLE_EVENT,
    REQUESTS,
    read_job,
    write_job,
)
from bot.unreadable import answer_unreadable
from handlers.events import Event
from jobs.errors import Gone, Transient
from jobs.requests import Request

HandleEvent = Callable[[Event], Awaitable[None]]
CarryOut = Callable[[Request, bool], Awaitable[None]]
"""Carries out a request; the flag says that trouble ends it this time."""
Say = Callable[[dict[str, Any], str], Awaitable[None]]
"""Says something on the issue of a job that cannot be read, as far as it can be told."""

Call = Callable[[dict[str, Any], Any], Coroutine[Any, Any, None]]
"""What arq calls: with its context, and the job's one argument."""

JOB_TIMEOUT = timedelta(hours=12)
"""Far beyond any request: sessions have limits of their own, this one is for a stuck loop."""
MOST_TROUBLES = 6
"""Waits of 30 s, 1, 2, 4, 8 minutes between them: about a quarter of an hour in all."""
FIRST_WAIT = timedelta(seconds=30)
TROUBLE_KEPT = timedelta(days=1)
EVENTS_AT_ONCE = 20
QUEUE_READ_LIMIT = 1000
"""More than the whole fleet ever runs: running jobs stand in front of the waiting ones."""
UNLIMITED = 10_000
"""arq counts restarts as tries; ours are counted apart."""

log = structlog.get_logger(__name__)


class Jobs:
    """What the two queues call."""

    def __init__(self, redis: Redis, handle: HandleEvent, carry_out: CarryOut, say: Say) -> None:
        self._redis = redis
        self._counts = Counts(redis)
        self._handle = handle
        self._carry_out = carry_out
        self._say = say

    async def handle_event(self, ctx: dict[str, Any], stored: Any) -> None:
        """Decide on an event."""
        event: Event = msgspec.convert(stored["event"], Event)
        with structlog.contextvars.bound_contextvars(delivery=event.delivery):
            try:
                await self._handle(event)
            except Gone as gone:
                log.info("event_came_to_nothing", reason=str(gone))
            except Transient as trouble:
                await self._retry_later(ctx, trouble)
            except Exception:
                log.exception("event_failed")

    async def carry_out_request(self, ctx: dict[str, Any], stored: Any) -> None:
        """Carry out a request."""
        try:
            request = Request.model_validate(stored)
        except ValidationError:
            await answer_unreadable(stored, self._say)
            return
        with structlog.contextvars.bound_contextvars(request=request.key):
            troubles = await self._troubles(ctx)
            try:
                await self._carry_out(request, troubles + 1 >= MOST_TROUBLES)
            except Transient as trouble:
                await self._retry_later(ctx, trouble)
            else:
                await self._counts.add("requests", "ended")

    async def answer_unreadable(self, _: dict[str, Any], text: Any) -> None:
        """Answer for a job that this version cannot read."""
        await answer_unreadable(text, self._say)

    async def _troubles(self, ctx: dict[str, Any]) -> int:
        return int(await self._redis.get(_trouble_key(ctx)) or 0)

    async def _retry_later(self, ctx: dict[str, Any], trouble: Transient) -> None:
        """Ask arq for another try. Raises `Retry`, unless there was trouble too often."""
        key = _trouble_key(ctx)
        count = int(await self._redis.incr(key))
        await self._redis.expire(key, TROUBLE_KEPT)
        if count >= MOST_TROUBLES:
            log.error("given_up", job=ctx["job_id"], problem=str(trouble))
            await self._redis.delete(key)
            return
        wait = trouble.retry_after or FIRST_WAIT * 2 ** (count - 1)
        wait *= 1 + random.random() / 4  # noqa: S311 -- spreads the tries, hides nothing
        log.warning("trouble", problem=str(trouble), wait_s=wait.total_seconds(), count=count)
        raise Retry(defer=wait)


def _trouble_key(ctx: dict[str, Any]) -> str:
    return f"skillbench:troubles:{ctx['job_id']}"


def make_workers(
    redis_url: str, jobs: Jobs, *, requests_at_once: int, **options: Any
) -> tuple[LeaseWorker, LeaseWorker]:
    """The two workers; `options` go to both. Call it inside the running loop."""
    events = _make_worker(
        redis_url,
        EVENTS,
        {HANDLE_EVENT: jobs.handle_event, ANSWER_UNREADABLE: jobs.answer_unreadable},
        max_jobs=EVENTS_AT_ONCE,
        poll_delay=0.1,
        **options,
    )
    requests = _make_worker(
        redis_url,
        REQUESTS,
        {CARRY_OUT_REQUEST: jobs.carry_out_request, ANSWER_UNREADABLE: jobs.answer_unreadable},
        max_jobs=requests_at_once,
        poll_delay=0.2,
        **options,
    )
    return events, requests


def _make_worker(
    redis_url: str,
    queue: str,
    calls: dict[str, Call],
    **options: Any,
) -> LeaseWorker:
    pool = ArqRedis(
        connection_pool=ConnectionPool.from_url(redis_url),
        job_serializer=write_job,
        job_deserializer=lambda stored: read_job(stored, known=calls),
        default_queue_name=queue,
    )
    return LeaseWorker(
        *(func(cast("WorkerCoroutine", call), name=name) for name, call in calls.items()),
        queue_name=queue,
        redis_pool=pool,
        handle_signals=False,
        job_timeout=JOB_TIMEOUT,
        keep_result=0,
        max_tries=UNLIMITED,
        queue_read_limit=QUEUE_READ_LIMIT,
        health_check_key=f"{queue}:health:{uuid4().hex}",
        health_check_interval=30,
        job_serializer=write_job,
        job_deserializer=lambda stored: read_job(stored, known=calls),
        log_results=False,
        **options,
    )


async def run_workers(workers: tuple[LeaseWorker, ...]) -> None:
    """Run until cancelled; then running jobs are handed back for another worker to take."""
    try:
        await asyncio.gather(*(worker.main() for worker in workers))
    finally:
        await asyncio.gather(*(worker.close() for worker in workers), return_exceptions=True)
