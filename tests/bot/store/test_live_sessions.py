"""A run that goes on is seen as it stands, for as long as somebody carries it out."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path

from redis.asyncio import Redis

from bot.embedded_redis import embedded_redis
from bot.redis_clients import connect_patiently
from bot.store.live_sessions import HELD, KEPT, RUN, LiveReader, LiveWriter
from jobs.live_sessions import LiveHead, LiveMove, LiveSession, LiveState, RunNow
from jobs.values import SKILL_OR_NONE, Arm
from tests.bot.conftest import redis, redis_url, short_path
from tests.builders import NOON

__all__ = ["redis", "redis_url", "short_path"]

ID = "0123456789ab"
WAIT_S = 20.0


def a_head(run: str = ID, minutes: int = 0) -> LiveHead:
    return LiveHead(
        run=run,
        repo="acme/skills",
        issue=21,
        asker="mona",
        skill="skills/notes",
        eval_id="github-issue-21",
        model="claude-demo",
        launcher="api",
        judges=("judge-demo",),
        arms=SKILL_OR_NONE,
        trials=2,
        started_at=NOON + timedelta(minutes=minutes),
    )


def a_move(state: LiveState = "running", detail: str = "trial 1 of 2") -> LiveMove:
    return LiveMove(state=state, detail=detail, at=NOON)


def a_session(turns: int = 1, trial: int = 1, arm: Arm = Arm.WITH_SKILL) -> LiveSession:
    return LiveSession(
        step=f"{arm}-{trial}",
        trial=trial,
        arm=arm,
        started_at=NOON,
        turns=turns,
        tools={"Bash": turns},
    )


async def until_seen(reader: LiveReader, state: LiveState, turns: int, run: str = ID) -> RunNow:
    """The run, once it is seen like this."""
    async with asyncio.timeout(WAIT_S):
        async for _ in reader.follow(run):
            now = await reader.look(run)
            if now is not None and (now.move.state, now.turns) == (state, turns):
                return now
    raise AssertionError


async def names(reader: LiveReader) -> Sequence[str]:
    return [run.head.run for run in await reader.running()]


async def test_a_run_is_seen_as_it_stands_and_when_it_has_ended(redis: Redis) -> None:
    writer, reader = LiveWriter(redis), LiveReader(redis)
    assert await reader.look(ID) is None
    async with writer.writing():
        writer.begin(a_head())
        writer.move(ID, a_move())
        for trial, arm in ((2, Arm.WITH_SKILL), (1, Arm.WITHOUT_SKILL), (1, Arm.WITH_SKILL)):
            writer.show(ID, a_session(3, trial, arm))
        now = await until_seen(reader, "running", 9)
        assert now.head == a_head()
        assert now.is_held
        assert not now.is_over
        assert [one.step for one in now.sessions] == [
            "with_skill-1", "without_skill-1", "with_skill-2",
        ]  # fmt: skip
        assert now.sessions[0].tools == {"Bash": 3}
        assert await names(reader) == [ID]
        writer.move(ID, a_move("ended", ""))
        ended = await until_seen(reader, "ended", 9)
        assert ended.is_over
        assert not ended.is_held
        assert ended.version != now.version
        assert await names(reader) == []
    assert 0 < await redis.pttl(RUN + ID) <= KEPT.total_seconds() * 1000


async def test_what_is_new_is_told_at_once_and_only_the_newest_is_written(redis: Redis) -> None:
    writer, reader = LiveWriter(redis), LiveReader(redis)
    told = redis.pubsub(ignore_subscribe_messages=True)
    async with writer.writing(), told:
        writer.begin(a_head())
        writer.move(ID, a_move())
        await until_seen(reader, "running", 0)
        await told.subscribe(RUN + ID)
        await told.get_message(timeout=0.1)  # that it listens
        for turns in range(1, 501):  # a session that no model could be
            writer.show(ID, a_session(turns))
            await asyncio.sleep(0)
        now = await until_seen(reader, "running", 500)
        assert now.sessions[0].turns == 500
        messages = 0
        while await told.get_message(timeout=0.1):
            messages += 1
        assert 1 <= messages < 50


async def test_a_worker_that_goes_leaves_its_last_word(redis: Redis) -> None:
    writer, reader = LiveWriter(redis), LiveReader(redis)
    async with writer.writing():
        writer.begin(a_head())
        writer.move(ID, a_move("stopped"))
    now = await reader.look(ID)
    assert now is not None
    assert now.move.state == "stopped"


async def test_a_run_whose_worker_was_killed_does_not_run_for_ever(redis: Redis) -> None:
    writer, reader = LiveWriter(redis), LiveReader(redis)
    async with writer.writing():
        writer.begin(a_head())
        writer.move(ID, a_move())
        await until_seen(reader, "running", 0)
    # nobody has renewed it since: what time does, done at once
    await redis.zadd(HELD, {ID: 1})
    now = await reader.look(ID)
    assert now is not None
    assert not now.is_held
    assert await names(reader) == []


async def test_who_carries_a_run_on_begins_its_page_anew_and_the_other_is_not_heard(
    redis: Redis,
) -> None:
    lost, next_one, reader = LiveWriter(redis), LiveWriter(redis), LiveReader(redis)
    async with lost.writing(), next_one.writing():
        lost.begin(a_head())
        lost.move(ID, a_move())
        lost.show(ID, a_session(7))
        await until_seen(reader, "running", 7)
        next_one.begin(a_head(minutes=5))
        next_one.move(ID, a_move("preparing"))
        now = await until_seen(reader, "preparing", 0)
        assert now.head.started_at == NOON + timedelta(minutes=5)
        lost.show(ID, a_session(8))  # it was paused, and knows nothing yet
        lost.move(ID, a_move("stopped"))
        next_one.show(ID, a_session(2))
        assert (await until_seen(reader, "preparing", 2)).is_held


async def test_whoever_knows_that_a_run_was_cancelled_says_so_last(redis: Redis) -> None:
    worker, other, reader = LiveWriter(redis), LiveWriter(redis), LiveReader(redis)
    async with worker.writing(), other.writing():
        worker.begin(a_head())
        worker.move(ID, a_move("stopped"))
        await until_seen(reader, "stopped", 0)
        other.move(ID, a_move("cancelled", "by mona"))
        assert (await until_seen(reader, "cancelled", 0)).move.detail == "by mona"
        # of a run that nobody has seen there is nothing to show
        other.move("f" * 12, a_move("cancelled"))
        other.show("f" * 12, a_session())
    assert await reader.look("f" * 12) is None


async def test_runs_are_listed_the_newest_first(redis: Redis) -> None:
    writer, reader = LiveWriter(redis), LiveReader(redis)
    ids = [f"{number:012x}" for number in range(5)]
    async with writer.writing():
        for number, run in enumerate(ids):
            writer.begin(a_head(run, minutes=number))
            writer.move(run, a_move())
        await until_seen(reader, "running", 0, run=ids[-1])
        assert await names(reader) == ids[::-1]


async def test_an_emptied_redis_is_told_everything_again(redis: Redis) -> None:
    writer, reader = LiveWriter(redis), LiveReader(redis)
    async with writer.writing():
        writer.begin(a_head())
        writer.move(ID, a_move())
        writer.show(ID, a_session(4))
        await until_seen(reader, "running", 4)
        await redis.flushall()
        assert await reader.look(ID) is None
        writer.show(ID, a_session(1, arm=Arm.WITHOUT_SKILL))
        assert len((await until_seen(reader, "running", 5)).sessions) == 2


async def test_while_redis_is_away_nobody_waits_and_the_newest_follows(short_path: Path) -> None:
    async with AsyncExitStack() as stack:
        async with embedded_redis(short_path) as url:
            client = connect_patiently(url)
            writer = LiveWriter(client)
            await stack.enter_async_context(writer.writing())
            writer.begin(a_head())
            writer.move(ID, a_move())
            await until_seen(LiveReader(client), "running", 0)
        writer.show(ID, a_session(1))  # nobody is there
        async with asyncio.timeout(1):
            for turns in range(2, 100):
                writer.show(ID, a_session(turns))
        async with embedded_redis(short_path):
            assert (await until_seen(LiveReader(client), "running", 99)).is_held
            await stack.aclose()
            await client.aclose()
