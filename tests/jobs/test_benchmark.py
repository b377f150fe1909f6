"""A request that breaks is answered, at the latest by another try."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import cast

import pytest

from bot.blobs import Blobs
from config.settings import Settings
from jobs.benchmark import carry_out
from jobs.errors import Gone, Refused, Transient
from jobs.failures import UNNOTED, Failures
from jobs.keeping import request_folder
from jobs.late import late_key, read_late
from jobs.requests import Repo, Request
from jobs.world import World
from tests.builders import NOON

REQUEST = Request(
    key="comment:acme/skills:100:1",
    repo=Repo(owner="acme", name="skills", installation_id=7),
    issue=21,
    asker="mona",
    origin="comment",
    comment_id=100,
    asked_at=NOON,
)


@dataclass
class BrokenGitHub:
    """Breaks at the first step, and again where the answer would be posted."""

    first: Exception
    then: Exception | None = None
    said: list[str] = field(default_factory=list)
    labels_changed: int = 0

    async def issue(self, _: int) -> None:
        raise self.first

    async def comment(self, _: int, body: str, *, tag: str) -> None:
        assert tag.startswith("end:")
        if self.then:
            raise self.then
        self.said.append(body)

    async def react(self, *_: object) -> None:
        raise Gone("the comment that asked was deleted")

    async def change_labels(self, *_: object, **__: object) -> None:
        self.labels_changed += 1


@dataclass
class Runs:
    settings: Settings
    blobs: Blobs
    now: datetime = NOON

    def clock(self) -> datetime:
        return self.now


@dataclass
class Broken:
    """The parts of a world that a request needs which breaks at once."""

    github: BrokenGitHub
    runs: Runs
    failures: Failures = UNNOTED


def world_of(github: BrokenGitHub, folder: Path) -> World:
    settings = Settings(_env_file=None, data_dir=folder)
    return cast("World", Broken(github, Runs(settings, Blobs(settings.blobs))))


@pytest.mark.parametrize("first", [RuntimeError("a defect"), Refused("no such case")])
async def test_an_answer_that_cannot_be_posted_now_is_posted_by_another_try(
    first: Exception, tmp_path: Path
) -> None:
    """GitHub may be away for the very minute in which something of ours breaks."""
    github = BrokenGitHub(first, then=Transient("away"))
    with pytest.raises(Transient):
        await carry_out(REQUEST, world_of(github, tmp_path), last_try=False)
    github.then = None
    await carry_out(REQUEST, world_of(github, tmp_path), last_try=False)
    assert len(github.said) == 1
    assert github.labels_changed == 1, "though the comment that asked is gone"


@pytest.mark.parametrize("first", [RuntimeError("a defect"), Refused("no such case")])
async def test_where_nobody_is_left_to_answer_nothing_is_raised(
    first: Exception, tmp_path: Path
) -> None:
    """An issue that is deleted meanwhile is no trouble of the worker's."""
    github = BrokenGitHub(first, then=Gone("deleted"))
    await carry_out(REQUEST, world_of(github, tmp_path), last_try=False)
    assert github.said == []


async def test_a_failure_that_can_be_told_is_told_and_nothing_is_kept(tmp_path: Path) -> None:
    """A platform was away for longer than we wait, and GitHub is not."""
    github = BrokenGitHub(Transient("the blob store is away"))
    world = world_of(github, tmp_path)
    await carry_out(REQUEST, world, last_try=True)
    assert len(github.said) == 1
    assert await read_late(late_key(REQUEST), world.runs.blobs) is None


async def test_what_nobody_can_be_told_for_now_is_kept_for_later_with_its_reason(
    tmp_path: Path,
) -> None:
    """GitHub is away: each time it is put off for longer, and no longer than anything is kept."""
    github = BrokenGitHub(Transient("GitHub is away"), then=Transient("still away"))
    world = world_of(github, tmp_path)
    waits = []
    for tries in (1, 2, 3):
        await carry_out(REQUEST, world, last_try=True)
        late = await read_late(late_key(REQUEST), world.runs.blobs)
        assert late is not None
        assert (late.request, late.reason, late.tries) == (REQUEST, "GitHub is away", tries)
        waits.append(late.not_before - NOON)
    assert waits == sorted(set(waits))
    cast("Runs", world.runs).now = NOON + timedelta(days=31)
    await carry_out(REQUEST, world, last_try=True)
    assert await read_late(late_key(REQUEST), world.runs.blobs) is None


async def test_one_whose_place_is_gone_ends_for_good_with_the_reason(tmp_path: Path) -> None:
    """Whoever looks for it later finds why it was never answered."""
    moved = "issue moved to other-org/attic#1"
    world = world_of(BrokenGitHub(Transient("away"), then=Transient("away")), tmp_path)
    await carry_out(REQUEST, world, last_try=True)
    gone = world_of(BrokenGitHub(Gone(moved)), tmp_path)
    await carry_out(REQUEST, gone, last_try=False)
    assert await gone.runs.blobs.get(f"{request_folder(REQUEST)}/ended") == moved.encode()
    assert await read_late(late_key(REQUEST), gone.runs.blobs) is None
