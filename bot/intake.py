"""Takes events into the queue, each delivery once, many deliveries a round trip.

While one batch is on its way to Redis, the deliveries that arrive meanwhile gather for the
next one; each still waits for its own answer, so nothing is acknowledged before Redis has
it. An event is remembered and enqueued by one script: both happen or neither does.
"""

import asyncio
from collections import deque
from dataclasses import dataclass

from redis.asyncio import Redis

from bot.queues import (
    ENQUEUE_ONCE,
    EVENT_VERSION,
    EVENTS,
    HANDLE_EVENT,
    JOB_KEY,
    KEEP_JOB,
    REMEMBER,
    make_job,
    milliseconds,
    now_ms,
)
from handlers.events import Event
from jobs.errors import Error

BATCH = 128
"""Deliveries per round trip: at this size the cost of a round trip has all but vanished."""

KEEP_JOB_MS = milliseconds(KEEP_JOB)
REMEMBER_MS = milliseconds(REMEMBER)


class QueueUnavailable(Error):  # noqa: N818 -- a state, not a defect
    """Redis cannot take events now."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    arguments: tuple[str | int | bytes, ...]
    taken: asyncio.Future[bool]


class Intake:
    """The way into the events queue."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._waiting: deque[_Waiting] = deque()
        self._sending: asyncio.Task[None] | None = None

    async def take(self, event: Event, *, target: str) -> bool:
        """Enqueue an event; False where this delivery was taken before.

        `target` is the id of the hook's target, under which delivery ids are unique.
        Raises `QueueUnavailable`; the delivery is then not remembered.
        """
        now = now_ms()
        job_id = f"event:{target}:{event.delivery}"
        job = make_job(HANDLE_EVENT, {"version": EVENT_VERSION, "event": event}, now)
        taken: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        memory = f"skillbench:delivery:{target}:{event.delivery}"
        arguments = (
            *(EVENTS, JOB_KEY + job_id, memory),
            *(job_id, job, now, KEEP_JOB_MS, REMEMBER_MS),
        )
        self._waiting.append(_Waiting(arguments, taken))
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send_batches())
        return await taken

    async def _send_batches(self) -> None:
        while self._waiting:
            count = min(BATCH, len(self._waiting))
            batch = [self._waiting.popleft() for _ in range(count)]
            try:
                answers = await self._send(batch)
            except Exception as error:  # noqa: BLE001 -- nobody may be left waiting for ever
                answers = [error] * count
            for waiting, answer in zip(batch, answers, strict=True):
                if waiting.taken.done():  # its request went away; GitHub will ask again
                    continue
                if isinstance(answer, Exception):
                    waiting.taken.set_exception(QueueUnavailable(type(answer).__name__))
                else:
                    waiting.taken.set_result(bool(answer))

    async def _send(self, batch: list[_Waiting]) -> list[object]:
        pipeline = self._redis.pipeline(transaction=False)
        for waiting in batch:
            pipeline.execute_command("EVAL", ENQUEUE_ONCE, 3, *waiting.arguments)
        answers: list[object] = await pipeline.execute(raise_on_error=False)
        return answers
