"""What is added one by one, and why no more of it was."""

from typing import Literal

from jobs.requests import Value

Unit = Literal["trials", "evals"]
"""What is added until it is sure: trials of one eval case, or eval cases of one skill."""
FEWEST = 8
"""Observations that can be enough where all point one way, by the rule of
`jobs.statistics.sequential`; fewer never are."""

Why = Literal["higher", "lower", "futile", "cap", "money", "lost", "rejudged"]
"""Sure that the arm under test is better, or worse; no longer within reach of the cap; the cap
itself; another trial might have passed what the run may cost; one came to no score, so that the
run has none; it was sure, and by another judge's verdicts on the same trials it no longer is."""


class Stop(Value):
    """How a run came to its last trial, where trials were added until it was sure."""

    why: Why
    wins: int
    """Trials in which the arm under test had the higher score."""
    ties: int
    losses: int
    most: int
    """The cap on trials."""

    @property
    def is_sure(self) -> bool:
        """Whether there is enough evidence for one of the two directions."""
        return self.why in {"higher", "lower"}
