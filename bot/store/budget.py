"""The operator's daily limit, kept in Redis so that several workers share it.

A run sets its whole ceiling aside before the first model call and gives back what it did
not use when it ends. So the sum of what is spent and what may still be spent never passes
the limit, whatever dies in between.
"""

from collections.abc import Awaitable
from datetime import UTC, datetime, timedelta
from decimal import ROUND_CEILING, Decimal
from typing import cast

from redis.asyncio import Redis

from bot.redis_clients import away_is_transient
from jobs.errors import OverBudget
from jobs.ports import Clock
from jobs.requests import Repo

KEPT = timedelta(days=3)

# One hash a day: run id -> micro-dollars, reserved or spent. Integers, so that Lua adds exactly.
RESERVE = """
if redis.call('exists', KEYS[2]) == 1 then return {1, 0} end
local sum = 0
for _, micros in ipairs(redis.call('hvals', KEYS[1])) do sum = sum + tonumber(micros) end
if sum + tonumber(ARGV[2]) > tonumber(ARGV[3]) then return {0, sum} end
redis.call('hset', KEYS[1], ARGV[1], ARGV[2])
redis.call('expire', KEYS[1], ARGV[4])
redis.call('set', KEYS[2], KEYS[1], 'ex', ARGV[4])
return {1, sum}
"""

SETTLE = """
local day = redis.call('get', KEYS[1])
if day and redis.call('hexists', day, ARGV[1]) == 1 then
  redis.call('hset', day, ARGV[1], ARGV[2])
end
return 1
"""


def _micros(usd: Decimal) -> int:
    """Whole micro-dollars, rounded up: a fraction is spent, too."""
    return int((usd * 1_000_000).to_integral_value(ROUND_CEILING))


class RedisBudget:
    """Implements `jobs.ports.Budget`. Raises `Transient` where Redis stays away."""

    def __init__(
        self,
        redis: Redis,
        *,
        per_day: Decimal,
        clock: Clock = lambda: datetime.now(UTC),
    ) -> None:
        self._redis = redis
        self._reserve = redis.register_script(RESERVE)
        self._settle = redis.register_script(SETTLE)
        self._per_day = per_day
        self._clock = clock

    async def reserve(self, run_id: str, repo: Repo, usd: Decimal) -> None:
        """Set `usd` aside today. Raises `OverBudget` with the numbers."""
        with away_is_transient():
            taken, sum_micros = await self._reserve(
                keys=[self._today(), _reservation(run_id)],
                args=[run_id, _micros(usd), _micros(self._per_day), int(KEPT.total_seconds())],
            )
        if not taken:
            used = Decimal(int(sum_micros)) / 1_000_000
            raise OverBudget(
                f"today's limit of this bot is {self._per_day:.2f} USD: {used:.2f} USD are spent "
                f"or set aside, and a run in {repo.full_name} may need up to {usd:.2f} USD. Ask "
                "again tomorrow (UTC), or ask the operator to raise `SKILLBENCH_MAX_USD_PER_DAY`."
            )

    async def settle(self, run_id: str, usd: Decimal) -> None:
        with away_is_transient():
            await self._settle(keys=[_reservation(run_id)], args=[run_id, _micros(usd)])

    async def spent_today(self) -> Decimal:
        """What is spent or set aside today, in USD."""
        values = await cast("Awaitable[list[bytes]]", self._redis.hvals(self._today()))
        return sum((Decimal(int(value)) for value in values), Decimal(0)) / 1_000_000

    def _today(self) -> str:
        return f"skillbench:budget:{self._clock():%Y-%m-%d}"


def _reservation(run_id: str) -> str:
    return f"skillbench:reservation:{run_id}"
