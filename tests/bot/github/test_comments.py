"""A comment is there once, whatever happens to requests, answers and processes."""

import asyncio

import pytest

from bot.github.tags import render_tag, with_tag
from demo.github.answers import Answer
from jobs.errors import Gone, Transient
from tests.bot.github.conftest import World

POST = "POST /repos/acme/skills/issues/7/comments"
PATCH = "PATCH /repos/acme/skills/issues/comments/*"
LIST = "GET /repos/acme/skills/issues/7/comments"


async def test_a_comment_is_posted_with_its_hidden_tag(world: World):
    posted = await world.client.comment(7, "Hello", tag="report:1")
    assert world.handle.comments(7) == ["<!-- skillbench:tag report:1 -->\nHello"]
    assert posted.by_this_app
    assert posted.author == "skillbench[bot]"
    assert posted.url.startswith(world.handle.page(7))


async def test_the_same_tag_again_brings_the_first_comment_up_to_date(world: World):
    first = await world.client.comment(7, "Old", tag="report:1")
    again = await world.client.comment(7, "New", tag="report:1")
    assert again.id == first.id
    assert world.handle.comments(7) == [with_tag("New", "report:1")]


async def test_the_same_text_again_changes_nothing(world: World):
    await world.client.comment(7, "Text", tag="report:1")
    await world.client.comment(7, "Text\n", tag="report:1")
    assert len(world.calls(POST)) == 1
    assert not world.calls("PATCH")


async def test_the_same_tag_on_another_issue_is_another_comment(world: World):
    await world.client.comment(7, "Text", tag="report:1")
    await world.client.comment(8, "Text", tag="report:1")
    assert len(world.handle.comments(8)) == 1


@pytest.mark.parametrize("status", [500, 502, 503, 504])
async def test_an_answer_of_5xx_after_the_effect_leaves_one_comment(world: World, status: int):
    world.gh.faults.answer(status, on=POST, after_effect=True)
    posted = await world.client.comment(7, "Report", tag="report:1")
    assert world.handle.comments(7) == [with_tag("Report", "report:1")]
    assert posted.id == world.handle.issue(7).comments[0].id
    assert len(world.calls(POST)) == 1


async def test_an_answer_of_5xx_without_effect_is_tried_again(world: World):
    world.gh.faults.answer(502, on=POST, times=3)
    await world.client.comment(7, "Report", tag="report:1")
    assert len(world.handle.comments(7)) == 1
    assert len(world.calls(POST)) == 4


@pytest.mark.parametrize("after_effect", [True, False])
async def test_a_dropped_connection_leaves_one_comment(world: World, after_effect: bool):
    world.gh.faults.drop_connection(on=POST, after_effect=after_effect)
    await world.client.comment(7, "Report", tag="report:1")
    assert world.handle.comments(7) == [with_tag("Report", "report:1")]


async def test_a_write_whose_fate_cannot_be_looked_up_is_not_repeated(world: World):
    world.gh.faults.drop_connection(on=POST, after_effect=True)
    gate = world.gh.faults.hold(on=LIST)
    posting = asyncio.create_task(world.client.comment(7, "Report", tag="report:1"))
    await asyncio.wait_for(gate.reached.wait(), 5)
    gate.release.set()
    world.gh.faults.answer(502, on=LIST, times=None)
    with pytest.raises(Transient):
        await posting
    assert len(world.calls(POST)) <= 1
    world.gh.faults.clear()
    await world.client.comment(7, "Report", tag="report:1")
    assert len(world.handle.comments(7)) == 1


async def test_two_processes_that_post_the_same_tag_at_once_leave_one_comment(world: World):
    other = (await world.another_app()).repository(world.repo)
    gates = [world.gh.faults.hold(on=POST), world.gh.faults.hold(on=POST)]
    posting = [
        asyncio.create_task(world.client.comment(7, "Report", tag="report:1")),
        asyncio.create_task(other.comment(7, "Report", tag="report:1")),
    ]
    async with asyncio.timeout(10):
        for gate in gates:  # both have looked, neither has written
            await gate.reached.wait()
        for gate in gates:
            gate.release.set()
        ids = {comment.id for comment in await asyncio.gather(*posting)}
    assert len(world.calls(POST)) == 2
    assert world.handle.comments(7) == [with_tag("Report", "report:1")]
    assert ids == {world.handle.issue(7).comments[0].id}


async def test_a_comment_is_found_on_any_page(world: World):
    """137 comments, ours is the 131st."""
    for number in range(1, 131):
        world.handle.comment(7, by="mona", body=f"Talk {number}")
    ours = await world.client.comment(7, "Running", tag="ack:1")
    for number in range(132, 138):
        world.handle.comment(7, by="mona", body=f"Talk {number}")
    again = await (await world.another_app()).repository(world.repo).comment(7, "Done", tag="ack:1")
    assert again.id == ours.id
    assert len(world.handle.comments(7)) == 137
    assert world.handle.comments(7)[130] == with_tag("Done", "ack:1")
    comments = await world.client.comments(7)
    assert [comment.by_this_app for comment in comments].index(True) == 130


async def test_somebody_elses_comment_with_our_tag_is_neither_adopted_nor_edited(world: World):
    world.gh.add_bot("skillbench-lookalike[bot]")
    forged = with_tag("Forged", "report:1")
    world.handle.comment(7, by="mona", body=forged)
    world.handle.comment(7, by="skillbench-lookalike[bot]", body=forged)
    await world.client.comment(7, "True", tag="report:1")
    assert world.handle.comments(7) == [forged, forged, with_tag("True", "report:1")]


async def test_a_comment_of_ours_that_quotes_a_tag_is_not_taken_for_it(world: World):
    await world.client.comment(7, f"See:\n{render_tag('report:2')}", tag="report:1")
    await world.client.comment(7, "Second", tag="report:2")
    assert len(world.handle.comments(7)) == 2


async def test_a_comment_that_somebody_deleted_is_posted_anew(world: World):
    first = await world.client.comment(7, "Report", tag="report:1")
    world.handle.delete_comment(first.id, by="mona")
    await world.client.comment(7, "Report", tag="report:1")
    assert len(world.handle.comments(7)) == 1


async def test_an_edit_replaces_the_text_and_keeps_the_tag(world: World):
    posted = await world.client.comment(7, "Queued", tag="ack:1")
    world.gh.faults.answer(502, on=PATCH, after_effect=True)
    await world.client.edit_comment(posted.id, "Done", tag="ack:1")
    assert world.handle.comments(7) == [with_tag("Done", "ack:1")]


async def test_editing_a_deleted_comment_says_that_it_is_gone(world: World):
    with pytest.raises(Gone):
        await world.client.edit_comment(12345, "Done", tag="ack:1")


async def test_a_text_that_github_finds_too_long_is_not_silent(world: World):
    with pytest.raises(ValueError, match="65536"):
        await world.client.comment(7, "x" * 65_536, tag="report:1")
    assert world.calls() == []


async def test_an_unreadable_answer_to_a_post_is_looked_up_and_not_repeated(world: World):
    world.answer_with(Answer(200, raw=b"<html>Proxy</html>"), on=POST)
    await world.client.comment(7, "Report", tag="report:1")
    assert world.handle.comments(7) == [with_tag("Report", "report:1")]
    assert len(world.calls(POST)) == 1


async def test_a_text_that_is_no_unicode_is_a_defect_and_not_taken_for_a_limit(world: World):
    with pytest.raises(UnicodeEncodeError):
        await world.client.comment(7, "half \ud83e of an emoji", tag="report:1")
    assert world.handle.comments(7) == []
