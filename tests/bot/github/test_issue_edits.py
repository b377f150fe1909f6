"""Who changed an issue's text last: GitHub's own word, by GitHub's clock."""

import pytest

from bot.github.issue_edits import QUERY
from demo.github.answers import Answer
from jobs.errors import Transient
from tests.bot.github.conftest import World

GRAPHQL = "POST /graphql"


async def test_a_text_that_nobody_changed_has_no_edit(world: World):
    world.handle.label(7, "bug", by="mona")
    assert await world.client.last_edit(7) is None


async def test_the_last_edit_is_told(world: World):
    world.gh.add_person("hubot", {})
    world.handle.edit_issue(7, by="mona", body="Count again.")
    world.clock.now += 60
    world.handle.edit_issue(7, by="hubot", body="Count for me.")
    edit = await world.client.last_edit(7)
    assert edit is not None
    assert (edit.by, edit.at.timestamp()) == ("hubot", int(world.clock.now))


async def test_a_bot_is_told_from_a_person_of_its_name(world: World):
    world.gh.add_bot("renovate[bot]")
    world.gh.add_person("renovate", {})
    for by, is_bot in (("renovate[bot]", True), ("renovate", False)):
        world.handle.edit_issue(7, by=by, body=f"By {by}.")
        edit = await world.client.last_edit(7)
        assert edit is not None
        assert (edit.by, edit.is_bot) == ("renovate", is_bot)


async def test_a_title_is_no_text(world: World):
    world.handle.edit_issue(7, by="mona", title="Another")
    assert await world.client.last_edit(7) is None


async def test_an_issue_that_is_gone_has_no_edit(world: World):
    assert await world.client.last_edit(404) is None


async def test_one_by_a_deleted_account_is_the_ghosts(world: World):
    world.handle.edit_issue(7, by="mona", body="Count again.")
    found = {"lastEditedAt": "2026-03-01T12:00:00Z", "editor": None}
    world.answer_with(Answer(200, {"data": {"repository": {"issue": found}}}), on=GRAPHQL)
    edit = await world.client.last_edit(7)
    assert edit is not None
    assert edit.by == "ghost"


async def test_what_is_no_answer_is_asked_for_again(world: World):
    trouble = {"data": None, "errors": [{"type": "SERVICE_UNAVAILABLE", "message": "busy"}]}
    world.answer_with(Answer(200, trouble), on=GRAPHQL)
    assert await world.client.last_edit(7) is None
    assert len(world.calls(GRAPHQL)) == 2


async def test_a_github_that_never_answers_is_trouble_and_no_leave_to_spend(world: World):
    trouble = {"data": None, "errors": [{"type": "INTERNAL", "message": "broken"}]}
    for _ in range(20):
        world.answer_with(Answer(200, trouble), on=GRAPHQL)
    with pytest.raises(Transient):
        await world.client.last_edit(7)


async def test_it_is_asked_for_by_number(world: World):
    await world.client.last_edit(7)
    [sent] = world.calls(GRAPHQL)
    named = {"owner": "acme", "name": "skills", "number": 7}
    assert sent.request_body == {"query": QUERY, "variables": named}
