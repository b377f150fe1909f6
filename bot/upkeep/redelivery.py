"""Has GitHub deliver again what failed while the bot was down.

A delivery deserves it that no attempt got through of, and that was not asked for lately or
too often: what keeps failing while others get through is no outage. As long as nothing gets
through it is asked for at growing distances, over all the three days that GitHub keeps it.
How far the log was read is remembered; without that memory all of it is read.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import cast

import structlog
from redis.asyncio import Redis

from bot.github.deliveries import Attempt, DeliveryLog
from bot.queues import milliseconds

LOG_KEPT = timedelta(days=3)
"""https://docs.github.com/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks"""
OVERLAP = timedelta(minutes=30)
"""Read again each time: the log is not promised to be in order, nor complete at once."""
ASK_AGAIN_AFTER = timedelta(minutes=5)
"""How long a redelivery may be under way before it is asked for again."""
MOST_ASKS = 6
"""Each three times as far off as the one before: the last comes after a day and a half."""
MOST_AT_A_TIME = 500
"""Redeliveries of one round; the oldest go first, the others next time."""
SPACING_S = 0.2

LONG_AGO = datetime.fromtimestamp(0, UTC)
SEEN_UNTIL = "skillbench:redelivery:seen_until"

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Delivery:
    """The attempts at one delivery that the log shows."""

    first: Attempt
    last_at: datetime
    attempts: int = 0
    is_taken: bool = False


@dataclass(slots=True)
class _Seen:
    """What the log shows."""

    deliveries: dict[str, _Delivery] = field(default_factory=dict)
    taken_at: datetime = LONG_AGO
    """When something got through last: the bot was up then."""

    def add(self, attempt: Attempt) -> None:
        """Take in an attempt; they come newest first."""
        delivery = self.deliveries.setdefault(attempt.guid, _Delivery(attempt, attempt.at))
        delivery.first = attempt
        delivery.attempts += 1
        delivery.is_taken |= attempt.is_taken
        if attempt.is_taken:
            self.taken_at = max(self.taken_at, attempt.at)

    def lost(self) -> list[_Delivery]:
        """Deliveries that no attempt got through of, oldest first."""
        lost = [one for one in self.deliveries.values() if not one.is_taken]
        return sorted(lost, key=lambda one: (one.first.at, one.first.id))


@dataclass(frozen=True, slots=True, kw_only=True)
class Redelivery:
    """The chore; `sleep` and `clock` are given, so that a test need not wait."""

    log: DeliveryLog
    redis: Redis
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    async def run(self) -> None:
        """Ask for what failed, oldest first. Raises `Transient` where GitHub cannot be asked."""
        started = self.clock()
        seen = await self._read(await self._look_back_to(started))
        unsettled = started
        asked = 0
        for delivery in seen.lost():
            times, last = await self._asked(delivery)
            if times >= MOST_ASKS:
                continue
            unsettled = min(unsettled, delivery.first.at)
            is_up = seen.taken_at > delivery.last_at
            wait = ASK_AGAIN_AFTER * (1 if is_up or not times else 3 ** (times - 1))
            if asked < MOST_AT_A_TIME and started - last >= wait:
                await self._ask(delivery)
                asked += 1
        # what is not settled must be found again
        await self.redis.set(SEEN_UNTIL, unsettled.isoformat(), px=milliseconds(LOG_KEPT))
        if asked:
            log.warning("redeliveries_asked_for", deliveries=asked)

    async def _look_back_to(self, now: datetime) -> datetime:
        stored = await self.redis.get(SEEN_UNTIL)
        if stored is None:
            return now - LOG_KEPT
        return datetime.fromisoformat(stored.decode()) - OVERLAP

    async def _read(self, oldest: datetime) -> _Seen:
        seen = _Seen()
        async for attempt in self.log.attempts():
            if attempt.at < oldest:
                break
            seen.add(attempt)
        return seen

    async def _asked(self, delivery: _Delivery) -> tuple[int, datetime]:
        """How often a delivery was asked for, and when last; the log counts too, if we forgot."""
        noted = self.redis.hmget(_key(delivery), ["times", "at"])
        times, at = await cast("Awaitable[list[bytes | None]]", noted)
        last = datetime.fromtimestamp(float(at), UTC) if at else LONG_AGO
        return max(int(times or 0), delivery.attempts - 1), last

    async def _ask(self, delivery: _Delivery) -> None:
        """Note the asking first: asked for and not noted could go on without end."""
        key = _key(delivery)
        pipeline = self.redis.pipeline()
        pipeline.hincrby(key, "times", 1)
        pipeline.hset(key, "at", str(self.clock().timestamp()))
        pipeline.pexpire(key, milliseconds(LOG_KEPT))
        await pipeline.execute()
        is_there = await self.log.redeliver(delivery.first)
        log.info("delivery_asked_for_again", delivery=delivery.first.guid, is_there=is_there)
        await self.sleep(SPACING_S)


def _key(delivery: _Delivery) -> str:
    return f"skillbench:redelivery:{delivery.first.guid}"
