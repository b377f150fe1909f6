"""Who has taken which eval case to measure, as the jobs see it; `bot.store` fills it."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Protocol


class Claims(Protocol):
    """Who has taken what. Raises `Transient` where that cannot be told."""

    async def take(self, claims: Sequence[str], /, *, holder: str) -> str | None:
        """Take the first that nobody has taken this week; None where all are taken.

        One step for all processes. The same holder gets what it took before, and nothing else.
        """

    async def find_taken(self, claims: Sequence[str], /) -> AbstractSet[str]:
        """Those that somebody has taken this week."""
