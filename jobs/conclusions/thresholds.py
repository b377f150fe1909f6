"""What a set must show before a word is said of it, as the operator has it."""

from typing import NamedTuple, Self

from config.settings import Settings


class Thresholds(NamedTuple):
    """The numbers behind the five words; the usual ones are those of the settings."""

    alpha: float = 0.05
    """How often at most *helps* is said where nothing helps; likewise *hurts*."""
    fewest: int = 5
    """Eval cases that must differ: with four, even four wins are no rare chance (1 in 16)."""
    net_wins: float = 0.2
    """Least share of all eval cases by which wins must outnumber losses, so that five wins beside
    95 ties are no help."""
    win_rate: float = 0.8
    """The true share of wins, among eval cases that differ, which a set should be able to see."""
    power: float = 0.8
    """How often it should see it."""
    unscored: float = 0.2
    """Largest share of eval cases without a score: beyond it, what is left is a choice."""

    @classmethod
    def of(cls, settings: Settings) -> Self:
        return cls(
            alpha=settings.set_alpha,
            fewest=settings.set_fewest,
            net_wins=settings.set_net_wins,
            win_rate=settings.set_win_rate,
            power=settings.set_power,
            unscored=settings.set_unscored,
        )
