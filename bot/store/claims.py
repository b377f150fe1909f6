"""Claims on what is measured next: each belongs to whoever took it first, for a week.

A holder's own choice is noted beside the claim, in the same step, so that whoever does its work
again after a crash gets the same and takes no second one.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from redis.asyncio import Redis

from bot.queues import REMEMBER, milliseconds
from bot.redis_clients import away_is_transient

CLAIM = "skillbench:claim:"
TOOK = "skillbench:took:"
"""Before a holder's name: what it took."""

TAKE = """
local took = redis.call('get', KEYS[1])
if took then return took end
for index = 2, #KEYS do
  if redis.call('set', KEYS[index], ARGV[1], 'NX', 'PX', ARGV[2]) then
    redis.call('set', KEYS[1], ARGV[index + 1], 'PX', ARGV[2])
    return ARGV[index + 1]
  end
end
return false
"""
"""The holder's note and the claims as keys; holder, time to live and the claims as arguments."""


class RedisClaims:
    """Implements `jobs.choosing.claims.Claims`. Raises `Transient` where Redis stays away."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def take(self, claims: Sequence[str], /, *, holder: str) -> str | None:
        with away_is_transient():
            taken: bytes | None = await self._redis.register_script(TAKE)(
                keys=[TOOK + holder, *(CLAIM + claim for claim in claims)],
                args=[holder, milliseconds(REMEMBER), *claims],
            )
        return taken.decode() if taken else None

    async def find_taken(self, claims: Sequence[str], /) -> AbstractSet[str]:
        if not claims:
            return frozenset()
        with away_is_transient():
            held = await self._redis.mget([CLAIM + claim for claim in claims])
        return {claim for claim, holder in zip(claims, held, strict=True) if holder is not None}
