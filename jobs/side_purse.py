"""The money for one thing that a model is asked beside the sessions and readings of a run.

Such an asking, of canaries or of the guesser, has a purse of its own and blocks no result. It is
noted before it begins, so that one that was lost with its worker is counted whole, and so that it
is not begun for ever.
"""

from dataclasses import dataclass
from decimal import Decimal

from jobs.errors import OverBudget
from jobs.requests import Repo
from jobs.world import RunWorld

MOST_BEGINNINGS = 3
"""Of one asking: workers that it may be lost with."""


class NotBegun(Exception):  # noqa: N818 -- an outcome; never leaves whoever asks
    """It cannot be asked; the message says why, safe to show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SidePurse:
    """The purse of one asking for one run."""

    asking: str
    """What is asked for, in one word: the name of its keys."""
    run_id: str
    repo: Repo
    most_usd: Decimal
    """What it may cost."""
    world: RunWorld

    async def begin(self, called: str) -> None:
        """Set the money aside; `called` is the asking in a sentence, as `the reading`.

        Raises `NotBegun` where the day has no money left, or workers were lost with it before.
        """
        begun = await self.count_begun()
        if begun >= MOST_BEGINNINGS:
            raise NotBegun(f"{called} was begun {begun} times and never ended")
        try:
            await self.world.budget.reserve(self._name(begun + 1), self.repo, self.most_usd)
        except OverBudget as over:
            raise NotBegun(str(over)) from over
        await self.world.blobs.put(self._begun_at, str(begun + 1).encode())

    async def settle(self, usd: Decimal | None) -> None:
        """Settle the last beginning by what it has cost, as far as that is known; twice is once.

        Those before it were lost, and keep what was set aside for them.
        """
        if begun := await self.count_begun():
            await self.world.budget.settle(self._name(begun), usd or Decimal(0))

    async def count_begun(self) -> int:
        """How often it was begun."""
        return int(await self.world.blobs.get(self._begun_at) or 0)

    @property
    def _begun_at(self) -> str:
        return f"runs/{self.run_id}/{self.asking}.begun"

    def _name(self, number: int) -> str:
        """Under which the money of one beginning is set aside."""
        return f"{self.asking}-{self.run_id}-{number}"
