"""What a set of eval cases says at one moment, while it is measured until it is sure."""

from typing import NamedTuple

from jobs.statistics.sequential import Decision


class Look(NamedTuple):
    """What a set says at one moment."""

    decision: Decision
    wins: int
    """Observations, each an eval case or those of the same input files, that are better."""
    ties: int
    losses: int
    left: int
    """Observations that have not ended."""

    @property
    def most(self) -> int:
        """All observations that there may be."""
        return self.wins + self.ties + self.losses + self.left
