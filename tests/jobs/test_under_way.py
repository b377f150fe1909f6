"""Which run goes on for a dedup key: found by its twin, by nobody else, and not for ever."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import cast

import pytest

from bot.blobs import Blobs
from jobs.under_way import KEPT, find_under_way, forget_under_way, record_under_way
from jobs.world import RunWorld
from tests.builders import NOON, a_result

FIRST = a_result().spec
TWIN = FIRST.model_copy(update={"run_id": "f" * 12, "issue": 99, "asker": "somebody-else"})


@dataclass
class Keeping:
    """The two parts of a world that are needed."""

    blobs: Blobs
    now: datetime = NOON

    def clock(self) -> datetime:
        return self.now


@pytest.fixture
def keeping(tmp_path: Path) -> Keeping:
    return Keeping(Blobs(f"file://{tmp_path}/blobs"))


@pytest.fixture
def world(keeping: Keeping) -> RunWorld:
    return cast("RunWorld", keeping)


async def test_a_twin_finds_the_run_that_was_begun(world: RunWorld) -> None:
    assert await find_under_way(TWIN, world) is None
    await record_under_way(FIRST, world)
    assert await find_under_way(TWIN, world) == FIRST


async def test_a_run_is_not_its_own_twin(world: RunWorld) -> None:
    await record_under_way(FIRST, world)
    assert await find_under_way(FIRST, world) is None


async def test_another_skill_version_is_another_run(world: RunWorld) -> None:
    await record_under_way(FIRST, world)
    skill = FIRST.skill.model_copy(update={"sha": "0" * 64})
    assert await find_under_way(TWIN.model_copy(update={"skill": skill}), world) is None


async def test_a_run_that_has_ended_is_carried_on_by_nobody(world: RunWorld) -> None:
    await record_under_way(FIRST, world)
    await forget_under_way(FIRST, world)
    assert await find_under_way(TWIN, world) is None


async def test_what_nobody_came_back_to_is_forgotten(world: RunWorld, keeping: Keeping) -> None:
    """A run of last week would be reported on an issue that nobody looks at any more."""
    await record_under_way(FIRST, world)
    keeping.now = NOON + KEPT + timedelta(seconds=1)
    assert await find_under_way(TWIN, world) is None


async def test_what_another_version_noted_is_no_run(world: RunWorld, tmp_path: Path) -> None:
    await record_under_way(FIRST, world)
    [noted] = (tmp_path / "blobs" / "under-way").iterdir()
    noted.write_text('{"spec": {}, "since": "2026-01-01T00:00:00Z"}')
    assert await find_under_way(TWIN, world) is None
