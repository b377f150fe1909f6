"""Writes are spaced per installation, over all processes that share a Redis.

Nothing here waits: a reservation only says how long one would.
"""

import asyncio
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import pytest
from redis.asyncio import Redis

from bot.github.pacing import HOUR_S, MemoryPacer, Pacer, RedisPacer
from tests.bot.github.clocks import StoppedClock
from tests.bot.github.conftest import World

AN_HOUR = 20


@pytest.fixture(params=["memory", "redis"])
async def pacer(request: pytest.FixtureRequest, redis_socket: Path) -> AsyncIterator[Pacer]:
    alone = MemoryPacer(StoppedClock().time, an_hour=AN_HOUR)
    if request.param == "memory":
        yield alone
        return
    async with Redis(unix_socket_path=str(redis_socket)) as redis:
        yield RedisPacer(redis, alone, an_hour=AN_HOUR)


async def test_writes_come_a_second_apart(pacer: Pacer):
    waits = [(await pacer.reserve(7, longest_s=900)).wait_s for _ in range(4)]
    assert waits == pytest.approx([0, 1, 2, 3], abs=0.5)
    assert all(later - earlier >= 0.5 for earlier, later in pairwise(waits))


async def test_installations_do_not_wait_for_each_other(pacer: Pacer):
    for installation in range(1, 6):
        slot = await pacer.reserve(installation, longest_s=0)
        assert slot.granted


async def test_more_than_the_hour_allows_is_put_off_by_an_hour(pacer: Pacer):
    for _ in range(AN_HOUR):
        assert (await pacer.reserve(7, longest_s=900)).granted
    refused = await pacer.reserve(7, longest_s=900)
    assert not refused.granted
    assert refused.wait_s == pytest.approx(HOUR_S, abs=5)


async def test_a_refusal_takes_nothing_from_the_next(pacer: Pacer):
    await pacer.reserve(7, longest_s=900)
    for _ in range(3):
        assert not (await pacer.reserve(7, longest_s=0.2)).granted
    assert (await pacer.reserve(7, longest_s=900)).wait_s == pytest.approx(1, abs=0.5)


async def test_what_can_be_dropped_leaves_writes_for_reports(pacer: Pacer):
    for _ in range(AN_HOUR - 5):
        await pacer.reserve(7, longest_s=900)
    assert not (await pacer.reserve(7, longest_s=60, kept_back=5)).granted
    assert (await pacer.reserve(7, longest_s=60)).granted


async def test_a_pause_holds_every_write_of_the_installation_and_no_other(pacer: Pacer):
    await pacer.pause(7, 60)
    await pacer.pause(7, 10)
    assert (await pacer.reserve(7, longest_s=900)).wait_s == pytest.approx(60, abs=1)
    assert (await pacer.reserve(8, longest_s=900)).wait_s == 0


async def test_two_processes_share_one_schedule(redis_socket: Path):
    alone = MemoryPacer(StoppedClock().time)
    url = str(redis_socket)
    async with Redis(unix_socket_path=url) as one, Redis(unix_socket_path=url) as two:
        pacers = [RedisPacer(one, alone), RedisPacer(two, alone)] * 5
        slots = await asyncio.gather(*(pacer.reserve(7, longest_s=900) for pacer in pacers))
    waits = sorted(slot.wait_s for slot in slots)
    assert waits == pytest.approx(range(10), abs=0.5)


async def test_two_apps_on_one_redis_write_in_turn(world: World, redis_socket: Path):
    async with Redis(unix_socket_path=str(redis_socket)) as redis:
        for reaction in ("eyes", "rocket", "heart"):
            app = await world.another_app(redis=redis)
            await app.repository(world.repo).react(7, None, reaction)
    assert world.clock.waits == pytest.approx([1, 2], abs=0.9)
    assert len(world.handle.issue(7).reactions) == 3


async def test_without_redis_a_process_keeps_its_own_schedule(tmp_path: Path):
    clock = StoppedClock()
    async with Redis(unix_socket_path=str(tmp_path / "nobody-listens")) as redis:
        pacer = RedisPacer(redis, MemoryPacer(clock.time))
        assert [(await pacer.reserve(7, longest_s=900)).wait_s for _ in range(3)] == [0, 1, 2]
        await pacer.pause(7, 30)
        assert (await pacer.reserve(7, longest_s=900)).wait_s == 30


async def test_the_hour_slides():
    """After an hour the first writes no longer count."""
    clock = StoppedClock()
    pacer = MemoryPacer(clock.time, an_hour=2)
    for _ in range(2):
        await pacer.reserve(7, longest_s=900)
    clock.now += HOUR_S
    assert (await pacer.reserve(7, longest_s=0)).granted
    assert not (await pacer.reserve(7, longest_s=0)).granted
