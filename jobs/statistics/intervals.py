"""Intervals for what is measured in small numbers.

Few observations are the rule here, so nothing leans on a normal distribution, and where the
observations cannot bear an interval there is none: unknown is an answer, a guess is not.
scipy is loaded when the first interval is asked for, because it takes longer to load than
most commands take to run.
"""

from collections.abc import Sequence
from typing import NamedTuple

CONFIDENCE = 0.95
_SEED = 1
_RESAMPLES = 9_999
"""Sign patterns drawn where there are more than can be listed; at 2.5 % an error of 0.16 %."""


class Interval(NamedTuple):
    """Where a value may lie, both ends included."""

    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        return self.low > 0 or self.high < 0


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


def find_paired_interval(
    differences: Sequence[float], *, confidence: float = CONFIDENCE
) -> Interval | None:
    """An interval of the mean paired difference, by inverting the sign-flip test.

    Holds every shift after whose removal the differences could as well have had the other
    signs (R. A. Fisher, *The Design of Experiments*, 1935, §21). It asks that the pairs be
    independent and their differences symmetric around the mean, nothing else. None where so
    few differences exclude nothing at this confidence: at 95 % that is below six.
    """
    tail = (1 - confidence) / 2
    if not differences or 0.5 ** len(differences) > tail:
        return None
    if len(set(differences)) == 1:
        return Interval(differences[0], differences[0])
    mirrored = [-one for one in differences]
    return Interval(_find_low(differences, tail), -_find_low(mirrored, tail))


def _find_low(differences: Sequence[float], tail: float) -> float:
    """The smallest shift after which the differences are not surprisingly large."""
    import numpy as np  # noqa: PLC0415
    from scipy import optimize, stats  # noqa: PLC0415

    found = np.asarray(differences, dtype=float)

    def beyond(shift: float) -> float:
        test = stats.permutation_test(
            (found - shift,),
            np.mean,
            permutation_type="samples",
            vectorized=True,
            n_resamples=_RESAMPLES,
            alternative="greater",
            rng=np.random.default_rng(_SEED),  # the same patterns for every shift
        )
        return float(test.pvalue) - tail

    lowest = float(found.min() - np.ptp(found))
    return float(optimize.bisect(beyond, lowest, float(found.mean()), xtol=1e-6))
