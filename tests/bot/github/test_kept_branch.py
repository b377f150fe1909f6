"""Several files on one branch: it moves forward, never over what people did."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from demo.github.commits import Entry
from jobs.errors import Refused
from jobs.proposals import PullRequest
from tests.bot.github.conftest import World

BRANCH = "skillbench/sync"
TAG = "sync:evals"
ONE = {"evals/one.json": "1", "evals/deep/two.json": "zwei ü"}
TWO = {**ONE, "evals/one.json": "1b"}


@pytest.fixture
def base(world: World, tmp_path: Path) -> str:
    """A commit with a file that is marked as a program, and a link."""
    folder = tmp_path / "base" / "evals"
    folder.mkdir(parents=True)
    (folder / "one.json").write_text("old")
    (folder / "one.json").chmod(0o755)
    (folder / "link.json").symlink_to("one.json")
    return world.handle.push(tmp_path / "base", by="mona")


async def propose(world: World, base: str, files: dict[str, str], **changes: Any) -> PullRequest:
    words = {"title": "Files", "body": "Please read.", "tag": TAG, "branch": BRANCH}
    pull = await world.client.propose_files(base=base, files=files, **(words | changes))
    assert pull is not None
    return pull


def head(world: World) -> str:
    return world.handle.repository.branches[BRANCH]


def changed(world: World, base: str) -> dict[str, list[str]]:
    commits = world.handle.repository.commits
    return commits[head(world)].changed_since(commits[base])


async def test_files_are_added_and_changed_in_one_commit_and_keep_their_mode(
    world: World, base: str
):
    pull = await propose(world, base, ONE)
    commit = world.handle.repository.commits[head(world)]
    assert commit.parents == (base,)
    assert changed(world, base) == {
        "added": ["evals/deep/two.json"],
        "removed": [],
        "modified": ["evals/one.json"],
    }
    assert commit.entries["evals/one.json"] == Entry("100755", b"1")
    assert commit.entries["evals/deep/two.json"] == Entry("100644", "zwei ü".encode())
    assert pull.is_open
    assert world.handle.issue(pull.number).body.endswith("Please read.")


async def test_the_same_again_writes_nothing(world: World, base: str):
    first = await propose(world, base, ONE)
    stands = head(world)
    assert await propose(world, base, ONE) == first
    assert head(world) == stands
    assert not world.calls("PATCH")


async def test_a_change_moves_the_branch_forward_by_one_commit(world: World, base: str):
    first = await propose(world, base, ONE)
    before = head(world)
    assert await propose(world, base, TWO) == first
    assert world.handle.repository.commits[head(world)].parents == (before,)
    assert world.handle.repository.commits[head(world)].entries["evals/one.json"].content == b"1b"


async def test_a_newer_default_branch_is_taken_in(world: World, base: str, tmp_path: Path):
    await propose(world, base, ONE)
    before = head(world)
    (tmp_path / "base" / "other.txt").write_text("new")
    newer = world.handle.push(tmp_path / "base", by="mona")
    await propose(world, newer, TWO)
    commit = world.handle.repository.commits[head(world)]
    assert commit.parents == (before, newer)
    assert "other.txt" in commit.entries
    paths = {path for paths in changed(world, newer).values() for path in paths}
    assert paths == TWO.keys()


@pytest.mark.parametrize("amended", [False, True])
async def test_what_people_committed_is_never_overwritten(
    world: World, base: str, tmp_path: Path, *, amended: bool
):
    await propose(world, base, ONE)
    message = world.handle.repository.commits[head(world)].message if amended else "Mine"
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "x.txt").write_text("theirs")
    theirs = world.handle.push(tmp_path / "theirs", by="mona", branch=BRANCH, message=message)
    with pytest.raises(Refused, match=r"Somebody has committed to the branch `skillbench/sync`"):
        await propose(world, base, TWO)
    assert head(world) == theirs


async def test_a_branch_of_that_name_that_is_somebody_elses_is_left_as_it_is(
    world: World, base: str, tmp_path: Path
):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "x.txt").write_text("theirs")
    theirs = world.handle.push(tmp_path / "theirs", by="mona", branch=BRANCH)
    with pytest.raises(Refused, match="Somebody has committed"):
        await propose(world, base, ONE)
    assert head(world) == theirs
    assert not world.handle.repository.pulls


@pytest.mark.parametrize(
    ("path", "words"),
    [("evals/link.json", "is no file"), ("evals/one.json/x.json", "is not in the commit")],
)
async def test_links_and_files_that_would_be_folders_are_refused(
    world: World, base: str, path: str, words: str
):
    with pytest.raises(Refused, match=words):
        await propose(world, base, {path: "x"})


@pytest.mark.parametrize(
    "step", ["POST */git/trees", "POST */git/commits", "PATCH */git/refs/*", "PATCH */pulls/*"]
)
@pytest.mark.parametrize("after_effect", [True, False])
async def test_a_write_whose_answer_is_lost_takes_effect_once(
    world: World, base: str, step: str, *, after_effect: bool
):
    first = await propose(world, base, ONE)
    before = head(world)
    world.gh.faults.drop_connection(on=step, after_effect=after_effect)
    assert await propose(world, base, TWO, body="Others.") == first
    assert world.handle.repository.commits[head(world)].parents == (before,)
    assert world.handle.issue(first.number).body.endswith("Others.")
    assert list(world.handle.repository.pulls) == [first.number]


async def test_two_workers_move_it_once(world: World, base: str):
    await propose(world, base, ONE)
    before = head(world)
    other = (await world.another_app()).repository(world.repo)
    gates = [world.gh.faults.hold(on="PATCH */git/refs/*") for _ in range(2)]
    both = [
        asyncio.create_task(
            client.propose_files(
                branch=BRANCH, base=base, files=TWO, title="Files", body="Please read.", tag=TAG
            )
        )
        for client in (world.client, other)
    ]
    async with asyncio.timeout(20):
        for gate in gates:
            await gate.reached.wait()
        for gate in gates:
            gate.release.set()
        one, two = await asyncio.gather(*both)
    assert one == two
    assert world.handle.repository.commits[head(world)].parents == (before,)


async def test_where_people_closed_it_there_is_a_new_one(world: World, base: str):
    first = await propose(world, base, ONE)
    world.handle.close(first.number, by="mona")
    second = await propose(world, base, ONE)
    assert second.number != first.number
    assert second.is_open


async def test_without_files_nothing_is_opened_and_an_open_one_is_emptied(world: World, base: str):
    words = {"title": "Files", "body": "Nothing.", "tag": TAG, "branch": BRANCH}
    assert await world.client.propose_files(base=base, files={}, **words) is None
    assert BRANCH not in world.handle.repository.branches
    first = await propose(world, base, ONE)
    emptied = await propose(world, base, {}, body="Nothing.")
    assert emptied == first
    assert changed(world, base) == {"added": [], "removed": [], "modified": []}
    assert world.handle.issue(first.number).body.endswith("Nothing.")
