"""The limits of a day, kept in Redis so that several workers share them.

A run sets its whole ceiling aside before the first model call and gives back what it did
not use when it ends. So the sum of what is spent and what may still be spent never passes
the operator's limit, nor that of the repository, whatever dies in between. One step looks at
both and sets aside, or does neither.
"""

from datetime import UTC, datetime, timedelta
from decimal import ROUND_CEILING, Decimal
from typing import Self

from redis.asyncio import Redis

from bot.redis_clients import away_is_transient
from jobs.day_budget import Day, DaySpending, over_bot, over_repository
from jobs.ports import Clock
from jobs.requests import Repo

KEPT = timedelta(days=3)

# One hash a day: run id -> micro-dollars, reserved or spent. Integers, so that Lua adds exactly.
# Beside it: whose run each is, and the set of those that are not settled.
SUMS = """
local function sums(repository)
  local owners = redis.call('hgetall', KEYS[2])
  local theirs = {}
  for at = 1, #owners, 2 do theirs[owners[at]] = owners[at + 1] == repository end
  local found = {0, 0, 0, 0}
  local runs = redis.call('hgetall', KEYS[1])
  for at = 1, #runs, 2 do
    local run, micros = runs[at], tonumber(runs[at + 1])
    local place = redis.call('sismember', KEYS[3], run)
    found[1 + place] = found[1 + place] + micros
    if theirs[run] then found[3 + place] = found[3 + place] + micros end
  end
  return found
end
"""
"""Of a repository: all that is spent, all that is set aside, and the same of its own."""

RESERVE = (
    SUMS
    + """
local found = sums(ARGV[2])
if redis.call('exists', KEYS[4]) == 1 then return {'', unpack(found)} end
local micros, ours = tonumber(ARGV[3]), tonumber(ARGV[5])
if found[1] + found[2] + micros > tonumber(ARGV[4]) then return {'bot', unpack(found)} end
if ours and found[3] + found[4] + micros > ours then return {'repository', unpack(found)} end
redis.call('hset', KEYS[1], ARGV[1], ARGV[3])
redis.call('hset', KEYS[2], ARGV[1], ARGV[2])
redis.call('sadd', KEYS[3], ARGV[1])
for at = 1, 3 do redis.call('expire', KEYS[at], ARGV[6]) end
redis.call('set', KEYS[4], KEYS[1], 'ex', ARGV[6])
return {'', unpack(found)}
"""
)
"""Day, owners, unsettled runs, reservation; run, repository, micros, both limits, time to live.

Gives which limit it would pass, if any, and the sums before it.
"""

READ = SUMS + "return sums(ARGV[1])"

SETTLE = """
local day = redis.call('get', KEYS[1])
if day and redis.call('hexists', day, ARGV[1]) == 1 then
  redis.call('hset', day, ARGV[1], ARGV[2])
  redis.call('srem', string.gsub(day, ':budget:', ':budget-open:'), ARGV[1])
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
        of_repository: Decimal | None = None,
    ) -> None:
        self._redis = redis
        self._reserve = redis.register_script(RESERVE)
        self._read = redis.register_script(READ)
        self._settle = redis.register_script(SETTLE)
        self._per_day = per_day
        self._of_repository = of_repository
        self._clock = clock

    def within(self, per_day: Decimal | None) -> Self:
        """The same money for a repository with such a limit of its own; None: without one."""
        return type(self)(
            self._redis, per_day=self._per_day, clock=self._clock, of_repository=per_day
        )

    async def reserve(self, run_id: str, repo: Repo, usd: Decimal) -> None:
        """Set `usd` aside today. Raises `OverBudget` with the numbers."""
        ours = "" if self._of_repository is None else _micros(self._of_repository)
        now = self._clock()
        with away_is_transient():
            passed, *sums = await self._reserve(
                keys=[*_keys(now), _reservation(run_id)],
                args=[
                    *(run_id, repo.full_name.casefold(), _micros(usd), _micros(self._per_day)),
                    *(ours, int(KEPT.total_seconds())),
                ],
            )
        if passed:
            day = self._day(sums, now)
            needs = f"a run needs up to {usd:.2f} USD"
            if passed == b"bot":
                raise over_bot(day.bot, usd, needs, repo.full_name)
            raise over_repository(day.repository, usd, needs, repo.full_name)

    async def settle(self, run_id: str, usd: Decimal) -> None:
        with away_is_transient():
            await self._settle(keys=[_reservation(run_id)], args=[run_id, _micros(usd)])

    async def day(self, repo: Repo) -> Day:
        """What became of today's money so far."""
        now = self._clock()
        with away_is_transient():
            sums = await self._read(keys=_keys(now), args=[repo.full_name.casefold()])
        return self._day(sums, now)

    def _day(self, sums: list[int], now: datetime) -> Day:
        spent, set_aside, ours_spent, ours_set_aside = (Decimal(one) / 1_000_000 for one in sums)
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        tomorrow = midnight + timedelta(days=1)
        return Day(
            bot=DaySpending(
                limit=self._per_day, spent=spent, set_aside=set_aside, free_at=tomorrow
            ),
            repository=DaySpending(
                limit=self._of_repository,
                spent=ours_spent,
                set_aside=ours_set_aside,
                free_at=tomorrow,
            ),
        )


def _keys(now: datetime) -> list[str]:
    """The day's amounts, whose they are, and which are not settled."""
    return [f"skillbench:{name}:{now:%Y-%m-%d}" for name in ("budget", "budget-of", "budget-open")]


def _reservation(run_id: str) -> str:
    return f"skillbench:reservation:{run_id}"
