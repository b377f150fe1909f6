"""How often an eval case is tried: a number of trials, until sure, or a tier that names both.

A tier is a word for a usual bundle, so that nobody has to know the numbers. What is said in so
many words wins over the tier of the same place, and whatever a command says over the file.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

MAX_TRIALS = 20
"""Trials that a run can have."""
TierName = Literal["quick", "standard", "thorough"]


class Tier(NamedTuple):
    """What the name of a tier stands for."""

    trials: int
    until_sure: bool
    meaning: str


TIERS: Mapping[TierName, Tier] = {
    "quick": Tier(1, until_sure=False, meaning="one trial: a first look"),
    "standard": Tier(3, until_sure=False, meaning="three trials: how steady it is"),
    "thorough": Tier(1, until_sure=True, meaning=f"trials until it is sure, {MAX_TRIALS} at most"),
}


class Said(NamedTuple):
    """What one place says of it, the command or the repository's file; None: nothing."""

    trials: int | None = None
    until_sure: bool | None = None
    tier: TierName | None = None


class HowOften(NamedTuple):
    """What holds of it."""

    trials: int
    """Of each eval case, where a fixed number is tried."""
    until_sure: bool
    most_trials: int
    """Of one eval case that is tried until it is sure."""


def settle(*places: Said) -> HowOften:
    """What holds, where the places are told with the strongest first.

    The first place that says anything decides whether it is until sure; what it says of trials is
    then their cap. It may leave the number to the next one.
    """
    said = next((one for one in places if one != Said()), Said())
    until_sure = said.until_sure
    if until_sure is None:
        until_sure = said.tier is not None and TIERS[said.tier].until_sure
    numbers = (_trials_of(one) for one in places)
    return HowOften(
        trials=next((one for one in numbers if one is not None), 1),
        until_sure=until_sure,
        most_trials=said.trials or MAX_TRIALS,
    )


def _trials_of(said: Said) -> int | None:
    return said.trials or (TIERS[said.tier].trials if said.tier else None)
