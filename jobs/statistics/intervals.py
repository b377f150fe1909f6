"""Intervals for what is measured in small numbers.

Few observations are the rule here, so nothing leans on a normal distribution, and where the
observations cannot bear an interval there is none: unknown is an answer, a guess is not.
scipy is loaded when the first interval is asked for, because it takes longer to load than
most commands take to run; `load_statistics` does it beforehand.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

CONFIDENCE = 0.95


class Interval(NamedTuple):
    """Where a value may lie, both ends included."""

    low: float
    high: float


class Count(NamedTuple):
    """How often something came out right."""

    successes: int
    trials: int
    """At least 1."""


Counted = tuple[Count, Count]
"""One item before and after."""


def load_statistics() -> None:
    """Load what intervals are found with, best in a thread: it takes a second."""
    find_rate_interval(1, 2)


@lru_cache(maxsize=1_000)
def find_rate_interval(
    successes: int, trials: int, *, confidence: float = CONFIDENCE
) -> Interval | None:
    """Wilson's score interval of a rate, as fractions; None without a trial.

    E. B. Wilson, *Probable inference, the law of succession, and statistical inference*,
    JASA 22 (1927): it keeps near its promise at three trials, where the usual one is absurd.
    """
    if not trials:
        return None
    from scipy import stats  # noqa: PLC0415

    found = stats.binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    return Interval(float(found.low), float(found.high))


def find_difference_interval(
    pairs: Sequence[Counted], *, confidence: float = CONFIDENCE
) -> Interval | None:
    """An interval of the mean difference of rates, `after` minus `before`, over fixed items.

    Answers whether more than chance in the repetitions lies between two conditions, for just
    these items. The limits of each rate (Clopper and Pearson's) are recovered into those of
    the mean, as in G. Y. Zou and A. Donner, *Construction of confidence limits about effect
    measures: a general approach*, Statistics in Medicine 27 (2008). Where the rates are in
    truth the same, it lies above zero at most once in 38 times. None without an item.
    """
    if not pairs:
        return None
    difference = below = above = 0.0
    for before, after in pairs:
        rate_before, low_before, high_before = _find_limits(before, confidence)
        rate_after, low_after, high_after = _find_limits(after, confidence)
        difference += rate_after - rate_before
        below += (rate_after - low_after) ** 2 + (high_before - rate_before) ** 2
        above += (high_after - rate_after) ** 2 + (rate_before - low_before) ** 2
    count = len(pairs)
    return Interval((difference - sqrt(below)) / count, (difference + sqrt(above)) / count)


@lru_cache(maxsize=1_000)
def _find_limits(counted: Count, confidence: float) -> tuple[float, float, float]:
    """A rate and its exact limits."""
    from scipy import stats  # noqa: PLC0415

    test = stats.binomtest(counted.successes, counted.trials)
    limits = test.proportion_ci(confidence, method="exact")
    return counted.successes / counted.trials, float(limits.low), float(limits.high)


FEWEST_FOR_MEAN = 10
"""Values from which an interval of their mean is given: below, its promise is not kept for
scores that pile up at 0 and 1."""
FEWEST_FOR_SPREAD = 2


def find_mean_interval(
    values: Sequence[float], *, confidence: float = CONFIDENCE
) -> Interval | None:
    """Student's interval of a mean over independent values.

    None for fewer than `FEWEST_FOR_MEAN` values, and where they do not differ: no spread that was
    seen is no proof that there is none.
    """
    error = find_standard_error(values)
    if error is None or len(values) < FEWEST_FOR_MEAN:
        return None
    from scipy import stats  # noqa: PLC0415

    mean = sum(values) / len(values)
    reach = float(stats.t.ppf((1 + confidence) / 2, len(values) - 1)) * error
    return Interval(mean - reach, mean + reach)


def find_standard_error(values: Sequence[float]) -> float | None:
    """Standard error of a mean; None for fewer than two values, and where they do not differ."""
    count = len(values)
    if count < FEWEST_FOR_SPREAD:
        return None
    mean = sum(values) / count
    variance = sum((value - mean) ** 2 for value in values) / (count - 1)
    return sqrt(variance / count) if variance > 0 else None
