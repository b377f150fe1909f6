"""The exact sign test over eval cases, its power, and how many evals it takes.

Each eval case says which arm did better, by however much; one on which both did the same says
nothing and is left out, as in W. J. Conover, *Practical Nonparametric Statistics*, section 3.4.
The test leans on no distribution of scores, so it keeps its promise for a few evals as well, of
which it needs five at least to say anything.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from jobs.results import SAME_SCORE

if TYPE_CHECKING:
    import numpy as np

    Numbers = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

MOST_EVALS = 500
"""How far `find_evals_needed` looks; nobody writes so many eval cases for a skill."""
_FAR = 8
"""Standard deviations beyond which nothing is likely: less than one in 10^14."""
POWER = 0.8
"""The usual chance of seeing what is there."""


class Floors(NamedTuple):
    """What a difference must come to beside its p-value, so that a trifle is not shown."""

    non_ties: int = 0
    """Evals that must differ."""
    net: float = 0
    """Least share of all evals by which wins must outnumber losses."""


NO_FLOORS = Floors()


class SignTest(NamedTuple):
    """How often the tested arm did better, the same and worse, and how likely that is by chance."""

    wins: int
    ties: int
    losses: int
    p_higher: float | None
    """Chance of wins that outdo the losses by at least so much, were both arms alike; exact,
    one-sided. None where no eval differs."""
    p_lower: float | None
    """The mirror: chance of losses that outdo the wins by at least so much."""


def find_sign_test(differences: Sequence[float], clusters: Sequence[str] | None = None) -> SignTest:
    """The test over one difference an eval, tested arm minus the other.

    A difference that is no more than rounding (`SAME_SCORE`) is a tie. `clusters` names for each
    eval what it shares with others, such as a fixture; evals of one name can come out alike by
    chance, so they are one toss of a coin together, worth their wins less their losses. Where no
    name is shared, it is the usual sign test.
    """
    signs = [(one >= SAME_SCORE) - (one <= -SAME_SCORE) for one in differences]
    wins, losses = signs.count(1), signs.count(-1)
    ties = len(signs) - wins - losses
    if not wins + losses:
        return SignTest(wins, ties, losses, None, None)
    names: Sequence[str | int] = clusters if clusters is not None else range(len(signs))
    nets: Counter[str | int] = Counter()
    for sign, name in zip(signs, names, strict=True):
        nets[name] += sign
    stakes = tuple(sorted(abs(net) for net in nets.values() if net))
    higher, lower = _find_tails(stakes, wins - losses)
    return SignTest(wins, ties, losses, higher, lower)


@lru_cache(maxsize=1_000)
def _find_tails(stakes: tuple[int, ...], net: int) -> tuple[float, float]:
    """Chances of a net of at least, and of at most, `net`: each stake is won or lost by a coin.

    Counted in whole numbers, over all ways in which the coins can fall.
    """
    ways = Counter({0: 1})
    for stake in stakes:
        grown: Counter[int] = Counter()
        for total, count in ways.items():
            grown[total + stake] += count
            grown[total - stake] += count
        ways = grown
    higher = sum(count for total, count in ways.items() if total >= net)
    lower = sum(count for total, count in ways.items() if total <= net)
    return higher / 2 ** len(stakes), lower / 2 ** len(stakes)


def find_power(non_ties: int, win_rate: float, alpha: float) -> float:
    """Chance that the one-sided test at `alpha` sees a true `win_rate` among so many non-ties.

    It does not grow steadily: one eval more can take it down, since wins are whole numbers.
    """
    return find_set_power(non_ties, win_rate, alpha=alpha)


def find_set_power(
    evals: int,
    win_rate: float,
    *,
    alpha: float,
    tie_rate: float = 0,
    floors: Floors = NO_FLOORS,
) -> float:
    """Chance that a set of evals shows what is there, whatever chance makes of its ties.

    `win_rate` is that among evals that are no ties, `tie_rate` the share of ties among all. Shown
    is what the one-sided test at `alpha` sees, where it also comes to the `floors`.
    """
    return float(_find_powers([evals], win_rate, alpha, tie_rate, floors)[0])


@lru_cache(maxsize=1_000)
def find_evals_needed(
    win_rate: float,
    *,
    alpha: float,
    power: float = POWER,
    tie_rate: float = 0,
    floors: Floors = NO_FLOORS,
) -> int | None:
    """The fewest evals from which on a set has this power, however many more there are.

    The other values are those of `find_set_power`. None where `MOST_EVALS` are not enough, as
    always for a rate of one half or less, and where the floors are as high as what is there.
    """
    if win_rate <= 1 / 2:
        return None
    sizes = range(1, MOST_EVALS + 1)
    powers = _find_powers(sizes, win_rate, alpha, tie_rate, floors)
    too_few = [size for size, found in zip(sizes, powers, strict=True) if found < power]
    needed = max(too_few, default=0) + 1
    return needed if needed <= MOST_EVALS else None


def _find_powers(
    sizes: Sequence[int], win_rate: float, alpha: float, tie_rate: float, floors: Floors
) -> "Numbers":
    """The power of sets of these sizes, over all numbers of non-ties that are likely in each."""
    import numpy as np  # noqa: PLC0415
    from scipy import stats  # noqa: PLC0415

    evals, non_ties = np.array(sizes)[:, None], np.arange(max(sizes) + 1)
    deviations = np.sqrt(evals * tie_rate * (1 - tie_rate))
    likely = np.abs(non_ties - evals * (1 - tie_rate)) <= _FAR * deviations + 1
    at, differing = np.nonzero(likely & (non_ties <= evals))  # a fifth of all, where there are ties
    enough = np.ceil((differing + floors.net * evals[at, 0]) / 2 - SAME_SCORE)
    wins = np.maximum(_find_fewest_wins(alpha, max(sizes))[differing], enough)
    shown = stats.binom.sf(wins - 1, differing, win_rate) * (differing >= floors.non_ties)
    chances = stats.binom.pmf(differing, evals[at, 0], 1 - tie_rate)
    return np.bincount(at, weights=chances * shown, minlength=len(sizes)).astype(np.float64)


@lru_cache(maxsize=10)
def _find_fewest_wins(alpha: float, most: int) -> "Numbers":
    """For each number of non-ties up to `most` the fewest wins that the test sees at `alpha`."""
    import numpy as np  # noqa: PLC0415
    from scipy import stats  # noqa: PLC0415

    return np.asarray(stats.binom.isf(alpha, np.arange(most + 1), 1 / 2) + 1)
