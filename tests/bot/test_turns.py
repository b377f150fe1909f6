"""Requests in turn and within limits, over real workers on a real Redis."""

import asyncio
import resource
from collections import Counter
from typing import Any

import pytest
from redis.asyncio import Redis

from bot.leaving import run_workers
from bot.queues import JOB_KEY, REQUESTS, enqueue, now_ms
from bot.turns import MOST_READ, SLOTS, Limits, find_lanes
from bot.worker import Jobs, make_workers
from jobs.errors import Transient
from jobs.requests import Repo, Request
from tests.bot.working import World, settled, working
from tests.builders import a_request


def asked(name: str, number: int, **fields: Any) -> Request:
    """A request in the repository `acme/NAME`."""
    repo = Repo(owner="acme", name=name, installation_id=1)
    return a_request(**{"key": f"{name}-{number}", "repo": repo} | fields)


def started(world: World) -> list[str]:
    return [one.removeprefix("request ") for one in world.happened if one.startswith("request ")]


async def test_five_hundred_labels_of_one_repository_delay_another_by_one(
    redis_url: str, redis: Redis
) -> None:
    """Turns go round: the second repository's only request is next, not the 501st."""
    for number in range(500):
        await enqueue(redis, asked("many", number))
    await enqueue(redis, asked("single", 0))
    world = World(gate=asyncio.Event())
    limits = Limits(per_repository=1)
    async with working(redis_url, world, limits=limits):
        await world.until(lambda: len(started(world)) == 2)
        assert sorted(started(world)) == ["many-0", "single-0"]


async def test_an_app_that_comes_to_hundreds_of_repositories_keeps_nobody_waiting(
    redis_url: str, redis: Redis
) -> None:
    """Welcomes take one turn for each owner, and few go on at once."""
    for number in range(300):
        await enqueue(redis, asked(f"new{number}", 0, kind="welcome", key=f"welcome-{number}"))
    await enqueue(redis, asked("single", 0))
    world = World(gate=asyncio.Event())
    async with working(redis_url, world, limits=Limits(per_repository=1)):
        await world.until(lambda: len(started(world)) == 2)
        assert sorted(started(world)) == ["single-0", "welcome-0"]


async def test_who_comes_later_need_not_wait_for_what_is_queued_already(
    redis_url: str, redis: Redis
) -> None:
    """Nor may an idle repository save turns up: it takes its place from now on."""
    world = World()
    async with working(redis_url, world, limits=Limits(overall=1)):
        for number in range(4):
            await enqueue(redis, asked("many", number))
        await settled(redis, REQUESTS)
    for number in range(4, 8):
        await enqueue(redis, asked("many", number))
    for number in range(3):
        await enqueue(redis, asked("other", number))
    world.happened.clear()
    async with working(redis_url, world, limits=Limits(overall=1)):
        await settled(redis, REQUESTS)
    order = [one.partition("-")[0] for one in started(world)]
    assert order == ["other", "many", "other", "many", "other", "many", "many"]


@pytest.mark.parametrize(
    ("limits", "most"),
    [
        (Limits(overall=1), {"": 1}),
        (Limits(per_repository=1), {"one": 1, "two": 1}),
        (Limits(per_provider=1, default_model="claude-sonnet"), {"claude": 1, "gpt-4.1": 1}),
    ],
    ids=["overall", "per repository", "per provider"],
)
async def test_limits_hold_over_all_workers(
    redis_url: str, redis: Redis, limits: Limits, most: dict[str, int]
) -> None:
    """Two workers with two places each; a request without a model counts as the default's."""
    under_way: Counter[str] = Counter()
    highest: Counter[str] = Counter()

    async def carry_out(request: Request, _: bool) -> None:
        lanes = ["", request.repo.name, (request.models or ("claude",))[0]]
        under_way.update(lanes)
        for lane in lanes:
            highest[lane] = max(highest[lane], under_way[lane])
        await asyncio.sleep(0)
        await redis.ping()
        under_way.subtract(lanes)

    for number in range(4):
        await enqueue(redis, asked("one", number))
        await enqueue(redis, asked("two", number, models=("gpt-4.1",)))
    first, second = World(), World()
    first.carry_out = second.carry_out = carry_out  # type: ignore[method-assign]
    async with (
        working(redis_url, first, limits=limits, poll_delay=0.02),
        working(redis_url, second, limits=limits, poll_delay=0.02),
    ):
        await settled(redis, REQUESTS)
    assert {lane: highest[lane] for lane in most} == most


async def test_a_job_that_waits_for_its_limit_holds_no_place_of_the_worker(
    redis_url: str, redis: Redis
) -> None:
    """Two places, one repository at its limit of one: the other place takes who comes."""
    for number in range(3):
        await enqueue(redis, asked("many", number))
    world = World(gate=asyncio.Event())
    async with working(redis_url, world, limits=Limits(per_repository=1)):
        await world.until(lambda: len(started(world)) == 1)
        await enqueue(redis, asked("late", 0))
        await world.until(lambda: len(started(world)) == 2)
        assert started(world) == ["many-0", "late-0"]


