"""Who waits is told where the request stands, seldom enough, and only while it is so."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from arq.constants import in_progress_key_prefix
from redis.asyncio import Redis
from structlog.testing import capture_logs

from bot.blobs import Blobs
from bot.queues import enqueue
from bot.store.ledger import RedisLedger
from bot.waiting import MOST_NEW, WaitingComments
from jobs.living_comment import comment_tag
from jobs.planning.dedup import record_key
from jobs.requests import Request
from tests.bot.github.conftest import World
from tests.builders import a_request, a_run_record

POST = "POST /repos/acme/skills/issues/7/comments"
PATCH = "PATCH /repos/acme/skills/issues/comments/"


class Clock:
    """A clock of this test's own, apart from GitHub's."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 4, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def waiting(world: World, redis: Redis, tmp_path: Path, clock: Clock) -> WaitingComments:
    return WaitingComments(
        settings=world.settings,
        redis=redis,
        app=world.app,
        blobs=Blobs(f"file://{tmp_path}/blobs"),
        clock=clock,
    )


async def queued(world: World, redis: Redis, clock: Clock, **changes) -> Request:
    """A request that was asked for a quarter of a minute ago, on the queue."""
    defaults = {
        "repo": world.repo,
        "issue": 7,
        "key": "label:acme/skills#7",
        "origin": "label",
        "comment_id": None,
        "asked_at": clock.now - timedelta(seconds=15),
    }
    request = a_request(**(defaults | changes))
    assert await enqueue(redis, request)
    return request


def first_lines(world: World, issue: int = 7) -> list[str]:
    return [body.split("\n")[1] for body in world.handle.comments(issue)]


async def test_a_request_that_waits_gets_one_comment_and_its_reaction(
    world: World, redis: Redis, clock: Clock, waiting: WaitingComments
) -> None:
    await queued(world, redis, clock)
    for _ in range(3):
        await waiting.look()
    assert first_lines(world) == ["### ⏳ Waiting: next in turn, 0 requests in progress"]
    assert [one.content for one in world.handle.issue(7).reactions] == ["eyes"]
    assert len(world.calls(POST)) == 1


async def test_the_comment_is_edited_once_a_minute_at_most(
    world: World, redis: Redis, clock: Clock, waiting: WaitingComments
) -> None:
    await queued(world, redis, clock)
    for seconds in (0, 20, 59, 61, 80):
        clock.now = datetime(2026, 5, 4, 12, tzinfo=UTC) + timedelta(seconds=seconds)
        await waiting.look()
    assert len(world.calls(PATCH)) == 1
    assert "As of 2026-05-04 12:01 UTC" in world.handle.comments(7)[0]


async def test_a_request_that_has_just_come_is_left_to_begin(
    world: World, redis: Redis, clock: Clock, waiting: WaitingComments
) -> None:
    await queued(world, redis, clock, asked_at=clock.now - timedelta(seconds=1))
    await waiting.look()
    assert world.handle.comments(7) == []


@pytest.mark.parametrize("ahead", [timedelta(hours=-1), timedelta(hours=1)])
async def test_clocks_that_disagree_keep_nobody_in_the_dark(
    world: World, redis: Redis, clock: Clock, waiting: WaitingComments, ahead: timedelta
) -> None:
    """GitHub says when it was asked for, another worker when the comment was written last."""
    await queued(world, redis, clock, asked_at=clock.now + ahead)
    await waiting.look()
    assert len(world.handle.comments(7)) == 1
    clock.now -= timedelta(hours=2)
    await waiting.look()
    assert len(world.calls(PATCH)) == 1


