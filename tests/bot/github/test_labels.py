"""Labels are put on and taken off, and made presentable when the repository lacks them."""

import pytest

from config.repo_sections import Labels
from jobs.labels import done_label, list_labels
from tests.bot.github.conftest import World

RUN, DONE, *_ = list_labels(Labels())


async def test_a_missing_label_is_made_with_colour_and_description(world: World):
    await world.client.change_labels(7, add=[DONE])
    label = world.handle.repository.find_label("benchmarked")
    assert label is not None
    assert label.color == "0e8a16"
    assert label.description
    assert world.handle.labels(7) == ["benchmarked"]


async def test_a_label_with_a_name_of_the_repositorys_own_looks_the_same(world: World):
    await world.client.change_labels(7, add=[done_label(Labels(done="measured"))])
    label = world.handle.repository.find_label("measured")
    assert label is not None
    assert (label.color, label.description) == (DONE.color, DONE.description)


async def test_a_label_of_the_repository_keeps_its_own_looks(world: World):
    world.handle.add_label("Benchmarked", color="123456")
    await world.client.change_labels(7, add=[DONE])
    label = world.handle.repository.find_label("benchmarked")
    assert label is not None
    assert label.color == "123456"
    assert not world.calls("POST /repos/acme/skills/labels")


async def test_labels_are_replaced_in_one_change(world: World):
    world.handle.label(7, "needs-benchmark", "docs", by="mona")
    await world.client.change_labels(7, add=[DONE], remove=["needs-benchmark"])
    assert world.handle.labels(7) == ["docs", "benchmarked"]


async def test_what_is_done_already_is_no_error(world: World):
    for _ in range(2):
        await world.client.change_labels(7, add=[DONE], remove=["needs-benchmark"])
    assert world.handle.labels(7) == ["benchmarked"]


@pytest.mark.parametrize("method", ["POST", "DELETE"])
async def test_a_lost_answer_is_no_trouble(world: World, method: str):
    world.handle.label(7, "needs-benchmark", by="mona")
    world.gh.faults.drop_connection(on=f"{method} /repos/acme/skills/issues/7/labels*")
    await world.client.change_labels(7, add=[DONE], remove=["needs-benchmark"])
    assert world.handle.labels(7) == ["benchmarked"]


async def test_a_label_that_two_make_at_once_is_made_once(world: World):
    world.gh.faults.answer(502, on="POST /repos/acme/skills/labels", after_effect=True)
    await world.client.change_labels(7, add=[RUN])
    assert world.handle.labels(7) == ["needs-benchmark"]


async def test_a_label_with_odd_characters_is_itself(world: World):
    world.handle.label(7, "area: a/b?", by="mona")
    await world.client.change_labels(7, remove=["area: a/b?"])
    assert world.handle.labels(7) == []
