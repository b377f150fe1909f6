"""A comment on a commit is there once, with its newest words."""

import asyncio

import pytest

from jobs.errors import Gone
from tests.bot.github.conftest import World

POST = "POST */commits/*/comments"
TAG = "push:1"


def texts(world: World) -> list[str]:
    return [one.body.split("\n")[-1] for one in world.handle.repository.commit_comments]


async def test_it_is_posted_once_and_brought_up_to_date(world: World):
    head = world.handle.head
    first = await world.client.comment_on_commit(head, "under way", tag=TAG)
    again = await world.client.comment_on_commit(head, "done", tag=TAG)
    assert first == again
    assert f"/commit/{head}#commitcomment-" in first
    assert texts(world) == ["done"]


@pytest.mark.parametrize("after_effect", [True, False])
async def test_a_lost_answer_leads_to_one_comment(world: World, after_effect: bool):
    world.gh.faults.drop_connection(on=POST, after_effect=after_effect)
    await world.client.comment_on_commit(world.handle.head, "done", tag=TAG)
    assert texts(world) == ["done"]


async def test_two_processes_leave_one_comment(world: World):
    other = (await world.another_app()).repository(world.repo)
    gates = [world.gh.faults.hold(on=POST), world.gh.faults.hold(on=POST)]
    posts = [
        asyncio.create_task(client.comment_on_commit(world.handle.head, "done", tag=TAG))
        for client in (world.client, other)
    ]
    async with asyncio.timeout(10):
        for gate in gates:
            await gate.reached.wait()
        for gate in gates:
            gate.release.set()
        addresses = await asyncio.gather(*posts)
    assert len(set(addresses)) == 1
    assert texts(world) == ["done"]


async def test_a_comment_of_somebody_else_with_our_tag_is_not_ours(world: World):
    await world.client.comment_on_commit(world.handle.head, "ours", tag=TAG)
    (copied,) = world.handle.repository.commit_comments
    copied.author = world.gh.site.account("mona")
    await world.client.comment_on_commit(world.handle.head, "new", tag=TAG)
    assert texts(world) == ["ours", "new"]


async def test_a_repository_without_the_app_is_gone(world: World):
    client = world.client
    world.gh.uninstall("acme")
    with pytest.raises(Gone):
        await client.comment_on_commit(world.handle.head, "done", tag=TAG)
