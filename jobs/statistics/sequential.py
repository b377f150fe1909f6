"""Looking after every observation, and stopping when it is enough: a sign test that allows it.

A fixed test that is looked at after each observation is wrong far more often than it says. The
evidence found here is a bet against "no difference": who plays it can expect to gain nothing
where there is none, so that it grows above 1/a at any time whatever, however often one looks, at
most a share a of the time (J. Ville, *Étude critique de la notion de collectif*, 1939; A. Ramdas
et al., *Game-theoretic statistics and safe anytime-valid inference*, Statistical Science 38,
2023). Observations may stop for any reason that does not come from those that are still to come:
at the evidence, at a cap, for want of money.
"""

from functools import lru_cache
from math import exp, log
from typing import Literal

ALPHA = 0.05
"""How often at most a difference is claimed where there is none, both directions together."""

Decision = Literal["higher", "lower", "futile", "open"]
"""More wins than losses; fewer; neither can be shown any more; go on."""
_MOST_EXPONENT = 700.0
"""A float ends soon after, and every threshold long before."""


def find_evidence(wins: int, losses: int) -> float:
    """The evidence (e-value) that a win is likelier than a loss, against that it is not.

    A ratio: what is seen is so many times likelier if wins are likelier, each rate above one half
    counting alike (a uniform prior from 1/2 to 1), than if both are equally likely. 1 without an
    observation; ties count for nothing. Swap the two for the other direction.
    Closed form: 2^(n+1) B(w+1, l+1) P(rate > 1/2) with rate ~ Beta(w+1, l+1).
    """
    from scipy import special  # noqa: PLC0415 -- takes longer to load than most commands to run

    above = float(special.betaincc(wins + 1, losses + 1, 0.5))
    if not above:  # far on the other side, below what a float can hold
        return 0.0
    worth = (wins + losses + 1) * log(2) + float(special.betaln(wins + 1, losses + 1)) + log(above)
    return exp(min(worth, _MOST_EXPONENT))


def decide(wins: int, losses: int, *, left: int, alpha: float = ALPHA) -> Decision:
    """What the observations so far allow, with at most `left` to come.

    Each direction has half of `alpha`: together they are claimed wrongly at most `alpha` of the
    time, whenever one looks. *futile* where not even `left` more of one kind could show anything.
    """
    enough = find_threshold(alpha)
    if _evidence(wins, losses) >= enough:
        return "higher"
    if _evidence(losses, wins) >= enough:
        return "lower"
    best = max(_evidence(wins + left, losses), _evidence(losses + left, wins))
    return "open" if best >= enough else "futile"


def find_threshold(alpha: float = ALPHA) -> float:
    """The evidence that is enough in one of two directions."""
    return 2 / alpha


@lru_cache
def find_fewest(alpha: float = ALPHA) -> int:
    """The fewest observations that can decide: all of one kind. 8 at 5 %."""
    count = 1
    while _evidence(count, 0) < find_threshold(alpha):
        count += 1
    return count


@lru_cache
def expect_observations(most: int, alpha: float = ALPHA) -> float:
    """How many observations it takes on average, of `most`, where nothing is known beforehand.

    That is to say: each win rate from 0 to 1 is equally likely, and there are no ties, which
    would make it more.
    """

    @lru_cache
    def from_here(wins: int, losses: int) -> float:
        seen = wins + losses
        if seen == most or decide(wins, losses, left=most - seen, alpha=alpha) != "open":
            return 0.0
        chance = (wins + 1) / (seen + 2)  # Laplace's rule of succession
        after_win, after_loss = from_here(wins + 1, losses), from_here(wins, losses + 1)
        return 1 + chance * after_win + (1 - chance) * after_loss

    return from_here(0, 0)


_evidence = lru_cache(find_evidence)
