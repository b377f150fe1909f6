"""GitHub's rate limits: obeyed, shared with every later write, and never a lost report."""

from contextlib import suppress
from datetime import timedelta
from itertools import pairwise

import pytest

from bot.github.calls import KEPT_FOR_REPORTS
from bot.github.pacing import MemoryPacer
from bot.github.tags import with_tag
from jobs.errors import Transient
from tests.bot.github.conftest import World

POST = "POST /repos/acme/skills/issues/7/comments"
PATCH = "PATCH /repos/acme/skills/issues/comments/*"


async def test_a_secondary_limit_of_75_seconds_without_retry_after_costs_time_only(world: World):
    world.gh.faults.secondary_limit(on=POST, lasting=timedelta(seconds=75))
    await world.client.comment(7, "Report", tag="report:1")
    assert world.handle.comments(7) == [with_tag("Report", "report:1")]
    tries = world.calls(POST)
    assert len(tries) == 3
    assert (tries[1].at - tries[0].at).total_seconds() >= 60
    assert (tries[2].at - tries[1].at).total_seconds() >= 120


async def test_retry_after_is_honoured(world: World):
    world.gh.faults.secondary_limit(on=POST, retry_after_s=30)
    await world.client.comment(7, "Report", tag="report:1")
    first, second = world.calls(POST)
    assert 30 <= (second.at - first.at).total_seconds() < 40


async def test_progress_edits_are_dropped_while_github_limits_us(world: World):
    posted = await world.client.comment(7, "Queued", tag="ack:1")
    world.gh.faults.secondary_limit(on=PATCH)
    started = world.clock.now
    for state in ("Running", "Judging", "Still judging"):
        with pytest.raises(Transient, match="left out"):
            await world.client.edit_comment(posted.id, state, tag="ack:1", droppable=True)
    assert len(world.calls("PATCH")) == 1
    assert world.clock.now - started < 10
    assert world.handle.comments(7) == [with_tag("Queued", "ack:1")]


async def test_an_edit_that_matters_is_made_after_the_limit(world: World):
    posted = await world.client.comment(7, "Queued", tag="ack:1")
    world.gh.faults.secondary_limit(on=PATCH)
    with pytest.raises(Transient):
        await world.client.edit_comment(posted.id, "Running", tag="ack:1", droppable=True)
    await world.client.edit_comment(posted.id, "Done", tag="ack:1")
    first, second = world.calls("PATCH")
    assert (second.at - first.at).total_seconds() >= 60
    assert world.handle.comments(7) == [with_tag("Done", "ack:1")]


async def test_a_progress_edit_is_made_when_all_is_well_and_dropped_on_trouble(world: World):
    posted = await world.client.comment(7, "Queued", tag="ack:1")
    await world.client.edit_comment(posted.id, "Running", tag="ack:1", droppable=True)
    assert world.handle.comments(7) == [with_tag("Running", "ack:1")]
    world.gh.faults.answer(502, on=PATCH)
    with pytest.raises(Transient):
        await world.client.edit_comment(posted.id, "Judging", tag="ack:1", droppable=True)
    assert world.handle.comments(7) == [with_tag("Running", "ack:1")]


async def test_progress_edits_leave_writes_of_the_hour_for_reports(world: World):
    pacer = MemoryPacer(world.clock.time, an_hour=KEPT_FOR_REPORTS + 10)
    client = (await world.another_app(pacer=pacer)).repository(world.repo)
    posted = await client.comment(7, "Queued", tag="ack:1")
    for number in range(20):
        with suppress(Transient):
            await client.edit_comment(posted.id, f"{number}", tag="ack:1", droppable=True)
    assert len(world.calls("PATCH")) == 9
    await client.comment(7, "Report", tag="report:1")
    assert len(world.handle.comments(7)) == 2


async def test_writes_are_a_second_apart_and_reads_are_not_held_up(world: World):
    for number in range(4):
        await world.client.react(7, None, ("eyes", "rocket", "heart", "confused")[number])
    moments = [sent.at for sent in world.calls("POST")]
    gaps = [(later - one).total_seconds() for one, later in pairwise(moments)]
    assert all(gap >= 0.99 for gap in gaps)
    before = world.clock.now
    for _ in range(5):
        await world.client.issue(7)
    assert world.clock.now == before


async def test_a_primary_limit_that_ends_soon_is_waited_for(world: World):
    world.gh.faults.primary_limit(on="GET *", resets_in=timedelta(minutes=5))
    started = world.clock.now
    assert (await world.client.issue(7)).title == "Case 7"
    assert 299 <= world.clock.now - started <= 310


@pytest.mark.parametrize("status", [403, 429])
async def test_a_primary_limit_that_lasts_goes_back_to_the_queue(world: World, status: int):
    world.gh.faults.primary_limit(on="GET *", resets_in=timedelta(minutes=50), status=status)
    with pytest.raises(Transient) as caught:
        await world.client.issue(7)
    assert caught.value.retry_after is not None
    assert caught.value.retry_after >= timedelta(minutes=49)


async def test_reads_outlast_a_short_outage(world: World):
    world.gh.faults.answer(502, on="GET *", times=2)
    world.gh.faults.drop_connection(on="GET *", times=2)
    assert (await world.client.issue(7)).title == "Case 7"
    assert len(world.calls("GET")) == 5


async def test_a_long_outage_is_transient_in_bounded_time(world: World):
    world.gh.faults.answer(503, on="GET *", times=None)
    started = world.clock.now
    with pytest.raises(Transient):
        await world.client.issue(7)
    assert world.clock.now - started < 30
    assert len(world.calls("GET")) == 5
