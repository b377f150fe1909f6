"""Workers that are stopped, updated, killed, or given rubbish; and a Redis that restarts."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from bot.embedded_redis import embedded_redis
from bot.intake import Intake
from bot.queues import EVENTS, REQUESTS, enqueue, make_job, now_ms
from bot.worker import MOST_CRASHES
from jobs.errors import Transient
from tests.bot.working import WAIT_S, World, put_job, settled, working
from tests.builders import a_request
from tests.handlers.events import a_commented

LOST = "cannot be read any more"


@pytest.mark.parametrize(
    "argument",
    [
        a_request().model_dump(mode="json") | {"version": 2},
        a_request().model_dump(mode="json") | {"a_field_of_the_future": 1},
    ],
)
async def test_a_request_of_another_version_is_answered(
    redis_url: str, redis: Redis, argument: dict[str, Any]
) -> None:
    world = World()
    await put_job(redis, REQUESTS, make_job("carry_out_request", argument, now_ms()))
    async with working(redis_url, world):
        await settled(redis, REQUESTS)
    assert world.happened == []
    assert [issue for issue, _ in world.said] == [21]
    assert LOST in world.said[0][1]


@pytest.mark.parametrize("queue", [REQUESTS, EVENTS])
async def test_a_function_that_nobody_knows_is_answered(
    redis_url: str, redis: Redis, queue: str
) -> None:
    world = World()
    argument = a_request().model_dump(mode="json")
    await put_job(redis, queue, make_job("a_renamed_function", argument, now_ms()))
    async with working(redis_url, world):
        await settled(redis, queue)
    assert [issue for issue, _ in world.said] == [21]
    assert LOST in world.said[0][1]


async def test_an_event_of_another_version_is_answered_if_it_speaks_to_us(
    redis_url: str, redis: Redis
) -> None:
    world = World()
    for number, text in enumerate(("@skillbench run", "hello")):
        argument = {"version": 2, "event": a_commented(text)}
        await put_job(redis, EVENTS, make_job("handle_event", argument, now_ms()), f"j{number}")
    async with working(redis_url, world):
        await settled(redis, EVENTS)
    assert [issue for issue, _ in world.said] == [21]
    assert LOST in world.said[0][1]


@pytest.mark.parametrize("stored", [b"\x80\x04pickled", b"", b"{}"])
async def test_rubbish_in_the_queue_stops_nothing(
    redis_url: str, redis: Redis, stored: bytes
) -> None:
    world = World()
    await put_job(redis, EVENTS, stored)
    await Intake(redis).take(a_commented("hello"), target="77")
    async with working(redis_url, world):
        await settled(redis, EVENTS)
    assert world.happened == ["event hello"]


async def test_a_worker_that_is_stopped_hands_its_request_back_at_once(
    redis_url: str, redis: Redis
) -> None:
    """However often that happens, it counts as nothing."""
    world = World(gate=asyncio.Event())
    await enqueue(redis, a_request(key="k"))
    for times in range(1, MOST_CRASHES + 3):
        async with working(redis_url, world):
            await world.until(lambda: world.happened.count("request k") == times)  # noqa: B023
        assert world.happened[-1] == "cancelled k"
        assert not await redis.exists("arq:in-progress:request:k")
    assert world.gate is not None
    world.gate.set()
    async with working(redis_url, world):
        await settled(redis, REQUESTS)
    assert world.happened[-1] == "ended k"
    assert world.said == []


async def test_a_request_that_takes_its_worker_down_again_and_again_is_given_up(
    redis_url: str, redis: Redis
) -> None:
    world = World()
    await enqueue(redis, a_request(key="k"))
    await redis.set("arq:retry:request:k", MOST_CRASHES)
    async with working(redis_url, world):
        await settled(redis, REQUESTS)
    assert world.happened == []
    [(_, text)] = world.said
    assert f"died {MOST_CRASHES} times" in text


async def test_an_event_that_takes_its_worker_down_is_given_up_too(
    redis_url: str, redis: Redis
) -> None:
    """It would take down every worker that starts."""
    world = World()
    await Intake(redis).take(a_commented("@skillbench run", delivery="d-1"), target="77")
    await redis.set("arq:retry:event:77:d-1", MOST_CRASHES)
    async with working(redis_url, world):
        await settled(redis, EVENTS)
    assert world.happened == []
    assert len(world.said) == 1


async def test_an_answer_about_an_unreadable_job_waits_for_github(
    redis_url: str, redis: Redis
) -> None:
    world = World(say_outcomes=[Transient("down"), Transient("down")])
    argument = a_request().model_dump(mode="json") | {"version": 2}
    await put_job(redis, REQUESTS, make_job("carry_out_request", argument, now_ms()))
    async with working(redis_url, world):
        await settled(redis, REQUESTS)
    assert len(world.said) == 1


async def test_the_same_label_lost_twice_is_answered_in_different_words(
    redis_url: str, redis: Redis
) -> None:
    """An answer is found again by its words; the second would pass for the first."""
    world = World()
    argument = a_request(key="label:acme/skills#21").model_dump(mode="json") | {"version": 2}
    async with working(redis_url, world):
        for asked_ms in (now_ms() - 60_000, now_ms()):
            stored = make_job("carry_out_request", argument, asked_ms)
            await put_job(redis, REQUESTS, stored, "request:label:acme/skills#21")
            await settled(redis, REQUESTS)
    assert len({text for _, text in world.said}) == 2


@pytest.mark.parametrize("enqueued", [-1, 2**80, True])
async def test_a_job_of_an_impossible_time_stops_no_worker(
    redis_url: str, redis: Redis, enqueued: int
) -> None:
    world = World()
    await put_job(
        redis,
        REQUESTS,
        json.dumps(
            {"t": None, "f": "carry_out_request", "a": [{}], "k": {}, "et": enqueued}
        ).encode(),
    )
    await enqueue(redis, a_request(key="next"))
    async with working(redis_url, world):
        await settled(redis, REQUESTS)
    assert "ended next" in world.happened


async def test_a_restart_of_redis_loses_neither_worker_nor_waiting_jobs(short_path: Path) -> None:
    world = World(gate=asyncio.Event())
    assert world.gate is not None
    async with embedded_redis(short_path, append_only=True) as url:
        async with Redis.from_url(url) as redis:
            await enqueue(redis, a_request(key="running"))
        start = working(url, world)
        await start.__aenter__()
        await world.until(lambda: "request running" in world.happened)
    try:
        async with embedded_redis(short_path, append_only=True), Redis.from_url(url) as redis:
            await enqueue(redis, a_request(key="next"))
            await world.until(lambda: "request next" in world.happened)
            world.gate.set()
            await settled(redis, REQUESTS)
            assert world.happened.count("request running") == 1
            assert "ended running" in world.happened
            await start.__aexit__(None, None, None)
    finally:
        await start.__aexit__(None, None, None)


async def test_each_worker_has_a_health_key_of_its_own(redis_url: str, redis: Redis) -> None:
    """With a shared one, any worker that leaves would report all others dead."""

    async def seen(count: int) -> None:
        async with asyncio.timeout(WAIT_S):
            while len(await redis.keys("*:health:*")) != count:
                await asyncio.sleep(0.02)

    async with working(redis_url, World()):
        async with working(redis_url, World()):
            await seen(4)
        await seen(2)
    await seen(0)


async def test_a_waiting_job_is_seen_behind_many_running_ones(redis_url: str, redis: Redis) -> None:
    """Running jobs stay in front of the queue; a short look at it would see only those."""
    world = World()
    await redis.zadd(REQUESTS, {f"elsewhere-{n}": 1 for n in range(300)})
    for number in range(300):
        await redis.set(f"arq:in-progress:elsewhere-{number}", "somebody")
    await enqueue(redis, a_request(key="k"))
    async with working(redis_url, world):
        await world.until(lambda: "ended k" in world.happened)
