"""An issue was moved with a run that had ended: its report follows by whichever try comes first."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from bot.blobs import Blobs
from config.repo_file import RepoFile
from config.settings import Settings
from jobs.benchmark import carry_out
from jobs.errors import Gone, IssueMoved, Refused, Transient
from jobs.keeping import keep_ended, request_folder
from jobs.planning.plan import Plan
from jobs.ports import Comment, Issue
from jobs.results import RunRecord
from jobs.world import World
from tests.builders import A_COMMIT, a_comment, a_request, an_issue, an_ungraded_result

MOVED = IssueMoved("issue moved", repository="acme/attic", number=3)
RESULT = an_ungraded_result(sessions=())


@dataclass
class Left:
    """The repository that the issue has left."""

    async def issue(self, _: int) -> None:
        raise MOVED

    async def repo_file(self) -> RepoFile:
        return RepoFile()

    async def comment(self, *_: object, **__: object) -> None:
        raise MOVED

    async def upload(self, *_: object) -> None:
        raise Refused("not here")


@dataclass
class There:
    """The repository that the issue is in now, away for so many calls."""

    away: int = 0
    said: dict[str, str] = field(default_factory=dict)

    async def comment(self, number: int, body: str, *, tag: str) -> Comment:
        assert number == MOVED.number
        if self.away:
            self.away -= 1
            raise Transient("away")
        self.said[tag] = body
        return a_comment()


@dataclass
class Anything:
    """The parts of a world that publishing needs."""

    settings: Settings
    blobs: Blobs
    scratch: Path
    budget: Any = None

    async def settle(self, *_: object) -> None:
        """No money is looked at here."""

    def price_known(self, _: object) -> bool:
        return True


@dataclass
class Everywhere:
    """A request's world whose issue was moved."""

    runs: Anything
    there: There | None
    github: Left = field(default_factory=Left)
    noted: list[str] = field(default_factory=list)
    """Runs that were remembered."""

    @property
    def catalog(self) -> Anything:
        return self.runs

    @property
    def ledger(self) -> "Everywhere":
        return self

    async def note(self, record: RunRecord) -> None:
        assert record.score is None
        self.noted.append(record.run)

    async def find_moved(self, moved: IssueMoved) -> There | None:
        assert moved is MOVED
        return self.there


async def a_world(folder: Path, there: There | None) -> World:
    """A run of the request had ended before the issue was moved."""
    settings = Settings(_env_file=None, data_dir=folder)
    runs = Anything(settings, Blobs(settings.blobs), folder / "scratch")
    runs.budget = runs
    runs.catalog = runs  # type: ignore[attr-defined]
    world = cast("World", Everywhere(runs, there))
    plan = Plan(
        request=a_request(), commit=A_COMMIT, runs=(RESULT.spec,), duplicates=(), refused=()
    )
    kept = request_folder(a_request())
    await world.runs.blobs.put(f"{kept}/plan.json", plan.model_dump_json().encode())
    await keep_ended(RESULT, {}, world.runs)
    return world


async def test_a_try_after_the_move_posts_what_had_ended(tmp_path: Path) -> None:
    there = There()
    world = await a_world(tmp_path, there)
    await carry_out(a_request(), world, last_try=False)
    assert list(there.said) == [f"report:{RESULT.spec.run_id}"]
    assert await world.runs.blobs.exists(f"{request_folder(a_request())}/ended")


async def test_trouble_in_the_new_place_is_tried_again(tmp_path: Path) -> None:
    there = There(away=1)
    world = await a_world(tmp_path, there)
    with pytest.raises(Transient):
        await carry_out(a_request(), world, last_try=False)
    await carry_out(a_request(), world, last_try=False)
    assert len(there.said) == 1


@dataclass
class Locked(Left):
    """A repository whose issue was locked meanwhile."""

    async def issue(self, _: int) -> Issue:
        return an_issue(is_locked=True, labels=("needs-benchmark",))

    async def comment(self, *_: object, **__: object) -> None:
        raise Gone("locked")


async def test_what_had_ended_before_a_lock_is_remembered_and_not_paid_again(
    tmp_path: Path,
) -> None:
    world = await a_world(tmp_path, None)
    everywhere = cast("Everywhere", world)
    everywhere.github = Locked()
    await carry_out(a_request(), world, last_try=False)
    assert everywhere.noted == [RESULT.spec.run_id]
    ended = await world.runs.blobs.get(f"{request_folder(a_request())}/ended")
    assert ended is not None
    assert b"locked" in ended


async def test_where_the_app_is_not_installed_the_request_ends(tmp_path: Path) -> None:
    world = await a_world(tmp_path, None)
    await carry_out(a_request(), world, last_try=False)
    ended = await world.runs.blobs.get(f"{request_folder(a_request())}/ended")
    assert ended == b"issue moved"
