"""The two queues: their names, what a job looks like in them, and how a request gets in.

Jobs are plain JSON in arq's own layout. Nothing is pickled, so being able to write to
Redis does not mean being able to run code here. The web process writes jobs without
loading arq.
"""

import time
from collections.abc import AsyncIterator, Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from pydantic import ValidationError
from redis.asyncio import Redis

from bot.turns import ARRIVALS, ENQUEUE_IN_TURN, LATEST, SERVED, find_lanes, find_party
from handlers.events import Event
from jobs.requests import Request

EVENTS = "skillbench:events"
"""Events have a queue of their own: a reaction never waits behind sessions."""
REQUESTS = "skillbench:requests"

HANDLE_EVENT = "handle_event"
CARRY_OUT_REQUEST = "carry_out_request"
END_CANCELLED = "end_cancelled"
ANSWER_UNREADABLE = "answer_unreadable"
"""Stands in for every job that this version cannot read."""

JOB_KEY = "arq:job:"
ASKED, LATE = "skillbench:asked:", "skillbench:late:"
"""Before the key of a request that is remembered though it may have ended."""
AGAIN = "skillbench:again:"
"""Where a job lies that was asked for while the one with its id goes on: the next to run."""
KEEP_JOB = timedelta(days=30)
"""How long a job may wait for a worker before it is given up."""
REMEMBER = timedelta(days=7)
"""How long a delivery id, or the key of a commented request, is known again."""
EVENT_VERSION = 1
AT_ONCE = 500
"""Jobs that are read from Redis in one go."""
LATEST_MS = 2**43
"""A time that no calendar holds would end the worker that reads it."""

ENQUEUE_ONCE = """
if redis.call('exists', KEYS[3]) == 1 then return 0 end
if redis.call('zscore', KEYS[1], ARGV[1]) then return 0 end
redis.call('set', KEYS[2], ARGV[2], 'px', ARGV[4])
redis.call('zadd', KEYS[1], ARGV[3], ARGV[1])
if ARGV[5] ~= '0' then redis.call('set', KEYS[3], '1', 'px', ARGV[5]) end
return 1
"""
"""Queue, job and memory as keys; id, body, score, time to live and to remember as arguments.

The memory is written last: where an earlier line fails, nothing is remembered.
"""


def milliseconds(period: timedelta) -> int:
    return int(period.total_seconds() * 1000)


def make_job(
    function: str, argument: object, now_ms: int, lanes: Collection[str] | None = None
) -> bytes:
    """A job that calls `function` with one argument, as arq stores it.

    `lanes` are for Redis alone, which lets jobs begin by them (`bot.turns`).
    """
    job: dict[str, object] = {"t": None, "f": function, "a": [argument], "k": {}, "et": now_ms}
    return msgspec.json.encode(job | {"lanes": lanes} if lanes else job)


def write_job(job: dict[str, Any]) -> bytes:
    """Arq's `job_serializer`. Results are kept by nobody, so only jobs are ever written."""
    return msgspec.json.encode(job)


def read_job(stored: bytes, *, known: Collection[str]) -> dict[str, Any]:
    """Arq's `job_deserializer`. A job that makes no sense here becomes `ANSWER_UNREADABLE`.

    It is the same job however often it is read, so its time is no reading's.
    """
    enqueued = 0
    try:
        job = msgspec.json.decode(stored)
        if isinstance(job["et"], int) and 0 <= job["et"] < LATEST_MS:
            enqueued = job["et"]
            known_call = job["f"] in known and isinstance(job["a"], list) and len(job["a"]) == 1
            if known_call and job["k"] == {}:
                return {"t": None, "f": job["f"], "a": job["a"], "k": {}, "et": enqueued}
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError, TypeError):
        pass
    text = stored.decode("utf-8", errors="replace")
    return {"t": None, "f": ANSWER_UNREADABLE, "a": [text], "k": {}, "et": enqueued}


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def read_event(stored: Any) -> Event:
    """The event in a job's argument. Raises `msgspec.ValidationError` for what it cannot read."""
    if not isinstance(stored, dict) or stored.get("version") != EVENT_VERSION:
        raise msgspec.ValidationError(f"no event of version {EVENT_VERSION}")
    event: Event = msgspec.convert(stored.get("event"), Event)
    return event


@dataclass(frozen=True, slots=True)
class Asking:
    """Which delivery put a request on the queue, and when."""

    delivery: str
    at: datetime


async def enqueue(
    redis: Redis, request: Request, *, delivery: str = "", is_late: bool = False
) -> bool:
    """Put a request on its queue, in turn; False where its key is there, or was this week.

    A request from a comment is known by its key for a week, since its delivery may come
    again. One from a label is known only while it waits or runs; it is looked at once more
    when that has ended, since the label may have been put on again in the moment in which it
    was taken off. `delivery` is noted for `find_asking`. One that `is_late` was taken before
    and has not ended: only its being there keeps it out.
    """
    now = now_ms()
    job_id = f"request:{request.key}"
    is_label = request.origin == "label"
    remember = 0 if is_label or is_late else milliseconds(REMEMBER)
    job = make_job(CARRY_OUT_REQUEST, request.model_dump(mode="json"), now, find_lanes(request))
    memory = f"{LATE if is_late else ASKED}{request.key}"
    if is_label:  # first, so that the one under way cannot end without seeing it
        await redis.set(AGAIN + job_id, job, px=milliseconds(KEEP_JOB))
    taken = await redis.register_script(ENQUEUE_IN_TURN)(
        keys=[REQUESTS, JOB_KEY + job_id, memory, SERVED, LATEST, ARRIVALS],
        args=[
            job_id,
            job,
            find_party(request),
            milliseconds(KEEP_JOB),
            remember,
        ],
    )
    if taken:
        await redis.delete(AGAIN + job_id)
        asking = msgspec.json.encode({"delivery": delivery, "at": now})
        await redis.set(_asking_key(request), asking, px=milliseconds(REMEMBER))
    return bool(taken)


async def find_asking(redis: Redis, request: Request) -> Asking | None:
    """Who put the request with this key on the queue last; None where that is not known."""
    stored = await redis.get(_asking_key(request))
    if stored is None:
        return None
    noted = msgspec.json.decode(stored)
    return Asking(noted["delivery"], datetime.fromtimestamp(noted["at"] / 1000, UTC))


class RequestQueue:
    """The way onto the queue of requests, as dispatch takes it."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def enqueue(self, request: Request, *, delivery: str) -> bool:
        return await enqueue(self._redis, request, delivery=delivery)

    async def find_asking(self, request: Request) -> Asking | None:
        return await find_asking(self._redis, request)


async def list_requests(redis: Redis) -> AsyncIterator[Request]:
    """Every request that waits or runs, as far as this version can read them."""
    start = 0
    while job_ids := await redis.zrange(REQUESTS, start, start + AT_ONCE - 1):
        stored = await redis.mget([JOB_KEY + job_id.decode() for job_id in job_ids])
        for job in stored:
            with suppress(msgspec.DecodeError, ValidationError, KeyError, IndexError, TypeError):
                yield Request.model_validate(msgspec.json.decode(job or b"null")["a"][0])
        start += AT_ONCE


async def forget_asking(redis: Redis, request: Request) -> None:
    """Nobody put it there by a delivery: one that comes later is no second asking."""
    await redis.delete(_asking_key(request))


def _asking_key(request: Request) -> str:
    return f"skillbench:asking:{request.key}"
