"""How soon whoever watches a run is told of its next turn, from the worker's word on."""

import time

import httpx
from redis.asyncio import Redis

from bot.store.live_sessions import LiveWriter
from jobs.values import Arm
from tests.bot.sse import watching
from tests.bot.web_pages.live_seed import ADDRESS, RUN, a_head, a_move, an_arm


async def time_updates(base_url: str, redis: Redis, *, count: int) -> list[float]:
    """Milliseconds of each of so many turns, told one after another, over server-sent events."""
    writer = LiveWriter(redis)
    times = []
    async with writer.writing(), httpx.AsyncClient(base_url=base_url) as client:
        writer.begin(a_head())
        writer.move(RUN, a_move("running"))
        async with watching(client, f"{ADDRESS}/events") as watcher:
            await watcher.until(lambda said: "running" in said)
            for turns in range(2, count + 2):
                began = time.perf_counter()
                writer.show(RUN, an_arm(Arm.WITH_SKILL, 1, turns))
                await watcher.until(lambda said, turns=turns: f" {turns} turns of" in said)  # type: ignore[misc]
                times.append((time.perf_counter() - began) * 1000)
        writer.move(RUN, a_move("ended"))
    return times
