"""Issues that the App keeps: opened once, brought up to date, found by label and tag."""

import pytest

from jobs.labels import KEPT
from tests.bot.github.conftest import World

LABEL = KEPT.name


async def keep(world: World, body: str = "One.", tag: str = "summary:a") -> int:
    return (await world.client.keep_issue("Summary of a", body, label=KEPT, tag=tag)).number


async def test_one_is_opened_with_its_label_and_then_brought_up_to_date(world: World):
    number = await keep(world)
    assert await keep(world, "Two.") == number
    issue = world.handle.issue(number)
    assert issue.body.endswith("\nTwo.")
    assert world.handle.labels(number) == [LABEL]
    label = world.handle.repository.find_label(LABEL)
    assert label is not None
    assert (label.color, label.description) == (KEPT.color, KEPT.description)
    assert await keep(world, tag="summary:b") != number


async def test_the_same_text_is_not_written_again(world: World):
    await keep(world)
    await keep(world)
    assert not world.calls("PATCH")


async def test_one_that_people_closed_is_followed_by_a_new_one(world: World):
    first = await keep(world)
    world.handle.close(first, by="mona")
    assert await keep(world) != first


async def test_an_issue_of_somebody_else_with_our_tag_is_not_ours(world: World):
    theirs = world.handle.open_issue(
        author="mona",
        title="Mine",
        body="<!-- skillbench:tag summary:a -->\nOne.",
        labels=[LABEL],
    )
    assert await keep(world) != theirs.number
    assert theirs.title == "Mine"


@pytest.mark.parametrize("after_effect", [True, False])
async def test_an_opening_whose_answer_is_lost_opens_one(world: World, *, after_effect: bool):
    world.gh.faults.drop_connection(on="POST */issues", after_effect=after_effect)
    number = await keep(world)
    ours = [one for one in world.handle.repository.issues.values() if one.title == "Summary of a"]
    assert [one.number for one in ours] == [number]


async def test_earlier_ones_are_closed_and_others_are_not(world: World):
    old = await keep(world, tag="digest:1")
    new = await keep(world, tag="digest:2")
    other = await keep(world)
    await world.client.close_issues(label=LABEL, tags_begin="digest:", but="digest:2")
    assert [world.handle.issue(number).is_open for number in (old, new, other)] == [
        *(False, True, True)
    ]


async def test_open_issues_are_listed_by_any_of_their_labels(world: World):
    world.handle.label(8, "eval", by="mona")
    world.handle.label(7, "eval", "benchmark", by="mona")
    closed = world.handle.open_issue(author="mona", title="C", body="", labels=["eval"])
    world.handle.close(closed.number, by="mona")
    world.handle.open_issue(
        author="mona", title="P", body="", labels=["eval"], is_pull_request=True
    )
    found = await world.client.open_issues(("benchmark", "eval", "absent"))
    assert [one.number for one in found] == [7, 8]
    assert found[0].body == "Count."
