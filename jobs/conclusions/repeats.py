"""A/A: what the rule says where there is nothing to be found.

Runs of `--vs self` hold a version against itself, so every difference in them is noise. How many
of their eval cases point to a winner, and how often the very rule that judges a set passes them,
stands beside the set's verdict.
"""

from collections.abc import Callable
from typing import NamedTuple

from jobs.conclusions.sets import EvalSet, SetRow
from jobs.conclusions.thresholds import Thresholds
from jobs.results import SAME_SCORE
from jobs.statistics.intervals import Count, Interval, find_rate_interval

Gate = Callable[[tuple[SetRow, ...]], str | None]


class Repeats(NamedTuple):
    """What a set's A/A runs say."""

    flips: Count
    """Of all A/A runs, those that point to a winner."""
    flip_interval: Interval | None
    false_wins: Count
    """Of all A/A runs, those in which the tested arm scored higher."""
    false_win_interval: Interval | None
    rounds: Count
    """Of the rounds over the set that are large enough for the rule, those that pass it, either
    way; `trials` is 0 where none is."""
    alpha: float
    """How often that may happen, either way together."""

    @property
    def passes_too_often(self) -> bool:
        """Whether the rule passes identical arms more often than it promises."""
        return self.rounds.trials > 0 and self.rounds.successes > self.alpha * self.rounds.trials

    @property
    def is_broken(self) -> bool:
        """Whether that is more than bad luck: the whole interval of its rate lies above."""
        interval = find_rate_interval(*self.rounds)
        return self.passes_too_often and interval is not None and interval.low > self.alpha


def find_repeats(found: EvalSet, gate: Gate, limits: Thresholds) -> Repeats | None:
    """What the A/A runs of a set say; None where there are none. Loads statistics.

    A round is one A/A run of each eval case, and is given to the `gate` as the set is.
    """
    rows = [row for one in found.rounds for row in one]
    if not rows:
        return None
    flips = sum(abs(row.difference) >= SAME_SCORE for row in rows)
    wins = sum(row.difference >= SAME_SCORE for row in rows)
    large = [one for one in found.rounds if len(one) >= limits.fewest]
    return Repeats(
        flips=Count(flips, len(rows)),
        flip_interval=find_rate_interval(flips, len(rows)),
        false_wins=Count(wins, len(rows)),
        false_win_interval=find_rate_interval(wins, len(rows)),
        rounds=Count(sum(gate(one) is not None for one in large), len(large)),
        # each direction of the test has its own chance; the evidence of both shares one
        alpha=limits.alpha if found.is_sure else 2 * limits.alpha,
    )
