"""What repositories want done by the clock is put on the queue: each time once."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.queues import REQUESTS
from bot.upkeep.rounds import Chore, do_if_due
from bot.upkeep.schedule import Schedules, forget_unscheduled
from demo.github import RepositoryHandle
from handlers.questions import HandlerContext
from tests.bot.upkeep.conftest import World
from tests.bot.upkeep.scanning import requests

NIGHTLY = 'schedule: {sweep: "0 3 * * *"}'
ALL = 'schedule: {sweep: "0 3 * * *", summary: "0 3 * * 1", digest: "0 7 * * 1"}'
MONDAY = datetime(2026, 5, 4, 2, 58, tzinfo=UTC)


@pytest.fixture(autouse=True)
def on_monday_before_three(world: World) -> None:
    """Tokens of the local GitHub are as old as its clock, so it goes first."""
    world.clock.now = MONDAY.timestamp()


def write(handle: RepositoryHandle, folder: Path, text: str) -> None:
    """Push a repository's file."""
    (folder / ".github").mkdir(parents=True)
    (folder / ".github/skillbench.yml").write_text(text)
    handle.push(folder)


async def look(world: World, *, ahead_s: float = 0.0, served: tuple[str, ...] = ("*",)) -> None:
    """One look at the clock, by a worker whose own goes `ahead_s` before."""

    async def find_context() -> HandlerContext:
        return HandlerContext(
            allowed_owners=served, app_bot_login=world.gh.bot_login, clock=world.now
        )

    await Schedules(
        app=world.app,
        redis=world.redis,
        find_context=find_context,
        clock=lambda: world.now() + timedelta(seconds=ahead_s),
    ).run()


async def keys(world: World) -> set[str]:
    return {request.key for request in await requests(world)}


async def test_what_is_due_is_asked_for_in_the_apps_name(world: World, tmp_path: Path) -> None:
    write(world.handle, tmp_path / "1", NIGHTLY)
    await look(world)
    assert await requests(world) == []
    world.pass_time(timedelta(minutes=3))
    await look(world)
    (request,) = await requests(world)
    assert (request.key, request.kind) == ("sweep:acme/skills:20260504T0300", "sweep")
    assert (request.origin, request.issue) == ("schedule", 0)
    assert request.asker == world.gh.bot_login
    assert request.asked_at == datetime(2026, 5, 4, 3, 0, tzinfo=UTC)


async def test_each_line_has_its_own_time(world: World, tmp_path: Path) -> None:
    write(world.handle, tmp_path / "1", ALL)
    await look(world)
    world.pass_time(timedelta(minutes=3))
    await look(world)
    assert await keys(world) == {
        "sweep:acme/skills:20260504T0300",
        "summary:acme/skills:20260504T0300",
    }
    world.pass_time(timedelta(days=1))
    await world.redis.delete(REQUESTS)
    await look(world)
    assert await keys(world) == {
        "sweep:acme/skills:20260505T0300",
        "digest:acme/skills:20260504T0700",
    }


async def test_what_was_missed_while_the_bot_was_down_is_made_up_for_once(
    world: World, tmp_path: Path
) -> None:
    write(world.handle, tmp_path / "1", NIGHTLY)
    await look(world)
    world.pass_time(timedelta(days=6, hours=1))
    await look(world)
    await look(world)
    assert await keys(world) == {"sweep:acme/skills:20260510T0300"}


async def test_a_schedule_begins_when_it_is_first_seen(world: World, tmp_path: Path) -> None:
    world.pass_time(timedelta(hours=9))
    write(world.handle, tmp_path / "1", NIGHTLY)
    await look(world)
    assert await requests(world) == []


async def test_an_emptied_redis_forgets_no_time_that_has_just_come(
    world: World, tmp_path: Path
) -> None:
    write(world.handle, tmp_path / "1", NIGHTLY)
    await look(world)
    await world.redis.flushall()
    world.pass_time(timedelta(minutes=3))
    await look(world)
    assert len(await requests(world)) == 1


async def test_workers_whose_clocks_disagree_ask_once(world: World, tmp_path: Path) -> None:
    """The time comes for one of them earlier, and the sweep has ended when the next one looks."""
    write(world.handle, tmp_path / "1", NIGHTLY)
    await look(world)
    world.clock.now = datetime(2026, 5, 4, 2, 59, 59, 900_000, tzinfo=UTC).timestamp()
    asked = 0
    for ahead_s in (0.3, 0.0, -0.3, 0.3, 0.6):
        await look(world, ahead_s=ahead_s)
        asked += len(await requests(world))
        await world.redis.delete(REQUESTS)
    assert asked == 1


async def test_three_workers_at_once_never_look_twice(world: World, tmp_path: Path) -> None:
    """Neither a short sweep twice for one time, nor a long one beside itself."""
    write(world.handle, tmp_path / "1", NIGHTLY)
    await look(world)
    world.pass_time(timedelta(minutes=3))
    going = most = done = 0

    async def run() -> None:
        nonlocal going, most, done
        going += 1
        most = max(most, going)
        await look(world)
        going -= 1
        done += 1

    chore = Chore("schedules", timedelta(minutes=5), run)
    did = await asyncio.gather(
        *(do_if_due(world.redis, chore, done_for=chore.every) for _ in range(3))
    )
    assert (most, done, sum(did)) == (1, 1, 1)
    assert len(await requests(world)) == 1


@pytest.mark.parametrize("answer", [403, 404, 502])
async def test_one_repository_that_cannot_be_read_holds_up_no_other(
    world: World, tmp_path: Path, answer: int
) -> None:
    """And what came due meanwhile is made up for, once it can be read again."""
    other = world.gh.add_repository("acme", "more")
    world.gh.add_person("mona", {"acme/more": "write"})
    write(world.handle, tmp_path / "1", NIGHTLY)
    write(other, tmp_path / "2", NIGHTLY)
    await look(world)
    world.pass_time(timedelta(minutes=6))
    world.gh.faults.answer(answer, on="GET /repos/acme/skills/contents/.github", times=None)
    await look(world)
    asked = await keys(world)
    assert "sweep:acme/more:20260504T0300" in asked
    if answer == 502:
        world.gh.faults.clear()
        await look(world)
        assert len(await keys(world)) == 2


async def test_suspended_unserved_and_read_only_places_have_no_schedule(
    world: World, tmp_path: Path
) -> None:
    places = {"acme": world.handle}
    for number, owner in enumerate(("asleep", "stranger", "closed")):
        places[owner] = world.gh.add_repository(owner, "skills")
        write(places[owner], tmp_path / str(number), NIGHTLY)
    write(world.handle, tmp_path / "own", NIGHTLY)
    world.gh.suspend("asleep")
    places["closed"].archive()
    served = ("acme", "asleep", "closed")
    await look(world, served=served)
    world.pass_time(timedelta(minutes=3))
    await look(world, served=served)
    assert await keys(world) == {"sweep:acme/skills:20260504T0300"}


async def test_a_repository_that_wants_nothing_is_not_asked_each_time(world: World) -> None:
    def asked() -> int:
        return sum("/contents/" in sent.path for sent in world.gh.requests)

    await look(world)
    first = asked()
    world.pass_time(timedelta(minutes=6))
    await look(world)
    assert asked() == first
    await forget_unscheduled(world.redis, "Acme/Skills")  # something was pushed to it
    world.pass_time(timedelta(minutes=6))
    await look(world)
    assert asked() > first
