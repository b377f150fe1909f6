"""What one has taken nobody else takes, however many ask at once."""

import asyncio
from collections import Counter

from redis.asyncio import Redis

from bot.store.claims import RedisClaims
from tests.bot.conftest import redis, redis_url

__all__ = ["redis", "redis_url"]


async def test_of_many_who_take_at_once_each_gets_another(redis: Redis) -> None:
    names = [f"case-{number}" for number in range(5)]
    taken = await asyncio.gather(
        *(RedisClaims(redis).take(names, holder=f"worker-{number}") for number in range(8))
    )
    assert Counter(taken) == Counter([*names, None, None, None])


async def test_the_first_that_is_free_is_taken(redis: Redis) -> None:
    claims = RedisClaims(redis)
    assert await claims.take(["a", "b"], holder="one") == "a"
    assert await claims.take(["a", "b"], holder="two") == "b"
    assert await claims.find_taken(["b", "c", "a"]) == {"a", "b"}
    assert await claims.find_taken([]) == frozenset()


async def test_whoever_does_its_work_again_gets_what_it_took(redis: Redis) -> None:
    """Though the order is another by now, and something else would come first."""
    claims = RedisClaims(redis)
    assert await claims.take(["a", "b"], holder="one") == "a"
    assert await claims.take(["b", "a"], holder="one") == "a"
    assert await claims.find_taken(["b"]) == set()


async def test_what_was_taken_is_free_again_after_a_week(redis: Redis) -> None:
    await RedisClaims(redis).take(["a"], holder="one")
    for key in await redis.keys("*"):
        assert 6 * 86_400 < await redis.ttl(key) <= 7 * 86_400
