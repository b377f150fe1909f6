"""Each delivery once, whatever happens between us and Redis."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from redis.asyncio import Redis

from bot.embedded_redis import embedded_redis
from bot.intake import BATCH, Intake, QueueUnavailable
from bot.queues import EVENTS, JOB_KEY, read_event, read_job
from bot.redis_clients import connect_briefly
from tests.handlers.events import a_commented


async def test_an_event_comes_out_of_the_queue_as_it_went_in(redis: Redis) -> None:
    event = a_commented(body='Zähle "Wörter" 🧮\r\n\x00', delivery="d-1")
    assert await Intake(redis).take(event, target="77")
    [job_id] = await redis.zrange(EVENTS, 0, -1)
    stored = await redis.get(JOB_KEY + job_id.decode())
    assert stored is not None
    assert read_event(read_job(stored, known={"handle_event"})["a"][0]) == event


async def test_the_same_delivery_to_two_processes_at_once_is_taken_once(redis_url: str) -> None:
    """A proxy that repeats itself within milliseconds."""
    async with Redis.from_url(redis_url) as one, Redis.from_url(redis_url) as other:
        intakes = (Intake(one), Intake(other))
        event = a_commented(delivery="d-1")
        taken = await asyncio.gather(
            *(intake.take(event, target="77") for _ in range(50) for intake in intakes)
        )
        assert sum(taken) == 1
        assert await one.zcard(EVENTS) == 1


async def test_ids_are_unique_per_hook_only(redis: Redis) -> None:
    intake = Intake(redis)
    event = a_commented(delivery="d-1")
    assert await intake.take(event, target="77")
    assert await intake.take(event, target="78")


async def test_an_id_is_remembered_for_a_week_after_its_job_is_done(redis: Redis) -> None:
    intake = Intake(redis)
    await intake.take(a_commented(delivery="d-1"), target="77")
    await redis.delete(EVENTS, JOB_KEY + "event:77:d-1")
    assert not await intake.take(a_commented(delivery="d-1"), target="77")
    left = timedelta(milliseconds=await redis.pttl("skillbench:delivery:77:d-1"))
    assert timedelta(days=6, hours=23) < left <= timedelta(days=7)


async def test_many_deliveries_share_round_trips_and_each_gets_its_own_answer(
    redis: Redis,
) -> None:
    intake = Intake(redis)
    await intake.take(a_commented(delivery="d-0"), target="77")
    before = (await redis.info("commandstats"))["cmdstat_eval"]["calls"]
    taken = await asyncio.gather(
        *(intake.take(a_commented(delivery=f"d-{n}"), target="77") for n in range(3 * BATCH))
    )
    assert taken == [False] + [True] * (3 * BATCH - 1)
    assert await redis.zcard(EVENTS) == 3 * BATCH
    assert (await redis.info("commandstats"))["cmdstat_eval"]["calls"] - before == 3 * BATCH


async def test_while_redis_is_away_nothing_is_taken_and_nothing_remembered(
    short_path: Path,
) -> None:
    """GitHub delivers again what was answered with a 503."""
    async with embedded_redis(short_path, append_only=True) as url:
        redis = connect_briefly(url)
        intake = Intake(redis)
        assert await intake.take(a_commented(delivery="d-1"), target="77")
    with pytest.raises(QueueUnavailable):
        await intake.take(a_commented(delivery="d-2"), target="77")
    async with embedded_redis(short_path, append_only=True):
        assert await intake.take(a_commented(delivery="d-2"), target="77")
        assert not await intake.take(a_commented(delivery="d-1"), target="77")
        await redis.aclose()


async def test_an_enqueue_that_fails_half_way_is_not_remembered(redis: Redis) -> None:
    """The queue's key holds something else: the script breaks after its first write."""
    intake = Intake(redis)
    await redis.set(EVENTS, "no queue")
    with pytest.raises(QueueUnavailable):
        await intake.take(a_commented(delivery="d-1"), target="77")
    await redis.delete(EVENTS)
    assert await intake.take(a_commented(delivery="d-1"), target="77")


async def test_a_full_redis_refuses_and_remembers_nothing(redis: Redis) -> None:
    intake = Intake(redis)
    await redis.config_set("maxmemory", "1")
    with pytest.raises(QueueUnavailable):
        await intake.take(a_commented(delivery="d-1"), target="77")
    await redis.config_set("maxmemory", "0")
    assert await intake.take(a_commented(delivery="d-1"), target="77")


async def test_a_request_that_went_away_leaves_the_others_their_answers(redis: Redis) -> None:
    intake = Intake(redis)
    tasks = [
        asyncio.create_task(intake.take(a_commented(delivery=f"d-{n}"), target="77"))
        for n in range(5)
    ]
    await asyncio.sleep(0)
    tasks[2].cancel()
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    assert [answer for answer in answers if answer is True] == [True] * 4
    assert isinstance(answers[2], asyncio.CancelledError)
