"""The exact sign test over eval cases, its power, and how many evals it takes.

The unit is the eval case: each says which arm did better, by however much. Evals on which the
arms did the same say nothing and are left out, as in W. J. Conover, *Practical Nonparametric
Statistics*, section 3.4. The test leans on no distribution of scores, so a few evals are enough
to keep its promise, though five at least to say anything.
"""

from collections.abc import Sequence
from typing import NamedTuple

from jobs.results import SAME_SCORE

MOST_EVALS = 2_000
"""How far `find_evals_needed` looks; nobody writes so many eval cases for a skill."""
POWER = 0.8
"""The usual chance of seeing what is there."""


class SignTest(NamedTuple):
    """How often the tested arm did better, the same and worse, and how likely that is by chance."""

    wins: int
    ties: int
    losses: int
    p_higher: float | None
    """Chance of at least so many wins among the evals that are no ties, were both arms alike;
    exact, one-sided. None without such an eval."""
    p_lower: float | None
    """The mirror: chance of at least so many losses."""


def find_sign_test(differences: Sequence[float]) -> SignTest:
    """The test over one difference an eval, tested arm minus the other.

    A difference that is no more than rounding (`SAME_SCORE`) is a tie.
    """
    wins = sum(one >= SAME_SCORE for one in differences)
    losses = sum(one <= -SAME_SCORE for one in differences)
    ties = len(differences) - wins - losses
    if not wins + losses:
        return SignTest(wins, ties, losses, None, None)
    from scipy import stats  # noqa: PLC0415

    higher = stats.binomtest(wins, wins + losses, alternative="greater").pvalue
    lower = stats.binomtest(losses, wins + losses, alternative="greater").pvalue
    return SignTest(wins, ties, losses, float(higher), float(lower))


def find_power(non_ties: int, win_rate: float, alpha: float) -> float:
    """Chance that the one-sided test at `alpha` sees a true `win_rate` among so many non-ties.

    It does not grow steadily: one eval more can take it down, since wins are whole numbers.
    """
    from scipy import stats  # noqa: PLC0415

    fewest = stats.binom.isf(alpha, non_ties, 0.5) + 1
    return float(stats.binom.sf(fewest - 1, non_ties, win_rate))


def find_evals_needed(
    win_rate: float, *, alpha: float, power: float = POWER, tie_rate: float = 0
) -> int | None:
    """The fewest evals from which on the test has this power, however many more there are.

    `win_rate` is that among the evals that are no ties, `tie_rate` the share of ties among all.
    None where `MOST_EVALS` are not enough, as always for a rate of one half or less.
    """
    if win_rate <= 1 / 2:
        return None
    import numpy  # noqa: ICN001, PLC0415
    from scipy import stats  # noqa: PLC0415

    non_ties = range(MOST_EVALS + 1)
    fewest = stats.binom.isf(alpha, non_ties, 0.5) + 1
    powers = numpy.asarray(stats.binom.sf(fewest - 1, non_ties, win_rate))
    needed = None
    for evals in range(MOST_EVALS, 0, -1):
        chances = stats.binom.pmf(non_ties[: evals + 1], evals, 1 - tie_rate)
        if chances @ powers[: evals + 1] < power:
            break
        needed = evals
    return needed
