"""Cancelled requests on real workers and a real Redis: what stops, what never starts."""

import asyncio

import pytest
from redis.asyncio import Redis

from bot.cancellable_queue import CancellableQueue
from bot.cancels import Cancels
from bot.queues import EVENTS, REQUESTS, enqueue
from handlers.decisions import CancelRequests
from jobs.errors import Transient
from jobs.requests import Request
from tests.bot.working import World, settled, working
from tests.builders import a_repo, a_request


def asked(number: int, issue: int = 21, *, label: bool = False, asker: str = "mona") -> Request:
    return a_request(
        key=f"label:acme/skills#{issue}" if label else f"comment:acme/skills:{number}:abc",
        issue=issue,
        asker=asker,
        origin="label" if label else "comment",
        comment_id=None if label else number,
    )


def a_cancel(
    issue: int = 21, *, asker: str | None = None, label: bool = False, comment: int | None = None
) -> CancelRequests:
    return CancelRequests(
        repo=a_repo(),
        issue=issue,
        by="hubot",
        asker=asker,
        origin="label" if label else None,
        comment_id=comment,
    )


async def test_a_waiting_request_never_starts_and_ends_at_once(
    redis_url: str, redis: Redis
) -> None:
    """Though every place is taken: its end is an event, and waits behind no session."""
    world = World(gate=asyncio.Event())
    for number in range(3):
        await enqueue(redis, asked(number, issue=number))
    async with working(redis_url, world):
        await world.until(lambda: len(world.requests) == 2)
        assert await CancellableQueue(redis).cancel(a_cancel(issue=2)) == 1
        ended = "ended as cancelled by hubot: comment:acme/skills:2:abc"
        await world.until(lambda: ended in world.happened)
        assert world.gate is not None
        world.gate.set()
        await settled(redis, REQUESTS)
        await settled(redis, EVENTS)
    assert "request comment:acme/skills:2:abc" not in world.happened
    assert await redis.keys("arq:*") == []
    assert await redis.keys("skillbench:cancelled:*") == []


async def test_a_request_under_way_is_stopped_before_its_end_is_told(
    redis_url: str, redis: Redis
) -> None:
    world = World(gate=asyncio.Event())
    await enqueue(redis, asked(1))
    async with working(redis_url, world):
        await world.until(lambda: len(world.requests) == 1)
        assert await CancellableQueue(redis).cancel(a_cancel()) == 1
        await settled(redis, REQUESTS)
    key = "comment:acme/skills:1:abc"
    ended = f"ended as cancelled by hubot: {key}"
    assert world.happened == [f"request {key}", f"cancelled {key}", ended]
    assert await redis.keys("skillbench:cancelled:*") == []


async def test_a_shut_down_is_no_cancel(redis_url: str, redis: Redis) -> None:
    """The same interruption inside; the job goes on elsewhere."""
    world = World(gate=asyncio.Event())
    await enqueue(redis, asked(1))
    async with working(redis_url, world):
        await world.until(lambda: len(world.requests) == 1)
    other = World()
    async with working(redis_url, other):
        await settled(redis, REQUESTS)
    key = "comment:acme/skills:1:abc"
    assert world.happened == [f"request {key}", f"cancelled {key}"]
    assert other.happened == [f"request {key}", f"ended {key}"]


async def test_a_cancelled_job_of_a_lost_worker_is_ended_and_not_taken_up(
    redis_url: str, redis: Redis
) -> None:
    """Its lease still stands when it is cancelled; whoever takes it over finds the flag."""
    await enqueue(redis, asked(1))
    await redis.set("arq:in-progress:request:comment:acme/skills:1:abc", "lost", px=500)
    assert await CancellableQueue(redis).cancel(a_cancel()) == 1
    world = World()
    async with working(redis_url, world):
        await settled(redis, REQUESTS)
    assert world.happened == ["ended as cancelled by hubot: comment:acme/skills:1:abc"]


async def test_only_what_is_meant_is_cancelled(redis: Redis) -> None:
    """Of the issue; of the label alone; of the asker alone."""
    queue = CancellableQueue(redis)
    for number, asker in ((1, "mona"), (2, "hubot"), (3, "hubot")):
        await enqueue(redis, asked(number, asker=asker))
    await enqueue(redis, asked(0, label=True))
    await enqueue(redis, asked(9, issue=9))
    assert await queue.cancel(a_cancel(issue=4)) == 0
    assert await queue.cancel(a_cancel(label=True)) == 1
    assert await queue.cancel(a_cancel(asker="mona")) == 1
    assert await queue.cancel(a_cancel()) == 2
    assert await redis.zrange(REQUESTS, 0, -1) == [b"request:comment:acme/skills:9:abc"]


async def test_a_second_look_at_one_comment_still_knows_that_it_cancelled(redis: Redis) -> None:
    """Else an event that is handled again would be told there is nothing to cancel."""
    queue = CancellableQueue(redis)
    await enqueue(redis, asked(1))
    assert await queue.cancel(a_cancel(comment=100)) == 1
    assert await queue.cancel(a_cancel(comment=100)) == 1
    assert await queue.cancel(a_cancel(comment=101)) == 0


