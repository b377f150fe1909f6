"""Chores are done at the start and when they are due, by one process, and end no worker."""

import asyncio
from datetime import timedelta

from redis.asyncio import Redis

from bot.upkeep.rounds import Chore, do_if_due, do_rounds
from jobs.errors import Transient

HOUR = timedelta(hours=1)
WAIT_S = 20.0


class Noted:
    """A chore that notes each time it is done, and may fail or wait."""

    def __init__(self, *outcomes: Exception) -> None:
        self.times = 0
        self.outcomes = list(outcomes)
        self.gate: asyncio.Event | None = None
        self.started = asyncio.Event()
        self.enough = asyncio.Event()

    async def run(self) -> None:
        self.started.set()
        if self.gate:
            await self.gate.wait()
        self.times += 1
        if self.outcomes:
            raise self.outcomes.pop(0)
        self.enough.set()

    def chore(self, every: timedelta = HOUR) -> Chore:
        return Chore("noted", every, self.run)


async def test_a_chore_is_done_once_in_its_time(redis: Redis) -> None:
    noted = Noted()
    assert await do_if_due(redis, noted.chore(), done_for=HOUR)
    assert not await do_if_due(redis, noted.chore(), done_for=HOUR)
    assert noted.times == 1


async def test_one_process_at_a_time_does_it(redis: Redis) -> None:
    """A second worker that starts meanwhile leaves it to the first."""
    noted = Noted()
    noted.gate = asyncio.Event()
    first = asyncio.create_task(do_if_due(redis, noted.chore(), done_for=HOUR))
    await asyncio.wait_for(noted.started.wait(), WAIT_S)
    assert not await do_if_due(redis, noted.chore(), done_for=HOUR)
    noted.gate.set()
    assert await first
    assert noted.times == 1


async def test_what_was_cut_off_is_due_still_and_free_at_once(redis: Redis) -> None:
    noted = Noted()
    noted.gate = asyncio.Event()
    first = asyncio.create_task(do_if_due(redis, noted.chore(), done_for=HOUR))
    await asyncio.wait_for(noted.started.wait(), WAIT_S)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    noted.gate.set()
    assert await do_if_due(redis, noted.chore(), done_for=HOUR)


async def test_failures_end_neither_the_rounds_nor_other_chores(redis: Redis) -> None:
    """GitHub away, a defect, Redis gone: it is tried again."""
    failing = Noted(Transient("away"), RuntimeError("a defect"), ConnectionError("no Redis"))
    other = Noted()
    chores = [failing.chore(), Chore("other", HOUR, other.run)]
    rounds = asyncio.create_task(do_rounds(redis, chores, pause_s=0.01))
    try:
        await asyncio.wait_for(failing.enough.wait(), WAIT_S)
        await asyncio.wait_for(other.enough.wait(), WAIT_S)
    finally:
        rounds.cancel()
        await asyncio.gather(rounds, return_exceptions=True)
    assert failing.times == 4
    assert other.times == 1


async def test_an_emptied_redis_makes_everything_due(redis: Redis) -> None:
    noted = Noted()
    await do_if_due(redis, noted.chore(), done_for=HOUR)
    await redis.flushall()
    assert await do_if_due(redis, noted.chore(), done_for=HOUR)
