"""What workers gave up is kept for the page of the queue, with what its asker was told."""

from datetime import UTC, datetime, timedelta

import pytest
from redis.asyncio import Redis

from bot.queues import enqueue
from bot.store.failed_requests import RedisFailures
from jobs.errors import Transient
from jobs.failures import Failure
from tests.bot.working import World, working
from tests.input_builders import a_request

AWAY = [Transient("the model API is away", retry_after=timedelta(milliseconds=5))] * 6


async def failures(redis: Redis) -> list[Failure]:
    return list(await RedisFailures(redis).newest(datetime.now(UTC)))


@pytest.mark.parametrize(
    ("outcomes", "how"), [(AWAY, "platform"), ([ValueError("a defect")], "broke")]
)
async def test_a_request_that_is_given_up_is_kept_in_the_words_of_its_answer(
    redis_url: str, redis: Redis, outcomes: list[Exception | None], how: str
) -> None:
    world = World(request_outcomes=[*outcomes])
    request = a_request()
    async with working(redis_url, world):
        await enqueue(redis, request)
        await world.until(lambda: bool(world.said))
    [failure] = await failures(redis)
    assert failure.how == how
    assert failure.request == request
    assert failure.reason == world.said[0][1]
    assert failure.reference in failure.reason


async def test_what_was_tried_again_and_ended_well_is_no_failure(
    redis_url: str, redis: Redis
) -> None:
    world = World(request_outcomes=AWAY[:1])
    async with working(redis_url, world):
        await enqueue(redis, a_request())
        await world.until(lambda: any(one.startswith("ended") for one in world.happened))
    assert await failures(redis) == []


async def test_while_redis_is_away_a_failure_is_not_kept_and_breaks_nothing() -> None:
    gone = Redis(unix_socket_path="/nowhere/redis.sock")
    failure = Failure(
        request=a_request(), how="broke", reason="", reference="x", at=datetime.now(UTC)
    )
    await RedisFailures(gone).note(failure)
    with pytest.raises(Transient):
        await RedisFailures(gone).newest(failure.at)
    await gone.aclose()
