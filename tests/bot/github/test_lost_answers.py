"""Every write whose answer is lost after its effect has its effect once: the whole list."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from config.repo_sections import Labels
from jobs.labels import done_label
from tests.bot.github.conftest import World

DONE = done_label(Labels())
Write = Callable[[World, Path], Awaitable[object]]


async def _comment(world: World, _: Path) -> object:
    return await world.client.comment(7, "Report", tag="report:1")


async def _edit(world: World, _: Path) -> object:
    comment = world.handle.issue(7).comments[0]
    return await world.client.edit_comment(comment.id, "New", tag="report:0")


async def _react_to_issue(world: World, _: Path) -> object:
    return await world.client.react(7, None, "eyes")


async def _react_to_comment(world: World, _: Path) -> object:
    return await world.client.react(7, world.handle.issue(7).comments[0].id, "rocket")


async def _add_label(world: World, _: Path) -> object:
    return await world.client.change_labels(7, add=[DONE])


async def _remove_label(world: World, _: Path) -> object:
    return await world.client.change_labels(7, remove=["needs-benchmark"])


async def _upload(world: World, folder: Path) -> object:
    archive = folder / "archive.zip"
    archive.write_bytes(b"PK" + b"\0" * 20)
    return await world.client.upload("2026-05", "skills-case-0123456789ab.zip", archive)


ISSUE = "/repos/acme/skills/issues/7"
WRITES: dict[str, tuple[Write, str]] = {
    "comment": (_comment, f"POST {ISSUE}/comments"),
    "edit": (_edit, "PATCH /repos/acme/skills/issues/comments/*"),
    "reaction to an issue": (_react_to_issue, f"POST {ISSUE}/reactions"),
    "reaction to a comment": (
        *(_react_to_comment, "POST /repos/acme/skills/issues/comments/*/reactions"),
    ),
    "new label": (_add_label, "POST /repos/acme/skills/labels"),
    "label put on": (_add_label, f"POST {ISSUE}/labels"),
    "label taken off": (_remove_label, f"DELETE {ISSUE}/labels/*"),
    "release": (_upload, "POST /repos/acme/skills/releases"),
    "asset": (_upload, "POST */assets"),
}


@pytest.mark.parametrize("how", ["dropped", "502", "504 twice", "403 secondary"])
@pytest.mark.parametrize("name", WRITES)
async def test_an_effect_whose_answer_was_lost_is_there_once(
    world: World, tmp_path: Path, name: str, how: str
):
    write, on = WRITES[name]
    world.handle.comment(7, by=world.gh.bot_login, body="<!-- skillbench:tag report:0 -->\nOld")
    world.handle.label(7, "needs-benchmark", by="mona")
    expected = await _without_trouble(world, write, tmp_path)
    if how == "dropped":
        world.gh.faults.drop_connection(on=on)
    elif how == "403 secondary":
        message = "You have exceeded a secondary rate limit."
        world.gh.faults.answer(403, on=on, after_effect=True, message=message)
    else:
        status, times = (504, 2) if "twice" in how else (502, 1)
        world.gh.faults.answer(status, on=on, after_effect=True, times=times)
    await write(world, tmp_path)
    assert _state(world) == expected
    assert any(sent.faulted for sent in world.calls(on.split("*")[0])), "the fault was met"


async def _without_trouble(world: World, write: Write, folder: Path) -> object:
    """What the write leaves when all is well; the world is then as before."""
    repository, issue = world.handle.repository, world.handle.issue(7)
    labels, before = list(issue.labels), issue.comments[0].body
    await write(world, folder)
    state = _state(world)
    issue.labels[:] = labels
    repository.labels[:] = [one for one in repository.labels if one.name != "benchmarked"]
    issue.comments[0].body = before
    del issue.comments[1:]
    issue.reactions.clear()
    issue.comments[0].reactions.clear()
    repository.releases.clear()
    world.gh.requests.clear()
    return state


def _state(world: World) -> object:
    """All that a write can change, without ids and times."""
    repository, issue = world.handle.repository, world.handle.issue(7)
    return {
        "comments": [comment.body for comment in issue.comments],
        "reactions": [one.content for one in issue.reactions],
        "on the comment": [one.content for one in issue.comments[0].reactions],
        "labels": sorted(label.name for label in issue.labels),
        "known labels": sorted(label.name for label in repository.labels),
        "releases": [
            (release.tag, [asset.name for asset in release.assets])
            for release in repository.releases
        ],
    }
