"""Whether the skill was loaded where an agent could choose, and what the difference was then.

Over all trials the difference is what whoever installs the skill may expect. Over the trials in
which it was loaded it is closer to what the skill itself does; but the agent chose those, no lot
did, so it describes and proves less.
"""

from statistics import fmean
from typing import NamedTuple

from jobs.results import RunResult


class Loading(NamedTuple):
    """Sessions of the arm under test."""

    loaded: int
    all: int

    @property
    def dormant(self) -> int:
        return self.all - self.loaded


class Effect(NamedTuple):
    """A mean difference of scores, as a fraction, over so many trials."""

    difference: float
    trials: int


class Effects(NamedTuple):
    """The same comparison over all trials, and over those in which the skill was loaded."""

    over_all: Effect
    where_loaded: Effect | None
    """None where it was loaded in no trial."""


def find_loading(result: RunResult) -> Loading | None:
    """In how many sessions the skill was loaded.

    None where no agent could choose (mode `forced`), and where no session that counts tells.
    """
    if result.spec.mode == "forced":
        return None
    told = [
        one.skill_loaded
        for one in result.sessions
        if one.arm is result.spec.arms[0] and one.scored and one.skill_loaded is not None
    ]
    return Loading(sum(told), len(told)) if told else None


def find_effects(result: RunResult) -> Effects | None:
    """Both differences of a run with a score whose agent could choose; else None."""
    if find_loading(result) is None or result.difference is None:
        return None
    by_trial = {one.number: one.difference for one in result.whole_trials} or {1: result.difference}
    loaded = {
        one.trial
        for one in result.sessions
        if one.arm is result.spec.arms[0] and one.scored and one.skill_loaded
    }
    differences = {trial: value for trial, value in by_trial.items() if value is not None}
    where = [value for trial, value in differences.items() if trial in loaded]
    return Effects(
        Effect(fmean(differences.values()), len(differences)),
        Effect(fmean(where), len(where)) if where else None,
    )
