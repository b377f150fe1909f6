"""A request that breaks is answered, at the latest by another try."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from config.settings import Settings
from jobs.benchmark import carry_out
from jobs.errors import Gone, Refused, Transient
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


@dataclass
class Broken:
    """The parts of a world that a request needs which breaks at once."""

    github: BrokenGitHub
    runs: Runs


def world_of(github: BrokenGitHub, folder: Path) -> World:
    return cast("World", Broken(github, Runs(Settings(_env_file=None, data_dir=folder))))


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
