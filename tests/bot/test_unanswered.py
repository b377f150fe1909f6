"""Where GitHub is away for so long that not even an apology gets through, a scan is due."""

import asyncio
from datetime import timedelta

from redis.asyncio import Redis

from bot.queues import EVENTS, HANDLE_EVENT, make_job, now_ms
from bot.troubles import MOST_TROUBLES
from bot.upkeep.rounds import SCAN, Chore, do_if_due
from jobs.errors import Transient
from tests.bot.working import WAIT_S, World, put_job, settled, working
from tests.handlers.events import a_labelled


async def test_an_event_that_could_not_even_be_apologized_for_is_found_by_a_scan(
    redis: Redis, redis_url: str
) -> None:
    """The scan was done just now, and is due again."""
    scanned: list[str] = []

    async def scan() -> None:
        scanned.append("scan")

    chore = Chore(SCAN, timedelta(hours=6), scan)
    assert await do_if_due(redis, chore, done_for=chore.every)
    away = [Transient("GitHub is away") for _ in range(MOST_TROUBLES)]
    world = World(event_outcomes=[*away], say_outcomes=[Transient("still away")])
    event = {"version": 1, "event": a_labelled(labels=("needs-benchmark",))}
    async with working(redis_url, world):
        await put_job(redis, EVENTS, make_job(HANDLE_EVENT, event, now_ms()))
        async with asyncio.timeout(WAIT_S):
            await settled(redis, EVENTS)
    assert world.said == []
    assert await do_if_due(redis, chore, done_for=chore.every)
    assert scanned == ["scan", "scan"]
