"""When to try what again, and for how long.

An attempt is a whole step that is safe to repeat: a read, a write that GitHub itself makes
idempotent, or "look whether it is there, else write it". So repeating never doubles
anything, and this module need not know what it repeats. Waiting is bounded: beyond it the
work goes back to the queue as `Transient`, with the time to come back.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

import structlog

from bot.github.failures import Limited, ServerTrouble
from jobs.errors import Transient

log = structlog.get_logger(__name__)

TRIES_ON_TROUBLE = 5
"""Four repeats after 0.5, 1, 2 and 4 s at most: outlasts a restart of a frontend, not an outage."""
TRIES_ON_LIMIT = 8
"""However short the waits are that GitHub names."""
FIRST_PAUSE_S = 0.5
UNTOLD_WAIT_S = 60.0
"""GitHub's rule for a secondary limit that names no time: at least a minute, then longer."""
LONGEST_WAIT_S = 900.0
"""All waiting for rate limits within one call. A primary limit can last an hour: that wait
belongs in the queue, where it survives a restart."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Time as this client knows it; given, so that a test need not wait."""

    now: Callable[[], float] = time.time
    """Seconds since 1970."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    spread: Callable[[], float] = random.random
    """A number in [0, 1) that keeps many waiters from coming back in the same instant."""


T = TypeVar("T")


async def run_with_retries(
    attempt: Callable[[], Awaitable[T]],
    *,
    timing: Timing,
    on_limit: Callable[[float], Awaitable[None]],
) -> T:
    """Run `attempt` until it succeeds or patience ends; other exceptions pass at once.

    `on_limit` is told every wait that a rate limit asks for, before it is waited. Raises
    `Transient`, with `retry_after` where GitHub's limits are the reason.
    """
    troubles, limits, waited_s = 0, 0, 0.0
    while True:
        try:
            return await attempt()
        except ServerTrouble as trouble:
            troubles += 1
            if troubles == TRIES_ON_TROUBLE:
                raise Transient(f"{trouble} ({troubles} times)") from None
            wait_s = trouble_wait_s(troubles, timing.spread())
            log.info("github_trouble", problem=str(trouble), wait_s=round(wait_s, 2))
        except Limited as limit:
            limits += 1
            wait_s = limit_wait_s(limit, limits, timing.spread())
            await on_limit(wait_s)
            waited_s += wait_s
            if waited_s > LONGEST_WAIT_S or limits == TRIES_ON_LIMIT:
                raise Transient(str(limit), retry_after=timedelta(seconds=wait_s)) from None
            log.warning("github_limit", problem=str(limit), wait_s=round(wait_s, 2))
        await timing.sleep(wait_s)


def trouble_wait_s(troubles: int, spread: float) -> float:
    """Seconds before the next try after so many failures: doubling, the upper half random."""
    longest = FIRST_PAUSE_S * 2.0 ** (troubles - 1)
    return longest * (0.5 + spread / 2)


def limit_wait_s(limit: Limited, limits: int, spread: float) -> float:
    """Seconds to stay away: never less than GitHub said, nor than a second, then two, four …

    Where it said nothing: a minute, then two, four …
    """
    backoff = 2.0 ** (limits - 1)
    wait = UNTOLD_WAIT_S * backoff if limit.wait_s is None else max(limit.wait_s, backoff)
    return wait + spread * min(1.0, wait / 10)
