"""What GitHub could not deliver comes again, once, and what keeps failing is left in peace."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from bot.github.calls import PAGE
from bot.upkeep.redelivery import ASK_AGAIN_AFTER, MOST_ASKS, SPACING_S, Redelivery
from jobs.errors import Transient
from tests.bot.upkeep.conftest import World
from tests.demo.github.receiver import receiving

OpenDoor = Callable[[bool], None]


def chore(world: World) -> Redelivery:
    return Redelivery(
        log=world.app.deliveries(), redis=world.redis, sleep=world.clock.sleep, clock=world.now
    )


async def run(world: World) -> None:
    await chore(world).run()
    await world.gh.deliveries_done()


async def test_what_failed_while_the_bot_was_down_is_taken_once(
    world: World, door: OpenDoor
) -> None:
    world.handle.label(7, "needs-benchmark", by="mona")
    world.handle.comment(8, by="mona", body="@skillbench help")
    await world.gh.deliveries_done()
    door(True)
    for _ in range(3):
        await run(world)
        world.pass_time(timedelta(hours=1))
    guids = {one.guid for one in world.gh.deliveries}
    assert len(guids) == 2
    assert set(await world.events()) == {f"event:{world.gh.app_id}:{guid}" for guid in guids}
    assert len(await world.events()) == 2
    assert world.asked_again() == 2


async def test_the_oldest_comes_first_and_not_all_in_one_moment(
    world: World, door: OpenDoor
) -> None:
    for number in range(5):
        world.handle.comment(7, by="mona", body=f"Word {number}")
        world.pass_time(timedelta(seconds=1))
    await world.gh.deliveries_done()
    door(True)
    await run(world)
    bodies = [one.payload["comment"]["body"] for one in world.gh.deliveries if one.is_redelivery]
    assert bodies == [f"Word {number}" for number in range(5)]
    assert world.clock.waits.count(SPACING_S) == 5


async def test_what_got_through_is_not_asked_for(world: World, door: OpenDoor) -> None:
    door(True)
    world.handle.comment(7, by="mona", body="Hello")
    await world.gh.deliveries_done()
    await run(world)
    assert world.asked_again() == 0


async def test_a_refusal_of_ours_counts_as_failed_until_redis_is_back(
    world: World, door: OpenDoor
) -> None:
    """503 is what the door answers while Redis cannot take anything."""
    async with receiving() as end:
        end.status = 503
        world.gh.set_webhook(end.url)
        world.handle.label(7, "needs-benchmark", by="mona")
        await world.gh.deliveries_done()
    assert world.gh.deliveries[0].status_code == 503
    door(True)
    await run(world)
    assert len(await world.events()) == 1


async def test_what_keeps_failing_is_asked_for_so_often_and_never_again(
    world: World, door: OpenDoor
) -> None:
    """A delivery that we refuse ourselves is no outage: others get through."""
    async with receiving() as end:
        end.status = 400
        world.gh.set_webhook(end.url)
        world.handle.comment(7, by="mona", body="Hello")
        await world.gh.deliveries_done()
        for _ in range(MOST_ASKS + 3):
            await run(world)
            world.pass_time(timedelta(hours=2))
        first = world.asked_again()
        assert 0 < first <= MOST_ASKS
        await world.redis.flushall()  # the log itself remembers how often it was tried
        for _ in range(MOST_ASKS + 3):
            await run(world)
            world.pass_time(timedelta(hours=2))
    assert world.asked_again() <= MOST_ASKS


async def test_a_long_outage_is_asked_about_at_growing_distances(
    world: World, door: OpenDoor
) -> None:
    """The worker lives, the door is away: a day of looking every five minutes is a few asks."""
    world.handle.label(7, "needs-benchmark", by="mona")
    await world.gh.deliveries_done()
    for _ in range(24 * 12):
        await run(world)
        world.pass_time(timedelta(minutes=5))
    assert 4 <= world.asked_again() <= MOST_ASKS


async def test_as_soon_as_others_get_through_the_waiting_is_over(
    world: World, door: OpenDoor
) -> None:
    world.handle.label(7, "needs-benchmark", by="mona")
    await world.gh.deliveries_done()
    for _ in range(20):
        await run(world)
        world.pass_time(ASK_AGAIN_AFTER)
    asked = world.asked_again()
    door(True)
    world.handle.comment(8, by="mona", body="Is anybody there?")
    await world.gh.deliveries_done()
    world.pass_time(ASK_AGAIN_AFTER)
    await run(world)
    assert world.asked_again() == asked + 1
    assert len(await world.events()) == 2


async def test_many_pages_are_read_and_only_what_is_new_is_read_again(
    world: World, door: OpenDoor
) -> None:
    world.handle.label(7, "needs-benchmark", by="mona")
    await world.gh.deliveries_done()
    door(True)
    world.pass_time(timedelta(hours=1))
    for number in range(PAGE + 20):
        world.handle.comment(7, by="mona", body=f"Word {number}")
    await world.gh.deliveries_done()
    await run(world)
    assert world.asked_again() == 1
    pages = _log_pages(world)
    assert pages == 2
    world.pass_time(timedelta(hours=2))
    await run(world)
    await run(world)
    assert _log_pages(world) - pages <= 3


async def test_while_github_is_away_nothing_is_forgotten(world: World, door: OpenDoor) -> None:
    world.handle.label(7, "needs-benchmark", by="mona")
    await world.gh.deliveries_done()
    door(True)
    world.gh.faults.answer(502, on="GET /app/hook/deliveries", times=5)
    with pytest.raises(Transient):
        await run(world)
    await run(world)
    assert len(await world.events()) == 1


async def test_a_delivery_that_github_forgot_meanwhile_holds_up_no_other(
    world: World, door: OpenDoor
) -> None:
    world.handle.label(7, "needs-benchmark", by="mona")
    world.handle.label(8, "needs-benchmark", by="mona")
    await world.gh.deliveries_done()
    door(True)
    world.gh.faults.answer(404, on="POST /app/hook/deliveries/*")
    await run(world)
    assert len(await world.events()) == 1


def _log_pages(world: World) -> int:
    return sum(one.path == "/app/hook/deliveries" for one in world.gh.requests)
