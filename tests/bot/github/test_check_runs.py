"""A check run is there once, with its newest words and each annotation once."""

import pytest
from pydantic import ValidationError

from demo.github.records import Check
from jobs.check_runs import Annotation, CheckAction, CheckRun
from jobs.errors import Gone, Refused
from tests.bot.github.conftest import World

POST = "POST */check-runs"
PATCH = "PATCH */check-runs/*"
TAG = "push:1"
RUN = CheckAction(label="Run benchmark", description="Compare head with base", identifier="run")


def a_check(world: World, **changes: object) -> CheckRun:
    usual: dict[str, object] = {
        "commit": world.handle.head,
        "status": "in_progress",
        "title": "under way",
        "summary": "Two evals run.",
    }
    return CheckRun.model_validate(usual | changes)


def done(world: World, **changes: object) -> CheckRun:
    end = {"status": "completed", "conclusion": "success", "title": "done"}
    return a_check(world, **(end | changes))


def remarks(count: int) -> tuple[Annotation, ...]:
    return tuple(
        Annotation(
            path="skills/a/SKILL.md",
            start_line=line,
            end_line=line,
            level="warning",
            title="Odd",
            message=f"line {line} is odd",
        )
        for line in range(1, count + 1)
    )


def checks(world: World) -> list[Check]:
    return world.handle.repository.checks


async def test_it_is_made_once_and_brought_up_to_date(world: World):
    first = await world.client.show_check(a_check(world), tag=TAG)
    again = await world.client.show_check(done(world), tag=TAG)
    assert first == again
    (check,) = checks(world)
    assert first.endswith(f"/acme/skills/runs/{check.id}")
    assert (check.name, check.status, check.conclusion) == ("skillbench", "completed", "success")
    assert (check.title, check.summary, check.external_id) == ("done", "Two evals run.", TAG)


async def test_a_completed_one_can_be_under_way_again(world: World):
    await world.client.show_check(done(world), tag=TAG)
    await world.client.show_check(a_check(world), tag=TAG)
    (check,) = checks(world)
    assert (check.status, check.conclusion) == ("in_progress", None)


async def test_saying_the_same_again_writes_nothing(world: World):
    await world.client.show_check(done(world), tag=TAG)
    await world.client.show_check(done(world), tag=TAG)
    assert len(world.calls("POST")) == 1
    assert not world.calls("PATCH")


async def test_another_tag_and_another_commit_have_their_own(world: World):
    await world.client.show_check(done(world), tag=TAG)
    await world.client.show_check(done(world), tag="push:2")
    assert [check.external_id for check in checks(world)] == [TAG, "push:2"]


@pytest.mark.parametrize("after_effect", [True, False])
async def test_a_lost_answer_leads_to_one_check_run(world: World, after_effect: bool):
    world.gh.faults.drop_connection(on=POST, after_effect=after_effect)
    await world.client.show_check(done(world, annotations=remarks(60)), tag=TAG)
    (check,) = checks(world)
    assert [one["start_line"] for one in check.annotations] == list(range(1, 61))


@pytest.mark.parametrize("count", [1, 50, 51, 120])
async def test_annotations_go_out_by_fifty_and_the_end_with_the_last(world: World, count: int):
    await world.client.show_check(done(world, annotations=remarks(count)), tag=TAG)
    (check,) = checks(world)
    assert [one["start_line"] for one in check.annotations] == list(range(1, count + 1))
    sent = [*world.calls("POST"), *world.calls("PATCH")]
    assert [one.request_body.get("conclusion") for one in sent[:-1]] == [None] * (len(sent) - 1)
    assert sent[-1].request_body["conclusion"] == "success"
    assert all(len(one.request_body["output"]["annotations"]) <= 50 for one in sent)


async def test_annotations_that_stand_are_not_sent_again(world: World):
    await world.client.show_check(a_check(world, annotations=remarks(2)), tag=TAG)
    await world.client.show_check(done(world, annotations=remarks(3)), tag=TAG)
    (check,) = checks(world)
    assert [one["start_line"] for one in check.annotations] == [1, 2, 3]


async def test_where_other_annotations_stand_a_new_check_run_takes_the_place(world: World):
    await world.client.show_check(done(world, annotations=remarks(3)), tag=TAG)
    await world.client.show_check(done(world, annotations=remarks(1)), tag=TAG)
    old, new = checks(world)
    assert (len(old.annotations), len(new.annotations)) == (3, 1)
    await world.client.show_check(done(world, annotations=remarks(1)), tag=TAG)
    assert checks(world) == [old, new]


async def test_buttons_are_replaced(world: World):
    await world.client.show_check(done(world, actions=(RUN,)), tag=TAG)
    assert [action["identifier"] for action in checks(world)[0].actions] == ["run"]
    await world.client.show_check(a_check(world), tag=TAG)
    assert checks(world)[0].actions == []


async def test_an_app_without_the_permission_says_which_one(world: World):
    world.gh.site.state.app.permissions.pop("checks")
    with pytest.raises(Refused, match=r"\*Checks: write\*"):
        await world.client.show_check(a_check(world), tag=TAG)


async def test_a_commit_that_is_not_there_is_gone(world: World):
    with pytest.raises(Gone, match="has no commit"):
        await world.client.show_check(a_check(world, commit="0" * 40), tag=TAG)


async def test_a_check_run_of_another_app_is_left_alone(world: World):
    await world.client.show_check(a_check(world), tag=TAG)
    checks(world)[0].app_id = 1
    await world.client.show_check(done(world), tag=TAG)
    theirs, ours = checks(world)
    assert (theirs.status, ours.status) == ("in_progress", "completed")


@pytest.mark.parametrize(
    "wrong",
    [
        {"status": "completed"},
        {"conclusion": "success"},
        {"summary": "x" * 65_536},
        {"text": "x" * 65_536},
        {"title": ""},
        {"actions": (RUN, RUN, RUN, RUN)},
    ],
)
async def test_what_github_would_not_take_cannot_be_built(world: World, wrong: dict[str, object]):
    with pytest.raises(ValidationError):
        a_check(world, **wrong)


@pytest.mark.parametrize(("part", "most"), [("label", 20), ("description", 40), ("identifier", 20)])
def test_a_button_has_githubs_lengths(part: str, most: int):
    CheckAction.model_validate({**RUN.model_dump(), part: "x" * most})
    with pytest.raises(ValidationError):
        CheckAction.model_validate({**RUN.model_dump(), part: "x" * (most + 1)})