async def test_what_a_full_provider_has_waiting_hides_nobody(redis_url: str, redis: Redis) -> None:
    """More than one look reads, and first in turn: the next look goes on behind them."""
    for number in range(MOST_READ + 50):
        await enqueue(redis, asked(f"repo{number}", 0, models=("claude-sonnet",)))
    await enqueue(redis, asked("other", 0, models=("gpt-4.1",)))
    world = World(gate=asyncio.Event())
    async with working(redis_url, world, limits=Limits(per_provider=1), poll_delay=0.02):
        await world.until(lambda: len(started(world)) == 2)
        assert started(world) == ["repo0-0", "other-0"]


async def test_the_slots_of_a_dead_worker_run_out(redis_url: str, redis: Redis) -> None:
    """Held by a job that nobody renews, a slot is another's after the lease."""
    request = asked("one", 1, models=("gpt-4.1",))
    for lane in ("all", *find_lanes(request)):
        await redis.zadd(SLOTS + lane, {"request:dead": now_ms() + 400})
    await enqueue(redis, request)
    world = World()
    async with working(redis_url, world, limits=Limits(overall=1), lease_s=0.6):
        await settled(redis, REQUESTS)
    assert world.happened == ["request one-1", "ended one-1"]
    assert await redis.keys(SLOTS + "*") == []


async def test_slots_live_as_long_as_their_job(redis_url: str, redis: Redis) -> None:
    """Renewed with the lease, also where Redis was emptied meanwhile."""
    world = World(gate=asyncio.Event())
    await enqueue(redis, asked("one", 1))
    async with working(redis_url, world, limits=Limits(overall=1), lease_s=0.3):
        await world.until(lambda: len(started(world)) == 1)
        await redis.flushall()
        async with asyncio.timeout(10):
            while not await redis.zcard(SLOTS + "repository:acme/one"):
                await asyncio.sleep(0.02)
        await enqueue(redis, asked("one", 2))
        for _ in range(3):  # three times the lease, told by renewals
            held = await redis.zscore(SLOTS + "all", "request:one-1")
            async with asyncio.timeout(10):
                while await redis.zscore(SLOTS + "all", "request:one-1") == held:
                    await asyncio.sleep(0.02)
        assert started(world) == ["one-1"]
        assert world.gate is not None
        world.gate.set()
        await settled(redis, REQUESTS)
    assert started(world) == ["one-1", "one-2"]


async def test_a_try_that_is_due_comes_before_everybodys_turn(redis_url: str, redis: Redis) -> None:
    """It has had its turn; while it waits it holds no slot."""
    world = World(request_outcomes=[Transient("down"), None])
    await enqueue(redis, asked("one", 0))
    for number in range(1, 30):
        await enqueue(redis, asked("one", number))
    async with working(redis_url, world, limits=Limits(overall=1), poll_delay=0.02):
        await settled(redis, REQUESTS)
    again = [index for index, one in enumerate(started(world)) if one == "one-0"]
    assert len(again) == 2
    assert again[1] < 10


async def test_a_job_of_an_earlier_version_is_started_without_lanes(
    redis_url: str, redis: Redis
) -> None:
    """It stood on the queue, scored by its time, when the worker was updated."""
    request = asked("one", 1)
    await enqueue(redis, request)
    stored = await redis.get(f"{JOB_KEY}request:one-1")
    assert stored is not None
    await redis.set(f"{JOB_KEY}request:one-1", stored.replace(b'"lanes"', b'"other"'))
    await redis.zadd(REQUESTS, {"request:one-1": now_ms()})
    world = World()
    async with working(redis_url, world):
        await settled(redis, REQUESTS)
    assert world.happened == ["request one-1", "ended one-1"]


@pytest.mark.slow
async def test_ten_thousand_requests_are_each_carried_out_once_in_bounded_memory(
    redis_url: str, redis: Redis
) -> None:
    """A hundred repositories, one of them with most of it; two workers share the work."""
    done: Counter[str] = Counter()

    async def carry_out(request: Request, _: bool) -> None:
        done[request.key] += 1

    async def ignore(*_: object) -> None:
        return None

    for number in range(10_000):
        name = "many" if number < 9_000 else f"r{number % 100}"
        assert await enqueue(redis, asked(name, number))
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    jobs = Jobs(redis, ignore, carry_out, ignore, end_cancelled=ignore)
    limits = Limits(overall=200, per_repository=150, per_provider=200)
    workers = [
        worker
        for _ in range(2)
        for worker in make_workers(
            redis_url, jobs, requests_at_once=100, limits=limits, poll_delay=0.01
        )
    ]
    running = asyncio.create_task(run_workers(tuple(workers)))
    async with asyncio.timeout(240):
        while await redis.zcard(REQUESTS):
            await asyncio.sleep(0.1)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb
    assert len(done) == 10_000
    assert set(done.values()) == {1}
    assert grown_kb < 60_000
    assert await redis.keys("arq:*") == []
    assert await redis.keys(SLOTS + "*") == []
