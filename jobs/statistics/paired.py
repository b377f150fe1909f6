"""An interval of the mean difference between two arms over a set of eval cases."""

from collections import defaultdict
from collections.abc import Sequence

from jobs.statistics.intervals import CONFIDENCE, Interval, find_standard_error

FEWEST_UNITS = 6
"""Five signs have 32 outcomes: none is rare enough for a two-sided interval of 95 %."""


def find_paired_interval(
    differences: Sequence[float],
    *,
    clusters: Sequence[str] | None = None,
    confidence: float = CONFIDENCE,
) -> Interval | None:
    """An interval of the mean of paired differences, one an eval.

    `clusters` names for each eval what it shares with others, a fixture; None: nothing. None for
    fewer than `FEWEST_UNITS` independent units and where they do not differ.
    """
    named = clusters if clusters is not None else [str(at) for at in range(len(differences))]
    sums: dict[str, list[float]] = defaultdict(list)
    for difference, cluster in zip(differences, named, strict=True):
        sums[cluster].append(difference)
    means = [sum(values) / len(values) for values in sums.values()]
    error = find_standard_error(means)
    if error is None or len(means) < FEWEST_UNITS:
        return None
    from scipy import stats  # noqa: PLC0415

    mean = sum(differences) / len(differences)
    reach = float(stats.t.ppf((1 + confidence) / 2, len(means) - 1)) * error
    return Interval(mean - reach, mean + reach)
