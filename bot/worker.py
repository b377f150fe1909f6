"""The worker: takes events and requests off their queues, and gives up none silently.

Two arq workers in one process, so that a reaction never waits behind sessions. Restarts
cost a job nothing; a platform's trouble and crashes are counted, each only so often.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Any, cast
from uuid import uuid4

import msgspec
import structlog
from arq.connections import ArqRedis
from arq.typing import WorkerCoroutine
from arq.worker import func
from pydantic import ValidationError
from redis.asyncio import Redis

from bot.cancels import CancelledJob, Cancels
from bot.failing import note_given_up
from bot.fair_worker import FairWorker
from bot.lease import LeaseWorker
from bot.metrics import Counts
from bot.queues import (
    ANSWER_UNREADABLE,
    CARRY_OUT_REQUEST,
    END_CANCELLED,
    EVENTS,
    HANDLE_EVENT,
    REQUESTS,
    read_event,
    read_job,
    write_job,
)
from bot.redis_clients import REDIS_AWAY, make_pool
from bot.store.holds import hold
from bot.troubles import FIRST_WAIT, Troubles, reference_of
from bot.turns import Limits
from bot.unreadable import FindWords, Say, answer_unreadable, find_heard, usual_words
from bot.upkeep.rounds import SCAN, make_due
from handlers.events import Event, InstallationChanged, Pushed, RepositoryChanged
from jobs.cancelling import Cancelled
from jobs.errors import Gone, Transient
from jobs.failures import HowFailed
from jobs.requests import Request

HandleEvent = Callable[[Event], Awaitable[None]]
CarryOut = Callable[[Request, bool], Coroutine[Any, Any, None]]
"""Carries out a request; the flag says that trouble ends it this time."""
EndCancelled = Callable[[Request, Cancelled], Awaitable[None]]
"""Ends a request that was cancelled, once nothing of it runs any more."""

Call = Callable[[dict[str, Any], Any], Coroutine[Any, Any, None]]
"""What arq calls: with its context, and the job's one argument."""

JOB_TIMEOUT = timedelta(hours=12)
"""Far beyond any request: sessions have limits of their own, this one is for a stuck loop."""
EVENT_TIMEOUT = timedelta(minutes=10)
MOST_CRASHES = 4
"""Workers that one job may take down with it before it is called the cause."""
EVENTS_AT_ONCE = 20
QUEUE_READ_LIMIT = 1000
"""More than the whole fleet ever runs: running jobs stand in front of the waiting ones."""
UNLIMITED = 10_000
"""arq gives up silently; tries are counted here instead."""
NOT_STARTED = (
    "❌ **Something broke on our side** before this could be started (reference `{reference}`). "
    "Nothing was charged. Please ask again; if it happens again, tell the operator the reference."
)
BROKEN = (
    "❌ **Something broke on our side** while this was carried out (reference `{reference}`). "
    "Sessions that had begun may have cost money; no score was counted. Please ask again; if it "
    "happens again, tell the operator the reference."
)
"""A request may have run sessions before it broke, so it promises nothing about money."""
CRASHED = (
    "❌ **This request was given up**: the worker that carried it out died {times} times "
    "(reference `{reference}`). Please tell the operator before asking again."
)

log = structlog.get_logger(__name__)


