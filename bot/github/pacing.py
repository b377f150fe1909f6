"""Writes to GitHub spaced out, per installation and over all our processes.

GitHub asks for a second between writes and cuts off who creates much in an hour; both
limits count for the installation, not for the process, so workers share one schedule in
Redis. Every write reserves a moment and waits for it. Nothing is sent from here, and what
a refused reservation means is the caller's to decide.
"""

from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)

SPACING_S = 1.0
"""https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api"""
WRITES_AN_HOUR = 400
"""GitHub's limit on content is 500 an hour; people's own writes through the App count too."""
HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class Slot:
    """An answer to a reservation: granted or not, and how long until the moment comes."""

    granted: bool
    wait_s: float


class Pacer(Protocol):
    """Gives every write of an installation its moment."""

    async def reserve(self, installation: int, *, longest_s: float, kept_back: int = 0) -> Slot:
        """Reserve the next moment, unless it lies further off than `longest_s`.

        `kept_back` writes of the hour are left for others: what can be dropped must not use
        up what a report will need. A refusal reserves nothing.
        """

    async def pause(self, installation: int, seconds: float) -> None:
        """Let no write begin for so long: GitHub has asked us to stop."""


@dataclass
class _Schedule:
    moments: deque[float] = field(default_factory=deque)
    """The latest reservations, oldest first."""
    paused_until: float = 0.0


class MemoryPacer:
    """A schedule for one process alone."""

    def __init__(
        self,
        clock: Callable[[], float],
        *,
        spacing_s: float = SPACING_S,
        an_hour: int = WRITES_AN_HOUR,
    ) -> None:
        self._clock = clock
        self._spacing_s = spacing_s
        self._an_hour = an_hour
        self._schedules: defaultdict[int, _Schedule] = defaultdict(_Schedule)

    async def reserve(self, installation: int, *, longest_s: float, kept_back: int = 0) -> Slot:
        schedule = self._schedules[installation]
        now = self._clock()
        moment = max(now, schedule.paused_until)
        if schedule.moments:
            moment = max(moment, schedule.moments[-1] + self._spacing_s)
        allowed = max(self._an_hour - kept_back, 1)
        if len(schedule.moments) >= allowed:
            moment = max(moment, schedule.moments[-allowed] + HOUR_S)
        if moment - now > longest_s:
            return Slot(granted=False, wait_s=moment - now)
        schedule.moments.append(moment)
        while len(schedule.moments) > self._an_hour:
            schedule.moments.popleft()
        return Slot(granted=True, wait_s=moment - now)

    async def pause(self, installation: int, seconds: float) -> None:
        schedule = self._schedules[installation]
        schedule.paused_until = max(schedule.paused_until, self._clock() + seconds)


# Redis's own clock, so that workers on machines whose clocks differ agree. The list holds the
# latest reservations, newest first, in milliseconds.
RESERVE = """
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local moment = math.max(now, tonumber(redis.call('get', KEYS[2]) or 0))
local latest = redis.call('lindex', KEYS[1], 0)
if latest then moment = math.max(moment, tonumber(latest) + tonumber(ARGV[1])) end
local first = redis.call('lindex', KEYS[1], tonumber(ARGV[3]) - 1)
if first then moment = math.max(moment, tonumber(first) + tonumber(ARGV[4])) end
if moment - now > tonumber(ARGV[5]) then return {0, moment - now} end
redis.call('lpush', KEYS[1], moment)
redis.call('ltrim', KEYS[1], 0, tonumber(ARGV[2]) - 1)
redis.call('pexpire', KEYS[1], moment - now + tonumber(ARGV[4]))
return {1, moment - now}
"""

PAUSE = """
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local till = math.max(now + tonumber(ARGV[1]), tonumber(redis.call('get', KEYS[1]) or 0))
redis.call('set', KEYS[1], till, 'px', math.max(till - now, 1))
return till
"""


class RedisPacer:
    """One schedule for all processes on the same Redis.

    Without an answer from Redis a process falls back to its own schedule: a report that has
    cost money is worth more than perfect spacing.
    """

    def __init__(
        self,
        redis: Redis,
        alone: Pacer,
        *,
        spacing_s: float = SPACING_S,
        an_hour: int = WRITES_AN_HOUR,
    ) -> None:
        self._reserve = redis.register_script(RESERVE)
        self._pause = redis.register_script(PAUSE)
        self._alone = alone
        self._spacing_ms = _ms(spacing_s)
        self._an_hour = an_hour

    async def reserve(self, installation: int, *, longest_s: float, kept_back: int = 0) -> Slot:
        allowed = max(self._an_hour - kept_back, 1)
        try:
            granted, wait_ms = await self._reserve(
                keys=_keys(installation),
                args=[self._spacing_ms, self._an_hour, allowed, _ms(HOUR_S), _ms(longest_s)],
            )
        except RedisError as problem:
            log.warning("pacing_without_redis", problem=type(problem).__name__)
            return await self._alone.reserve(installation, longest_s=longest_s, kept_back=kept_back)
        return Slot(granted=bool(granted), wait_s=int(wait_ms) / 1000)

    async def pause(self, installation: int, seconds: float) -> None:
        await self._alone.pause(installation, seconds)
        try:
            await self._pause(keys=_keys(installation)[1:], args=[_ms(seconds)])
        except RedisError as problem:
            log.warning("pacing_without_redis", problem=type(problem).__name__)


def _keys(installation: int) -> list[str]:
    key = f"skillbench:writes:{{{installation}}}"
    return [key, f"{key}:paused"]


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