async def test_a_label_put_on_again_while_its_cancelled_request_ends_asks_anew(
    redis_url: str, redis: Redis
) -> None:
    queue = CancellableQueue(redis)
    world = World(gate=asyncio.Event())
    await enqueue(redis, asked(0, label=True))
    async with working(redis_url, world):
        await world.until(lambda: len(world.requests) == 1)
        await queue.cancel(a_cancel(label=True))
        assert await queue.is_being_cancelled(asked(0, label=True))
        assert not await enqueue(redis, asked(0, label=True))
        await world.until(lambda: len(world.requests) == 2)
        assert world.gate is not None
        world.gate.set()
        await settled(redis, REQUESTS)
    assert world.happened.count("ended label:acme/skills#21") == 1
    assert world.happened.count("ended as cancelled by hubot by label: label:acme/skills#21") == 1


@pytest.mark.parametrize("where", ["waiting", "under way"])
async def test_trouble_at_its_end_is_tried_again(redis_url: str, redis: Redis, where: str) -> None:
    """GitHub may be away just then; the request does not start for it."""
    world = World(gate=asyncio.Event(), cancel_outcomes=[Transient("down"), None])
    await enqueue(redis, asked(1))
    if where == "waiting":
        await CancellableQueue(redis).cancel(a_cancel())
    async with working(redis_url, world):
        if where == "under way":
            await world.until(lambda: len(world.requests) == 1)
            await CancellableQueue(redis).cancel(a_cancel())
        await settled(redis, REQUESTS)
        await settled(redis, EVENTS)
    ended = "ended as cancelled by hubot: comment:acme/skills:1:abc"
    assert world.happened.count(ended) == 1
    assert len(world.requests) == (where == "under way")


async def test_work_that_ends_in_the_moment_of_its_cancel_has_ended(redis: Redis) -> None:
    """Its own last word was said; there is no second one."""
    cancels = Cancels(redis, look_s=0.01)
    await enqueue(redis, asked(1))
    [(reference, request)] = await cancels.find_waiting("acme/skills", 21)
    await redis.set("arq:in-progress:request:comment:acme/skills:1:abc", "held")

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return

    running = asyncio.create_task(cancels.run(reference, work()))
    await CancellableQueue(redis).cancel(a_cancel())
    assert await asyncio.wait_for(running, 10) is None
    assert request.issue == 21


async def test_work_that_breaks_while_it_is_stopped_is_cancelled_all_the_same(
    redis: Redis,
) -> None:
    cancels = Cancels(redis, look_s=0.01)
    await enqueue(redis, asked(1))
    [(reference, _)] = await cancels.find_waiting("acme/skills", 21)
    await redis.set("arq:in-progress:request:comment:acme/skills:1:abc", "held")

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            raise Transient("the cleaning up failed")

    running = asyncio.create_task(cancels.run(reference, work()))
    await CancellableQueue(redis).cancel(a_cancel())
    cancelled = await asyncio.wait_for(running, 10)
    assert cancelled is not None
    assert cancelled.by == "hubot"


async def test_what_breaks_by_itself_is_raised(redis: Redis) -> None:
    async def work() -> None:
        raise Transient("down")

    with pytest.raises(Transient, match="down"):
        await Cancels(redis).run("0" * 12, work())


@pytest.mark.parametrize(
    ("said", "asker", "is_taken_back"),
    [
        ((100.0, 1), "mona", True),
        ((100.0, 3), "mona", False),  # in the same second, but below
        ((101.0, 1), "mona", False),  # an edit after it asks anew
        ((100.0, 2), "mona", False),  # the very comment that cancels: "cancel, then run"
        ((99.0, 1), "lisa", False),  # another's, which was not meant
    ],
)
async def test_a_command_that_was_taken_back_before_it_was_looked_at_never_starts(
    redis_url: str, redis: Redis, said: tuple[float, int], asker: str, *, is_taken_back: bool
) -> None:
    """Of two commands that wait, either may be handled first."""
    cancel = a_cancel(asker="mona", comment=2)
    assert await CancellableQueue(redis, (100.0, 2)).cancel(cancel) == 0
    request = asked(said[1], asker=asker)
    assert await CancellableQueue(redis, said).enqueue(request, delivery="d-1")
    world = World()
    async with working(redis_url, world):
        await settled(redis, REQUESTS)
        await settled(redis, EVENTS)
    ended = f"ended as cancelled by hubot: {request.key}"
    began = [f"request {request.key}", f"ended {request.key}"]
    assert world.happened == ([ended] if is_taken_back else began)


async def test_a_cancel_that_is_delivered_once_more_leaves_what_was_asked_for_since(
    redis: Redis,
) -> None:
    for number in (1, 3):
        await enqueue(redis, asked(number))
    said = (asked(1).asked_at.timestamp(), 2)  # between the two comments
    assert await CancellableQueue(redis, said).cancel(a_cancel()) == 1
    assert not await CancellableQueue(redis).is_being_cancelled(asked(3))
