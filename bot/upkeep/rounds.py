"""Chores done now and then, by one process of the fleet at a time.

A chore is a coroutine that may be cut off anywhere and begun again. When it was done last
stands in Redis, so that more workers mean no more rounds; an emptied Redis makes every chore
due at once, which is just what it needs. A chore that fails is logged and tried next time:
nothing here ends a worker.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

import structlog
from redis.asyncio import Redis
from redis.asyncio.lock import Lock
from redis.exceptions import LockError

from bot.queues import milliseconds
from bot.redis_clients import REDIS_AWAY
from jobs.alongside import alongside
from jobs.errors import Error

HELD_S = 60.0
"""A killed worker's chore is free again after this long."""
AFTER_START = timedelta(seconds=30)
"""A worker that starts does a chore at once, unless another worker has done it just now."""
LONGEST_PAUSE_S = 60.0
SCAN = "scan"
"""The chore that finds whoever was not heard, or not answered."""
MOST_PAUSES = 8
"""A chore that fails again and again rests for so many pauses."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Chore:
    """Something to be done every so often."""

    name: str
    every: timedelta
    run: Callable[[], Awaitable[None]]


async def do_rounds(redis: Redis, chores: Sequence[Chore], *, pause_s: float = 0.0) -> None:
    """Do every chore at the start and whenever it is due, until cancelled.

    `pause_s` is how long to wait between two looks at the clock; 0: as each chore needs it.
    """
    async with asyncio.TaskGroup() as group:
        for chore in chores:
            group.create_task(_keep_doing(redis, chore, pause_s))


async def _keep_doing(redis: Redis, chore: Chore, pause_s: float) -> None:
    pause_s = pause_s or min(chore.every.total_seconds() / 5, LONGEST_PAUSE_S)
    done_for, failures = AFTER_START, 0
    while True:
        failures += 1
        try:
            await do_if_due(redis, chore, done_for=done_for)
            failures = 0
        except REDIS_AWAY as trouble:
            log.warning("chore_waits", chore=chore.name, problem=type(trouble).__name__)
        except Error as trouble:
            log.warning("chore_put_off", chore=chore.name, problem=str(trouble))
        except Exception:
            log.exception("chore_failed", chore=chore.name)
        done_for = chore.every
        rest_s = pause_s * min(2**failures, MOST_PAUSES) * (1 + random.random() / 4)  # noqa: S311
        await asyncio.sleep(rest_s)


async def do_if_due(redis: Redis, chore: Chore, *, done_for: timedelta) -> bool:
    """Do a chore unless it was done within `done_for`, or is being done; whether it was."""
    since_key = f"skillbench:chore:{chore.name}"
    now = milliseconds_of(await redis.time())
    last = int(await redis.get(since_key) or 0)
    if last and now - last < milliseconds(done_for):
        return False
    lock = redis.lock(f"{since_key}:held", timeout=HELD_S)
    if not await lock.acquire(blocking=False):
        return False
    try:
        async with alongside(_renew(lock)):
            await chore.run()
        await redis.set(since_key, now)
    finally:
        with suppress(LockError, *REDIS_AWAY):  # it frees itself
            await lock.release()
    return True


async def make_due(redis: Redis, name: str) -> None:
    """Have a chore done at the next look at the clock, by whoever looks first."""
    await redis.delete(f"skillbench:chore:{name}")


def milliseconds_of(time: tuple[int, int]) -> int:
    """What Redis calls the time, so that workers with different clocks agree."""
    seconds, micros = time
    return seconds * 1000 + micros // 1000


async def _renew(lock: Lock) -> None:
    while True:
        await asyncio.sleep(HELD_S / 3)
        with suppress(LockError, *REDIS_AWAY):
            await lock.reacquire()
