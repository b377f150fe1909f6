"""How fast a provider may be asked: learnt from what it says, shared by all of a process.

Providers tell with each answer what is left of their limits and when it is all back. While much
is left nobody waits. Where little is left requests go out one after another, as fast as it comes
back; after a refusal nobody asks until the provider said so. Whoever waits is let through in
the order of coming.

Headers: docs.claude.com/en/api/rate-limits (`anthropic-ratelimit-*`, times) and
platform.openai.com/docs/guides/rate-limits (`x-ratelimit-*`, periods such as `6m0s`).
"""

import asyncio
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

SCARCE = 0.1
"""The part of a limit below which requests are spaced."""
FIRST_GAP_S = 0.05
"""Between two requests after a refusal that says nothing else."""
MOST_GAP_S = 5.0
EASE = 0.9
"""What an answer makes of such a gap."""
LEAST_GAP_S = 0.002
LOOK_S = 0.5
"""How often the one at the head of the queue looks whether what it waits for has changed."""
LONGEST_WAIT_S = 900.0
"""Nobody at the head of the queue waits longer, whatever the provider says."""

_ANTHROPIC = "anthropic-ratelimit-"
_OPENAI = "x-ratelimit-"
_PERIOD = re.compile(r"(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,9}(?:\.\d{1,9})?)s)?")
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,9})?")
_YEAR_2001 = 1e9
"""Seconds since 1970: a larger number is a moment, a smaller one a period."""


@dataclass(slots=True)
class Allowance:
    """What is left of one limit, such as tokens in a minute."""

    limit: float
    remaining: float
    full_at: float
    """When all of it is back, by the pace's clock."""

    def find_gap(self, now: float, cost: float) -> float:
        """Seconds until `cost` of it has come back; 0 where there is enough anyway."""
        if now >= self.full_at or self.remaining - cost >= self.limit * SCARCE:
            return 0.0
        used = max(self.limit - self.remaining, cost)
        return min(cost / used, 1.0) * (self.full_at - now)


class Pace:
    """The pace of one provider."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._queue = asyncio.Lock()
        self._allowances: dict[str, Allowance] = {}
        self._closed_until = 0.0
        self._gap_s = 0.0
        self._last = 0.0
        """When somebody went through last."""
        self._slowed_at = float("-inf")
        self.answered = 0
        """Answers so far: whoever is refused while others are answered need not give up."""

    async def turn(self, tokens: int = 0) -> float:
        """Wait until a request of about so many tokens may go out; gives the seconds waited."""
        came = self._clock()
        async with self._queue:
            first = self._clock()
            while (wait_s := self._find_wait(tokens)) > 0:
                if self._clock() - first >= LONGEST_WAIT_S:
                    break
                await asyncio.sleep(min(wait_s, LOOK_S))
            self._last = self._clock()
            for name, allowance in self._allowances.items():
                allowance.remaining -= _cost(name, tokens)
        return self._clock() - came

    def learn(self, headers: Mapping[str, str]) -> None:
        """Take what an answer says of the limits; what cannot be read says nothing."""
        for name, told in _read(headers).items():
            remaining, reset = _number(told.get("remaining")), _find_seconds(told.get("reset"))
            if remaining is None or reset is None:
                continue
            known = self._allowances.get(name)
            limit = _number(told.get("limit")) or max(remaining, known.limit if known else 0)
            self._allowances[name] = Allowance(limit, remaining, self._clock() + reset)

    def count_answer(self) -> None:
        """The provider has answered: it can be asked a little faster."""
        self.answered += 1
        self._gap_s = self._gap_s * EASE if self._gap_s > LEAST_GAP_S else 0.0

    def slow_down(self, retry_after_s: float | None) -> None:
        """The provider has refused: nobody asks for so long, and then more slowly.

        Many are refused at once; that is one reason to slow down, not many.
        """
        now = self._clock()
        if retry_after_s:
            self._closed_until = max(self._closed_until, now + retry_after_s)
        if now - self._slowed_at >= 1.0:
            self._slowed_at = now
            self._gap_s = min(max(self._gap_s * 2, FIRST_GAP_S), MOST_GAP_S)

    def _find_wait(self, tokens: int) -> float:
        now = self._clock()
        gaps = [one.find_gap(now, _cost(name, tokens)) for name, one in self._allowances.items()]
        spaced = self._last + max([self._gap_s, *gaps])
        return max(self._closed_until, spaced) - now


def _cost(name: str, tokens: int) -> float:
    return 1.0 if name.endswith("requests") else float(tokens)


def _read(headers: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """What is said of each limit: `limit`, `remaining` and `reset`."""
    found: dict[str, dict[str, str]] = {}
    for name, value in headers.items():
        lower = name.lower()
        if lower.startswith(_ANTHROPIC):
            unit, _, what = lower.removeprefix(_ANTHROPIC).rpartition("-")
        elif lower.startswith(_OPENAI):
            what, _, unit = lower.removeprefix(_OPENAI).partition("-")
            unit = unit or "requests"
        else:
            continue
        if unit.endswith(("requests", "tokens")):
            found.setdefault(unit, {})[what] = value.strip()
    return found


def _number(text: str | None) -> float | None:
    return float(text) if text and _NUMBER.fullmatch(text) else None


def _find_seconds(text: str | None) -> float | None:
    """Seconds from now: of a period, of a number of seconds, or of a moment."""
    if not text:
        return None
    if text.endswith("ms") and (number := _number(text[:-2])) is not None:
        return number / 1000
    if (number := _number(text)) is not None:
        if number > _YEAR_2001 * 1000:
            number /= 1000
        return max(0.0, number - time.time()) if number > _YEAR_2001 else number
    if (period := _PERIOD.fullmatch(text)) is not None:
        hours, minutes, seconds = (float(part or 0) for part in period.groups())
        return hours * 3600 + minutes * 60 + seconds
    with suppress(ValueError):
        moment = datetime.fromisoformat(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())
    return None
