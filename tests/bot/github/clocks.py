"""Time that passes only when somebody waits, so that an hour costs a test nothing."""

import asyncio
from dataclasses import dataclass, field

from bot.github.retry import Timing

START = 1_777_896_000.0
"""2026-05-04, noon UTC."""


@dataclass
class StoppedClock:
    """A clock that a sleep moves on; it remembers every wait."""

    now: float = START
    waits: list[float] = field(default_factory=list)

    def time(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        if seconds > 0:
            self.waits.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    @property
    def timing(self) -> Timing:
        return Timing(now=self.time, sleep=self.sleep, spread=lambda: 0.5)
