"""How often, and after how long, a platform is asked again. No wait is without bound."""

import random
from dataclasses import dataclass

from jobs.models.door import Trouble


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """Waits that double from `first_s` up to `most_s`, each with as much jitter as itself."""

    attempts: int = 8
    """Attempts at one answer; with the waits below a little over two minutes of waiting,
    which outlives a rate limit that is counted by the minute.
    """
    stalls: int = 3
    """Attempts that may go silent: each costs the whole idle limit."""
    first_s: float = 1.0
    most_s: float = 40.0
    longest_retry_after_s: float = 120.0
    """A provider that asks for more patience than this is taken as down."""

    def wait_s(self, trouble: Trouble, attempt: int, stalls: int) -> float | None:
        """Seconds before attempt `attempt + 1`; None: give up.

        A `retry-after` is a lower bound: the jitter comes on top, so that sessions which
        were limited together do not come back together.
        """
        if not trouble.retry or attempt >= self.attempts or stalls >= self.stalls:
            return None
        asked = trouble.retry_after_s or 0.0
        if asked > self.longest_retry_after_s:
            return None
        doubled = min(self.most_s, self.first_s * 2.0 ** (attempt - 1))
        if asked:
            return asked + random.uniform(0, min(doubled, self.first_s))  # noqa: S311
        return doubled * random.uniform(0.5, 1.0)  # noqa: S311 -- spreads load, guards nothing
