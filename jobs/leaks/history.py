"""How often the guesser is right over the runs of one series.

A series has one tested model and one guesser, each as it answered, and one wording of the
question. The judge and its prompt are no part of it, since they have no part in a guess.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal

from jobs.calibration.series import series_key
from jobs.requests import Value
from jobs.results import RunRecord
from jobs.statistics.intervals import Interval, find_rate_interval

CHANCE = 0.5
"""How often somebody is right who sees nothing: one of two must be named."""

Blindness = Literal["given away", "mistaken", "unknown"]


class GuessHistory(Value):
    """The guesses about the outputs of one tested model by one guesser."""

    served: str
    """The tested model's snapshot, or what `series_key` has in its place."""
    model: str
    """As it was sent in the latest run."""
    guesser: str
    """Who guessed, and under which wording."""
    right: int
    guessed: int
    """Runs with a guess, right or wrong; at least one."""
    interval: Interval
    """Wilson's, of the share that is right."""
    last: datetime | None
    """When the latest of the runs ended; None where no record says."""

    @property
    def blindness(self) -> Blindness:
        """What can be said: `given away` above chance, `mistaken` below it, else `unknown`.

        Whoever is wrong too often tells the outputs apart as well, and takes one for the other.
        """
        low, high = self.interval
        if low > CHANCE:
            return "given away"
        return "mistaken" if high < CHANCE else "unknown"


def find_guess_histories(records: Iterable[RunRecord]) -> list[GuessHistory]:
    """Each series with a guess, the one with the latest run first. Blocks: loads statistics."""
    by_series: dict[tuple[str, str], list[RunRecord]] = defaultdict(list)
    for record in {one.run: one for one in records}.values():  # one that was judged again is one
        if record.guess is not None:
            by_series[series_key(record)[0], record.guesser].append(record)
    found = [_sum_up(*series, own) for series, own in by_series.items()]
    return sorted(found, key=lambda one: (str(one.last or ""), one.served), reverse=True)


def _sum_up(served: str, guesser: str, records: Sequence[RunRecord]) -> GuessHistory:
    latest = max(records, key=lambda one: (one.ended_at, one.run))
    right = sum(one.guess is True for one in records)
    interval = find_rate_interval(right, len(records))
    if interval is None:
        raise ValueError("a series holds at least one guess")
    return GuessHistory(
        served=served,
        model=latest.model,
        guesser=guesser,
        right=right,
        guessed=len(records),
        interval=interval,
        last=latest.finished_at,
    )
