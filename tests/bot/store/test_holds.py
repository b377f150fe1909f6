"""One process at a time, and a dead one blocks nobody for longer than its lease."""

import asyncio
import time

import msgspec
from redis.asyncio import Redis

from bot.store.holds import LEASE_S, hold
from bot.worker import Jobs
from handlers.events import Event
from tests.bot.working import World
from tests.handlers.events import a_commented

SHORT_S = 0.3
ISSUE = "skillbench:issue:9#21"


async def test_a_hold_lasts_as_long_as_its_block(redis: Redis) -> None:
    """Far longer than its lease, since it is renewed."""
    order: list[str] = []

    async def second() -> None:
        async with hold(redis, "name", lease_s=SHORT_S, look_s=0.01):
            order.append("second")

    async with hold(redis, "name", lease_s=SHORT_S):
        waiting = asyncio.create_task(second())
        await asyncio.wait({waiting}, timeout=3 * SHORT_S)
        order.append("first")
    await waiting
    assert order == ["first", "second"]


async def test_a_dead_holder_blocks_others_for_its_lease_and_no_longer(redis: Redis) -> None:
    await redis.lock("name", timeout=SHORT_S).acquire()  # by somebody who never comes back
    began = time.monotonic()
    async with asyncio.timeout(10), hold(redis, "name", look_s=0.01):
        assert time.monotonic() - began > SHORT_S / 2


async def test_an_event_holds_its_issue_no_longer_than_a_job_its_worker(redis: Redis) -> None:
    """What a killed worker was deciding on goes on as soon as its job does."""
    left_ms: list[int] = []

    async def handle(_: Event) -> None:
        left_ms.append(await redis.pttl(ISSUE))

    world = World()
    jobs = Jobs(redis, handle, world.carry_out, world.say, end_cancelled=world.end_cancelled)
    stored = {"version": 1, "event": a_commented()}
    context = {"job_id": "event:77:d-1", "job_try": 1, "enqueue_time": a_commented().created_at}
    await jobs.handle_event(context, _as_json(stored))
    assert 0 < left_ms[0] <= LEASE_S * 1000


def _as_json(stored: object) -> object:
    return msgspec.json.decode(msgspec.json.encode(stored))
