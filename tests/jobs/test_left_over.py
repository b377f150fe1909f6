"""What a run that came to no end leaves to the next one that would do the same."""

from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bot.blobs import Blobs
from config.settings import Settings
from jobs.left_over import adopt, find_carried, offer, withdraw
from jobs.values import RunSpec
from jobs.world import RunWorld
from tests.builders import NOON, a_model, a_run_spec, some_limits

STEP, NAME = "with_skill-1", "with_skill-1.zip"
LIMITS = some_limits()


@pytest.fixture
def world(tmp_path: Path) -> RunWorld:
    return cast("RunWorld", make_world(tmp_path))


def make_world(folder: Path, memory_mb: int = 4096) -> SimpleNamespace:
    return SimpleNamespace(
        blobs=Blobs((folder / "blobs").as_uri()),
        settings=Settings(_env_file=None, session_memory_mb=memory_mb),
    )


async def leave(world: RunWorld, spec: RunSpec) -> None:
    """A session of this run has ended, the run has not."""
    await world.blobs.put(f"runs/{spec.run_id}/{NAME}", b"a bundle")
    await offer(STEP, spec, LIMITS, Decimal("0.25"), world)


async def found(world: RunWorld, spec: RunSpec) -> bytes | None:
    await adopt(STEP, NAME, spec, LIMITS, world)
    return await world.blobs.get(f"runs/{spec.run_id}/{NAME}")


async def test_another_asking_for_the_same_takes_it_over_and_knows_what_it_cost(
    world: RunWorld,
) -> None:
    """Somebody else, later, on another issue, at a commit with the same content."""
    await leave(world, a_run_spec(run_id="a" * 12))
    other = {"asker": "hubot", "asked_at": NOON + timedelta(days=1), "issue": 9, "commit": "f" * 40}
    spec = a_run_spec(run_id="b" * 12, **other)
    assert await found(world, spec) == b"a bundle"
    assert await find_carried(STEP, spec, world) == Decimal("0.25")


async def test_it_is_left_once_more_by_a_run_that_is_cancelled_too(world: RunWorld) -> None:
    """For nothing: the first asking has paid for it."""
    await leave(world, a_run_spec(run_id="a" * 12))
    await found(world, a_run_spec(run_id="b" * 12))
    third = a_run_spec(run_id="c" * 12)
    assert await found(world, third) == b"a bundle"
    assert await find_carried(STEP, third, world) == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"model": a_model(sent="another-model")},
        {"judge": a_model(sent="another-judge")},
        {"launcher": "claude-code"},
        {"environment": "e" * 64},
        {"fresh": True},
    ],
)
async def test_a_run_under_other_conditions_takes_nothing(
    world: RunWorld, changes: dict[str, Any]
) -> None:
    await leave(world, a_run_spec(run_id="a" * 12))
    assert await found(world, a_run_spec(run_id="b" * 12, **changes)) is None


async def test_other_limits_are_other_conditions(world: RunWorld) -> None:
    """Else one arm would have had more room than the other."""
    await leave(world, a_run_spec(run_id="a" * 12))
    spec = a_run_spec(run_id="b" * 12)
    await adopt(STEP, NAME, spec, some_limits(turns=LIMITS.turns + 1), world)
    assert await world.blobs.get(f"runs/{spec.run_id}/{NAME}") is None


async def test_a_run_that_ended_leaves_nothing(world: RunWorld) -> None:
    spec = a_run_spec(run_id="a" * 12)
    await leave(world, spec)
    await withdraw(STEP, spec, LIMITS, world)
    assert await found(world, a_run_spec(run_id="b" * 12)) is None


async def test_what_was_swept_away_is_not_there(world: RunWorld) -> None:
    """Only its trace is left."""
    spec = a_run_spec(run_id="a" * 12)
    await leave(world, spec)
    await world.blobs.delete(f"runs/{spec.run_id}/{NAME}")
    assert await found(world, a_run_spec(run_id="b" * 12)) is None


async def test_a_session_with_other_memory_is_not_taken_over(tmp_path: Path) -> None:
    """Beside a new one it would make the run void."""
    await leave(cast("RunWorld", make_world(tmp_path)), a_run_spec(run_id="a" * 12))
    spec = a_run_spec(run_id="b" * 12)
    assert await found(cast("RunWorld", make_world(tmp_path, 512)), spec) is None
    assert await found(cast("RunWorld", make_world(tmp_path)), spec) == b"a bundle"
