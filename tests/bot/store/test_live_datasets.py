"""Whoever looks on sees every case begin, speak and end, and is told without asking."""

import asyncio
from datetime import datetime, timedelta
from decimal import Decimal

from redis.asyncio import Redis

from bot.store.live_datasets import RedisLiveRuns
from bot.web.runs import of_live
from jobs.datasets.live import CaseEnd, LiveCase, LiveChange
from jobs.datasets.plan import RunPlan
from tests.bot.conftest import redis, redis_url
from tests.builders import NOON

__all__ = ["redis", "redis_url"]

RUN = "0123456789ab"


def a_plan(run_id: str = RUN, cases: int = 3) -> RunPlan:
    return RunPlan(
        run_id=run_id,
        benchmark="demo",
        dataset="sample",
        digest="d" * 64,
        source="folder",
        target_type="llm_api",
        typed={},
        cases=tuple(f"case {number}" for number in range(cases)),
        parallel=0,
        judge="",
        user_model="",
        started_at=NOON,
    )


def in_turn(name: str, turn: int) -> LiveCase:
    return LiveCase(id=name, turn=turn, since=NOON)


def ended(name: str, score: float | None) -> CaseEnd:
    outcome = "ungraded" if score is None else "scored"
    return CaseEnd(id=name, outcome=outcome, score=score, cost_usd=Decimal("0.25"))


async def test_a_run_is_seen_as_it_stands(redis: Redis) -> None:
    live = RedisLiveRuns(redis)
    assert await live.look(RUN) is None
    await live.begin(a_plan())
    await live.began(RUN, in_turn("case 0", 0))
    await live.turned(RUN, in_turn("case 0", 1))
    await live.began(RUN, in_turn("case 1", 0))
    await live.ended(RUN, ended("case 1", -0.5))
    await live.ended(RUN, ended("case 2", None))
    run = await live.look(RUN)
    assert run is not None
    assert (run.state, run.total, run.done, run.graded, run.ungraded) == ("running", 3, 2, 1, 1)
    assert (run.average, run.cost_usd) == (-0.5, Decimal("0.5"))
    assert run.in_flight == (in_turn("case 0", 1),)


async def test_cases_whose_cost_nobody_knows_are_counted_beside_what_is_known(
    redis: Redis,
) -> None:
    live = RedisLiveRuns(redis)
    await live.begin(a_plan())
    await live.ended(RUN, ended("case 0", 1.0))
    for name in ("case 1", "case 1", "case 2"):
        unknown = ended(name, 1.0).model_copy(update={"is_cost_known": False})
        await live.ended(RUN, unknown)
    run = await live.look(RUN)
    assert run is not None
    assert (run.cost_usd, run.unpriced) == (Decimal("0.75"), 2)


async def test_what_is_told_twice_is_counted_once(redis: Redis) -> None:
    live = RedisLiveRuns(redis)
    await live.begin(a_plan())
    await asyncio.gather(*(live.ended(RUN, ended("case 0", 1.0)) for _ in range(5)))
    await live.begin(a_plan())
    run = await live.look(RUN)
    assert run is not None
    assert (run.done, run.average) == (1, 1.0)


async def test_a_follower_is_told_everything_until_the_end(redis: Redis) -> None:
    live = RedisLiveRuns(redis)
    await live.begin(a_plan())
    heard: list[LiveChange] = []
    is_listening = asyncio.Event()

    async def follow() -> None:
        async for change in live.follow(RUN):
            heard.append(change)
            is_listening.set()

    async with asyncio.timeout(30), asyncio.TaskGroup() as together:
        together.create_task(follow())
        await is_listening.wait()
        await live.began(RUN, in_turn("case 0", 0))
        await live.ended(RUN, ended("case 0", 1.0))
        await live.set_state(RUN, "complete")
    assert [change.kind for change in heard] == ["state", "began", "ended", "state"]
    assert heard[2].end == ended("case 0", 1.0)
    assert heard[-1].state == "complete"


async def test_of_a_run_that_has_ended_or_is_unknown_a_follower_hears_no_more(redis: Redis) -> None:
    live = RedisLiveRuns(redis)
    assert [change async for change in live.follow(RUN)] == []
    await live.begin(a_plan())
    await live.set_state(RUN, "cancelled")
    assert [change.state async for change in live.follow(RUN)] == ["cancelled"]


async def test_the_newest_runs_come_first_and_an_end_leaves_nothing_in_flight(
    redis: Redis,
) -> None:
    live = RedisLiveRuns(redis)
    for number in range(3):
        plan = a_plan(f"{number:012x}")
        later = NOON.replace(minute=number)
        await live.begin(plan.model_copy(update={"started_at": later}))
    await live.began("000000000001", in_turn("case 0", 0))
    await live.set_state("000000000001", "failed")
    newest = await live.newest(2)
    assert [run.run_id for run in newest] == ["000000000002", "000000000001"]
    looked = await live.look("000000000001")
    assert looked is not None
    assert looked.in_flight == ()


async def test_the_first_who_cancels_is_named(redis: Redis) -> None:
    live = RedisLiveRuns(redis)
    assert await live.find_cancelled(RUN) is None
    await live.cancel(RUN, "octocat")
    await live.cancel(RUN, "hubot")
    assert await live.find_cancelled(RUN) == "octocat"


async def test_what_is_left_is_told_from_the_pace_since_the_run_went_on(redis: Redis) -> None:
    """Two cases in a minute, a day's rest, then one in ten seconds: seven take seventy."""
    live = RedisLiveRuns(redis)
    await live.begin(a_plan(cases=10))

    async def left(now: datetime) -> float | None:
        run = await live.look(RUN)
        assert run is not None
        return of_live(run).seconds_left(now)

    await live.ended(RUN, ended("case 0", 1))
    await live.ended(RUN, ended("case 1", 1))
    assert await left(NOON + timedelta(minutes=1)) == 240
    await live.set_state(RUN, "cancelled")
    tomorrow = NOON + timedelta(days=1)
    await live.reopen(RUN, tomorrow)
    assert await left(tomorrow + timedelta(seconds=5)) is None, "nothing has ended yet"
    await live.ended(RUN, ended("case 1", 1))
    await live.ended(RUN, ended("case 2", 1))
    assert await left(tomorrow + timedelta(seconds=10)) == 70
