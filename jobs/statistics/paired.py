"""An interval of the mean difference between two arms over a set of eval cases.

The evals stand for many that could have been written, so what varies between them decides how far
the mean may be off; trials within an eval only make its difference steadier. Evals that share a
fixture are one unit: they tend to come out alike, and counted apart they would promise too much.

Differences are few, discrete, skewed and often 0. Of what was tried on such sets
(docs/statistics.md), bootstraps cover too little, and so do, on different ones of them, sign flips
and Student's interval where there are few evals. Below 20 the interval is therefore that which
holds both, from there on Student's.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from math import floor, fsum, sqrt

from jobs.statistics.intervals import CONFIDENCE, Interval

FEWEST_UNITS = 6
"""Five signs have 32 outcomes, so the two ends together are one in 16: too many for 95 %."""
FEWEST_FOR_STUDENT = 20
"""Evals from which Student's interval stands alone; all sign flips of fewer can be gone through."""
_NO_SPREAD = 1e-9
"""Standard errors below are what rounding leaves of differences that do not differ."""


def find_paired_interval(
    differences: Sequence[float],
    *,
    clusters: Sequence[str] | None = None,
    confidence: float = CONFIDENCE,
) -> Interval | None:
    """An interval of the mean of paired differences, one an eval, in their unit.

    `clusters` names for each eval what it shares with others, such as a fixture; None: nothing.
    None for fewer than `FEWEST_UNITS` units, and where the units do not differ: no spread that was
    seen is no proof that there is none. Raises `ValueError` for names fewer or more than evals.

    The same differences always give the same interval: nothing is drawn at random. It may end
    beyond what a difference can be, since it knows of no bounds.
    """
    names: Sequence[str | int] = clusters if clusters is not None else range(len(differences))
    found: dict[str | int, list[float]] = defaultdict(list)
    for difference, name in zip(differences, names, strict=True):
        found[name].append(difference)
    units = list(found.values())
    if len(units) < FEWEST_UNITS:
        return None
    student = _find_student(units, confidence)
    if student is None or len(differences) >= FEWEST_FOR_STUDENT:
        return student
    flipped = _find_flipped(tuple(map(tuple, units)), confidence)
    if flipped is None:
        return None
    return Interval(min(student.low, flipped.low), max(student.high, flipped.high))


def _find_student(units: Sequence[Sequence[float]], confidence: float) -> Interval | None:
    """Student's interval with a standard error that is robust to likeness within units.

    The standard error is that of R. M. Bell and D. F. McCaffrey, *Bias reduction in standard
    errors for linear regression with multi-stage samples*, Survey Methodology 28 (2002), for a
    mean. Where every unit is one eval it is the usual interval. None where no spread was seen.
    """
    count = sum(len(unit) for unit in units)
    mean = fsum(fsum(unit) for unit in units) / count
    shares = [len(unit) / count for unit in units]
    residuals = [fsum(unit) - len(unit) * mean for unit in units]
    error = sqrt(fsum(r * r / (1 - h) for r, h in zip(residuals, shares, strict=True))) / count
    if error < _NO_SPREAD:
        return None
    from scipy import special  # noqa: PLC0415

    freedom = len(units) - 1.0 if len(units) == count else _find_freedom(units)
    reach = float(special.stdtrit(freedom, (1 + confidence) / 2)) * error
    return Interval(mean - reach, mean + reach)


def _find_freedom(units: Sequence[Sequence[float]]) -> float:
    """Degrees of freedom of that standard error: units of unequal size count for fewer.

    Chosen so that its first two moments are right where evals of a unit are as alike as they are
    seen to be, as G. W. Imbens and M. Kolesár propose, *Robust standard errors in small samples:
    some practical advice*, Review of Economics and Statistics 98 (2016).
    """
    import numpy as np  # noqa: PLC0415

    sizes = np.array([len(unit) for unit in units], dtype=float)
    shares = sizes / sizes.sum()
    # each unit's residual as a combination of all evals, of which those of a unit weigh alike
    weights = (np.eye(len(units)) - shares[:, None]) / np.sqrt(1 - shares)[:, None]
    apart = (weights * sizes) @ weights.T
    together = (weights * sizes**2) @ weights.T
    alike = _find_likeness(units)
    moments = (1 - alike) * apart + alike * together
    return float(np.trace(moments) ** 2 / (moments**2).sum())


def _find_likeness(units: Sequence[Sequence[float]]) -> float:
    """How alike evals of one unit are: their intraclass correlation, from 0 to 1.

    By a one-way analysis of variance; 1 where evals of one unit do not differ at all.
    """
    count = sum(len(unit) for unit in units)
    mean = fsum(fsum(unit) for unit in units) / count
    means = [fsum(unit) / len(unit) for unit in units]
    between = fsum(
        len(unit) * (own - mean) ** 2 for unit, own in zip(units, means, strict=True)
    ) / (len(units) - 1)
    within = fsum(
        (one - own) ** 2 for unit, own in zip(units, means, strict=True) for one in unit
    ) / (count - len(units))
    size = (count - sum(len(unit) ** 2 for unit in units) / count) / (len(units) - 1)
    return max(0.0, (between - within) / (between + (size - 1) * within))


@lru_cache(maxsize=1_000)
def _find_flipped(units: tuple[tuple[float, ...], ...], confidence: float) -> Interval | None:
    """All means that the exact sign-flip test of symmetry, unit by unit, does not rule out.

    Its ends are two of the sorted means of all choices of units, as J. A. Hartigan showed (*Using
    subsample values as typical values*, JASA 64, 1969), so no grid has to be searched. Exact for
    differences that lie symmetrically about their mean. None where no choice is rare enough.
    Kept, since sets of earlier versions are asked about again and again and 19 units take 5 ms.
    """
    import numpy as np  # noqa: PLC0415

    at = floor((1 - confidence) / 2 * 2 ** len(units))
    if not at:
        return None
    sums, counts = np.zeros(1), np.zeros(1)
    for unit in units:
        sums = np.concatenate([sums, sums + fsum(unit)])
        counts = np.concatenate([counts, counts + len(unit)])
    ends = [at - 1, sums.size - 1 - at]
    means = np.partition(sums[1:] / counts[1:], ends)
    return Interval(*(float(means[end]) for end in ends))