class Jobs:
    """What the two queues call."""

    def __init__(  # noqa: PLR0913 -- the ends of a worker, each of them one
        self,
        redis: Redis,
        handle: HandleEvent,
        carry_out: CarryOut,
        say: Say,
        *,
        end_cancelled: EndCancelled,
        find_words: FindWords = usual_words,
        first_wait: timedelta = FIRST_WAIT,
    ) -> None:
        self._redis = redis
        self._counts = Counts(redis)
        self._handle = handle
        self._carry_out = carry_out
        self._end_cancelled = end_cancelled
        self._cancels = Cancels(redis)
        self._say = say
        self._find_words = find_words
        self._troubles = Troubles(redis, first_wait=first_wait)

    async def handle_event(self, ctx: dict[str, Any], stored: Any) -> None:
        """Decide on an event and act on it; events about one issue take turns."""
        try:
            event = read_event(stored)
        except msgspec.ValidationError:
            await self.answer_unreadable(ctx, stored)
            return
        reference = reference_of(ctx)
        with structlog.contextvars.bound_contextvars(delivery=event.delivery, reference=reference):
            if ctx["job_try"] > MOST_CRASHES:
                await self._give_up_crashing(stored, reference)
                return
            try:
                async with self._turn(event), asyncio.timeout(EVENT_TIMEOUT.total_seconds()):
                    await self._handle(event)
            except Gone as gone:
                log.info("event_came_to_nothing", reason=str(gone))
            except (Transient, TimeoutError, *REDIS_AWAY) as trouble:
                if await self._troubles.is_given_up(ctx, trouble):
                    await self._answer(stored, NOT_STARTED, reference)
            except Exception:
                log.exception("event_failed")
                await self._answer(stored, NOT_STARTED, reference)

    async def carry_out_request(self, ctx: dict[str, Any], stored: Any) -> None:
        """Carry out a request, which answers for itself; here only for what it cannot."""
        try:
            request = Request.model_validate(stored)
        except ValidationError:
            await self.answer_unreadable(ctx, stored)
            return
        reference = reference_of(ctx)
        with structlog.contextvars.bound_contextvars(request=request.key, reference=reference):
            if ctx["job_try"] > MOST_CRASHES:
                await self._give_up_crashing(stored, reference)
                await self._counts.add("requests", "crashed")
                return
            last_try = await self._troubles.is_last_try(ctx)
            try:
                async with asyncio.timeout(JOB_TIMEOUT.total_seconds()):
                    work = self._carry_out(request, last_try)
                    cancelled = await self._cancels.run(reference, work)
                    if cancelled is not None:
                        await self._end_cancelled(request, cancelled)
                        await self._cancels.forget(reference)
            except (Transient, TimeoutError, *REDIS_AWAY) as trouble:
                if await self._troubles.is_given_up(ctx, trouble):
                    await self._answer(stored, BROKEN, reference, how="platform")
                    await self._counts.add("requests", "given_up")
            except Exception:
                log.exception("request_failed")
                await self._answer(stored, BROKEN, reference)
                await self._counts.add("requests", "failed")
            else:
                await self._counts.add("requests", "cancelled" if cancelled else "ended")

    async def end_cancelled(self, ctx: dict[str, Any], stored: Any) -> None:
        """End a request that was cancelled while it waited."""
        try:
            job = CancelledJob.model_validate(stored)
        except ValidationError:
            await self.answer_unreadable(ctx, stored)
            return
        reference = reference_of(ctx)
        with structlog.contextvars.bound_contextvars(request=job.request.key, reference=reference):
            try:
                await self._end_cancelled(job.request, job.cancelled)
            except Gone as gone:
                log.info("nowhere_to_answer", reason=str(gone))
            except (Transient, *REDIS_AWAY) as trouble:
                if await self._troubles.is_given_up(ctx, trouble):
                    await self._answer(stored, BROKEN, reference)
            except Exception:
                log.exception("cancel_failed")
                await self._answer(stored, BROKEN, reference)
            await self._cancels.forget(ctx["job_id"].removeprefix("end:"))
            await self._counts.add("requests", "cancelled")

    async def answer_unreadable(self, ctx: dict[str, Any], stored: Any) -> None:
        """Answer for a job that this version cannot read; later, if GitHub is away."""
        reference = reference_of(ctx)
        try:
            await answer_unreadable(stored, self._say, self._find_words, reference=reference)
        except (Transient, *REDIS_AWAY) as trouble:
            await self._troubles.is_given_up(ctx, trouble)
        except Exception:
            log.exception("not_answered", reference=reference)

    async def _give_up_crashing(self, stored: Any, reference: str) -> None:
        log.error("given_up", crashes=MOST_CRASHES)
        await self._answer(stored, CRASHED, reference, how="crashed")

    async def _answer(
        self, stored: Any, words: str, reference: str, *, how: HowFailed = "broke"
    ) -> None:
        """Tell whoever asked us something; say nothing to others."""
        text = words.format(times=MOST_CRASHES, reference=reference)
        await note_given_up(self._redis, stored, text, reference=reference, how=how)
        try:
            place = await find_heard(stored, self._find_words)
            if place is not None:
                await self._say(place, text)
        except Exception:
            log.exception("not_answered")
            with suppress(*REDIS_AWAY):
                await make_due(self._redis, SCAN)  # which finds whoever waits for an answer

    @asynccontextmanager
    async def _turn(self, event: Event) -> AsyncIterator[None]:
        """Wait for other events of the same issue, so that no two give the same answer.

        A hook that exists twice delivers twice within milliseconds, before GitHub would
        show the first answer to whoever looks for it.
        """
        if isinstance(event, InstallationChanged):
            async with hold(self._redis, f"skillbench:installation:{event.installation_id}"):
                yield
            return
        repository = event.repository
        if isinstance(event, Pushed | RepositoryChanged):
            yield  # it is answered on no issue, and what it asks for is asked for once
            return
        name = f"skillbench:issue:{repository.id}#{event.issue}"
        async with hold(self._redis, name, look_s=0.05):
            yield


def make_workers(
    redis_url: str,
    jobs: Jobs,
    *,
    requests_at_once: int,
    limits: Limits | None = None,
    **options: Any,
) -> tuple[LeaseWorker, LeaseWorker]:
    """The two workers; `options` go to both. Call it inside the running loop."""
    events = _make_worker(
        LeaseWorker,
        redis_url,
        EVENTS,
        {
            HANDLE_EVENT: jobs.handle_event,
            END_CANCELLED: jobs.end_cancelled,
            ANSWER_UNREADABLE: jobs.answer_unreadable,
        },
        max_jobs=EVENTS_AT_ONCE,
        queue_read_limit=QUEUE_READ_LIMIT,
        **{"poll_delay": 0.1, **options},
    )
    requests = _make_worker(
        FairWorker,
        redis_url,
        REQUESTS,
        {CARRY_OUT_REQUEST: jobs.carry_out_request, ANSWER_UNREADABLE: jobs.answer_unreadable},
        max_jobs=requests_at_once,
        queue_read_limit=1,  # it asks for what is next in turn itself
        limits=limits or Limits(),
        **{"poll_delay": 0.2, **options},
    )
    return events, requests


def _make_worker(
    kind: type[LeaseWorker],
    redis_url: str,
    queue: str,
    calls: dict[str, Call],
    **options: Any,
) -> LeaseWorker:
    pool = ArqRedis(
        connection_pool=make_pool(redis_url, socket_timeout=30),
        job_serializer=write_job,
        job_deserializer=lambda stored: read_job(stored, known=calls),
        default_queue_name=queue,
    )
    return kind(
        *(func(cast("WorkerCoroutine", call), name=name) for name, call in calls.items()),
        queue_name=queue,
        redis_pool=pool,
        handle_signals=False,
        job_timeout=2 * JOB_TIMEOUT,  # arq's own ends a job without a word; ours comes first
        keep_result=0,
        max_tries=UNLIMITED,
        health_check_key=f"{queue}:health:{uuid4().hex}",
        health_check_interval=30,
        job_serializer=write_job,
        job_deserializer=lambda stored: read_job(stored, known=calls),
        log_results=False,
        **options,
    )
