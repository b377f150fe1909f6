"""What GitHub was away for is put back on the queue when it is there again, and not before."""

from datetime import timedelta

import pytest

from bot.blobs import Blobs
from bot.queues import enqueue
from bot.upkeep.late_posts import LatePosts
from jobs.errors import Transient
from jobs.late import LateRequest, late_key
from jobs.requests import Request
from tests.bot.upkeep.conftest import World
from tests.builders import a_request


def chore(world: World) -> LatePosts:
    blobs = Blobs(world.settings.blobs)
    return LatePosts(app=world.app, redis=world.redis, blobs=blobs, clock=world.now)


async def put_off(world: World, request: Request) -> None:
    late = LateRequest(
        request=request,
        reason="GitHub was away",
        since=world.now(),
        tries=1,
        not_before=world.now() + timedelta(minutes=5),
    )
    await Blobs(world.settings.blobs).put(late_key(request), late.model_dump_json().encode())


async def test_it_rests_and_is_then_put_back_once(world: World) -> None:
    """Though its comment was taken this week: it has not ended."""
    request = a_request(key="comment:acme/skills:100:abc", origin="comment")
    await enqueue(world.redis, request, delivery="d-1")
    await world.redis.delete("skillbench:requests")
    await put_off(world, request)
    await chore(world).run()
    assert await world.waiting() == []
    world.pass_time(timedelta(minutes=5))
    await chore(world).run()
    assert await world.waiting() == [f"request:{request.key}"]
    await world.redis.delete("skillbench:requests")
    await chore(world).run()
    assert await world.waiting() == [], "it is under way, and rests if its worker dies"


async def test_while_github_is_away_nothing_moves(world: World) -> None:
    await put_off(world, a_request())
    world.pass_time(timedelta(hours=1))
    world.gh.faults.answer(502, on="GET /app")
    with pytest.raises(Transient):
        await chore(world).run()
    assert await world.waiting() == []


async def test_what_another_version_kept_is_left_alone(world: World) -> None:
    await Blobs(world.settings.blobs).put("late/abc.json", b'{"of": "another version"}')
    await chore(world).run()
    assert await world.waiting() == []
    assert not world.gh.requests