async def test_its_place_and_its_end_follow_from_what_is_before_it(
    world: World, redis: Redis, clock: Clock, waiting: WaitingComments
) -> None:
    await queued(world, redis, clock)
    await queued(world, redis, clock, issue=8, key="label:acme/skills#8")
    for number, issue in enumerate((7, 8)):
        past = a_run_record(
            run=f"run{number}",
            eval_id=f"github-issue-{issue}",
            tokens={"with_skill": 1_000},
            wall_s={"with_skill": 600.0},
            cost_usd=0.25,
        )
        await RedisLedger(redis).record(record_key(past), past)
    await redis.set(in_progress_key_prefix + "request:label:acme/skills#7", "somebody")
    await waiting.look()
    assert world.handle.comments(7) == []
    [said] = world.handle.comments(8)
    assert "### ⏳ Waiting: next in turn, 1 request in progress" in said
    assert "It will have ended in about 13 min." in said  # a third of ten minutes, then its own
    assert "about &#36;0.25, about 1k tokens" in said


async def test_what_has_begun_is_not_told_that_it_waits(
    world: World, redis: Redis, clock: Clock, waiting: WaitingComments
) -> None:
    """Also where it is on the queue again, for another try: its comment says other things."""
    request = await queued(world, redis, clock)
    await waiting.begin(request)
    await waiting.look()
    assert world.handle.comments(7) == []


async def test_a_request_that_begins_waits_for_the_comment_that_is_being_written(
    world: World, redis: Redis, clock: Clock, waiting: WaitingComments
) -> None:
    """Else it would say at the end that it waits."""
    request = await queued(world, redis, clock)
    gate = world.gh.faults.hold(on=POST)
    looking = asyncio.create_task(waiting.look())
    await asyncio.wait_for(gate.reached.wait(), 10)
    beginning = asyncio.create_task(waiting.begin(request))
    gate.release.set()
    await asyncio.wait_for(beginning, 10)
    assert len(world.handle.comments(7)) == 1
    await looking


async def test_a_comment_that_nobody_took_on_is_ended(
    world: World, redis: Redis, clock: Clock, waiting: WaitingComments
) -> None:
    request = await queued(world, redis, clock)
    await waiting.look()
    await waiting.begin(request)
    await waiting.end(request)
    assert first_lines(world) == ["### Ended: the answer is in a comment of its own"]
    assert world.handle.issue(7).comments[0].minimized == "outdated"


async def test_a_comment_that_went_on_is_left_as_it_is(
    world: World, redis: Redis, clock: Clock, waiting: WaitingComments
) -> None:
    request = await queued(world, redis, clock)
    await waiting.look()
    await waiting.begin(request)
    await world.client.comment(7, "### Finished: 1 report", tag=comment_tag(request))
    await waiting.end(request)
    assert first_lines(world) == ["### Finished: 1 report"]
    assert world.handle.issue(7).comments[0].minimized is None


async def test_many_that_wait_are_told_a_few_at_a_time(
    world: World, redis: Redis, clock: Clock, waiting: WaitingComments
) -> None:
    """Reports go through the same door."""
    for number in range(MOST_NEW + 5):
        await queued(world, redis, clock, key=f"comment:acme/skills:{number}:a", origin="comment")
    await waiting.look()
    assert len(world.handle.comments(7)) == MOST_NEW
    await waiting.look()
    assert len(world.handle.comments(7)) == MOST_NEW + 5


@pytest.mark.parametrize("shut", ["locked", "archived", "deleted", "not granted"])
async def test_a_place_that_takes_no_word_is_logged_once_and_left_alone(
    world: World, redis: Redis, clock: Clock, waiting: WaitingComments, shut: str
) -> None:
    await queued(world, redis, clock)
    if shut == "locked":
        world.handle.lock(7, by="mona")
    elif shut == "archived":
        world.handle.archive()
    elif shut == "deleted":
        world.handle.delete_issue(7, by="mona")
    else:
        words = "Resource not accessible by integration"
        world.gh.faults.answer(403, on="POST *", times=None, message=words)
    with capture_logs() as logs:
        for _ in range(3):
            await waiting.look()
    assert [one["event"] for one in logs].count("nowhere_to_tell") == 1
    assert world.handle.comments(7) == [] if shut != "deleted" else True
    assert len([one for one in world.calls("POST") if one.status >= 400]) <= 1
