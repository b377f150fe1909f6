"""Real workers on a real Redis: what ends, what comes again, and what is told to whom."""

import asyncio
import re
from datetime import timedelta

import pytest
from redis.asyncio import Redis

from bot.intake import Intake
from bot.queues import EVENTS, REQUESTS, enqueue, now_ms
from bot.troubles import MOST_TROUBLES
from handlers.events import Event
from jobs.errors import Gone, Transient
from tests.bot.working import WAIT_S, World, settled, working
from tests.builders import a_request
from tests.handlers.events import a_commented, a_labelled


async def test_an_event_is_handled_and_forgotten(redis_url: str, redis: Redis) -> None:
    world = World()
    await Intake(redis).take(a_commented("hello"), target="77")
    async with working(redis_url, world):
        await world.until(lambda: world.happened == ["event hello"])
        await settled(redis, EVENTS)
    assert await redis.keys("arq:*") == []
    assert world.said == []


async def test_a_request_is_carried_out_and_its_label_can_ask_again_at_once(
    redis_url: str, redis: Redis
) -> None:
    """No result is kept that would make the second asking vanish."""
    world = World()
    request = a_request(key="label:acme/skills#21", origin="label", comment_id=None)
    async with working(redis_url, world):
        for _ in range(2):
            assert await enqueue(redis, request)
            await settled(redis, REQUESTS)
    assert world.happened.count("ended label:acme/skills#21") == 2


async def test_events_are_handled_while_all_requests_wait(redis_url: str, redis: Redis) -> None:
    world = World(gate=asyncio.Event())
    for number in range(5):
        await enqueue(redis, a_request(key=f"k{number}"))
    async with working(redis_url, world):
        await world.until(lambda: len(world.happened) == 2)
        await Intake(redis).take(a_commented("hello"), target="77")
        await world.until(lambda: "event hello" in world.happened)
        assert len(world.happened) == 3
        assert world.gate is not None
        world.gate.set()
        await settled(redis, REQUESTS)


async def test_trouble_is_tried_again_and_the_last_try_knows_it(
    redis_url: str, redis: Redis
) -> None:
    trouble: list[Exception | None] = [Transient("down") for _ in range(MOST_TROUBLES)]
    world = World(request_outcomes=trouble)
    await enqueue(redis, a_request(key="k"))
    async with working(redis_url, world):
        await settled(redis, REQUESTS)
    assert world.happened == ["request k"] * (MOST_TROUBLES - 1) + ["request k last"]
    [(issue, text)] = world.said
    assert issue == 21
    assert re.search(r"reference `[0-9a-f]{12}`", text)


async def test_troubles_of_an_earlier_asking_do_not_count(redis_url: str, redis: Redis) -> None:
    """A label has one key however often it is put on."""
    outage: list[Exception | None] = [Transient("down") for _ in range(MOST_TROUBLES - 1)]
    world = World(request_outcomes=[*outage, None, *outage, None])
    request = a_request(key="label:acme/skills#21", origin="label", comment_id=None)
    async with working(redis_url, world):
        for _ in range(2):
            assert await enqueue(redis, request)
            await settled(redis, REQUESTS)
    assert world.happened.count("ended label:acme/skills#21") == 2
    assert world.said == []


async def test_a_wait_that_the_platform_asks_for_is_kept(redis_url: str, redis: Redis) -> None:
    outcomes: list[Exception | None] = [Transient("down", retry_after=timedelta(seconds=50))]
    world = World(event_outcomes=outcomes)
    await Intake(redis).take(a_commented("hello", delivery="d-1"), target="77")
    async with working(redis_url, world):
        await world.until(lambda: len(world.happened) == 1)
        async with asyncio.timeout(WAIT_S):
            while (await redis.zscore(EVENTS, "event:77:d-1") or 0) < now_ms() + 20_000:
                await asyncio.sleep(0.02)
    assert len(world.happened) == 1


async def test_a_place_that_is_gone_ends_an_event_without_a_word(
    redis_url: str, redis: Redis
) -> None:
    world = World(event_outcomes=[Gone("moved")])
    await Intake(redis).take(a_commented(), target="77")
    async with working(redis_url, world):
        await settled(redis, EVENTS)
    assert len(world.happened) == 1
    assert world.said == []


@pytest.mark.parametrize(
    ("event", "answers"),
    [
        (a_commented("@skillbench run"), 1),
        (a_labelled(), 1),
        (a_commented("hello, all"), 0),
        (a_labelled(labels=("bug",)), 0),
    ],
)
async def test_a_defect_is_confessed_to_whoever_asked_us_something(
    redis_url: str, redis: Redis, event: Event, answers: int
) -> None:
    world = World(event_outcomes=[ValueError("token ghs_secret")])
    await Intake(redis).take(event, target="77")
    async with working(redis_url, world):
        await settled(redis, EVENTS)
    assert len(world.said) == answers
    assert "ghs_secret" not in str(world.said)
    assert len(world.happened) == 1


async def test_a_request_that_breaks_is_answered_and_not_repeated(
    redis_url: str, redis: Redis
) -> None:
    world = World(request_outcomes=[ValueError("boom")])
    await enqueue(redis, a_request(key="k"))
    async with working(redis_url, world):
        await settled(redis, REQUESTS)
    assert world.happened == ["request k"]
    assert [issue for issue, _ in world.said] == [21]
    assert "boom" not in world.said[0][1]
    assert "Nothing was charged" not in world.said[0][1]  # its sessions may have run


async def test_events_of_one_issue_take_turns(redis_url: str, redis: Redis) -> None:
    """A hook that exists twice delivers twice at once; the second must find the first's reply."""
    inside = most = 0
    done = asyncio.Semaphore(0)

    async def handle(_: Event) -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        await asyncio.sleep(0.05)
        inside -= 1
        done.release()

    world = World()
    world.handle = handle  # type: ignore[method-assign]
    for target in ("77", "78", "79"):
        await Intake(redis).take(a_commented(delivery="d-1"), target=target)
    async with working(redis_url, world), asyncio.timeout(WAIT_S):
        for _ in range(3):
            await done.acquire()
    assert most == 1
