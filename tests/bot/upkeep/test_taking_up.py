"""A request that was left in the middle goes on as the same one, and an ended one does not."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.github.tags import with_tag
from handlers.questions import HandlerContext
from jobs.keeping import request_folder
from jobs.living_comment import comment_tag
from tests.bot.upkeep.conftest import World
from tests.bot.upkeep.scanning import COMMAND, LABEL, a_request, begin, blobs, requests, scan


async def test_a_living_comment_left_in_the_middle_is_gone_on_with_as_the_same_request(
    world: World,
) -> None:
    """To the microsecond, so that its plan and everything it paid for is found."""
    world.handle.label(7, LABEL, by="mona")
    request = a_request(world)
    await begin(world, request)
    world.pass_time(timedelta(days=2))
    await scan(world)
    assert await requests(world) == [request]


async def test_one_whose_plan_is_lost_begins_anew_in_its_old_comment(world: World) -> None:
    world.handle.label(7, LABEL, by="mona")
    request = a_request(world)
    await begin(world, request)
    await blobs(world).delete(f"{request_folder(request)}/plan.json")
    await scan(world)
    [taken] = await requests(world)
    assert comment_tag(taken) == comment_tag(request)


async def test_a_lost_plan_of_a_command_is_made_anew_too(world: World) -> None:
    world.pass_time(timedelta(minutes=1))
    world.handle.comment(8, by="mona", body=COMMAND)
    await scan(world)
    [request] = await requests(world)
    await begin(world, request)
    await blobs(world).delete(f"{request_folder(request)}/plan.json")
    await world.redis.flushall()
    await scan(world)
    assert await requests(world) == [request]


@pytest.mark.parametrize("how", ["finished", "said", "kept", "may not"])
async def test_what_has_ended_is_not_gone_on_with(world: World, how: str) -> None:
    request = a_request(world, key="comment:acme/skills:99:abc", origin="comment", comment_id=99)
    if how == "may not":
        request = request.model_copy(update={"asker": "nobody-we-know"})
    await begin(world, request, state="done" if how == "finished" else "running")
    if how == "said":
        text = with_tag("Stopped", f"end:{comment_tag(request)}")
        world.handle.comment(7, by=world.gh.bot_login, body=text)
    if how == "kept":
        await blobs(world).put(f"{request_folder(request)}/ended", b"")
    await scan(world)
    assert await requests(world) == []


@pytest.mark.parametrize(("asker", "is_taken"), [("renovate[bot]", True), ("renovate", False)])
async def test_what_a_trusted_bot_asked_for_is_gone_on_with(
    world: World, asker: str, is_taken: bool
) -> None:
    """The settings may name it without its `[bot]`, and then mean no person of that name."""
    world.gh.add_bot("renovate[bot]")
    world.gh.add_person("renovate", {})
    request = a_request(world, key="comment:acme/skills:99:abc", origin="comment", comment_id=99)
    request = request.model_copy(update={"asker": asker})
    await begin(world, request)
    trusting = replace(world.context, allowed_bots=("renovate",))

    async def find_context() -> HandlerContext:
        return trusting

    await scan(world, find_context=find_context)
    assert await requests(world) == ([request] if is_taken else [])


async def test_a_living_comment_that_somebody_forges_starts_nothing(world: World) -> None:
    request = a_request(world)
    await begin(world, request)
    comment = world.handle.issue(7).comments[0]
    comment.author = world.gh.site.account("mona")
    await scan(world)
    assert await requests(world) == []
