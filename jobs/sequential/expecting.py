"""How many trials, and how many eval cases, are expected where they are added until it is sure."""

from collections import defaultdict
from collections.abc import Sequence

from jobs.sequential.planning import Group, group_of
from jobs.sequential.stop import FEWEST
from jobs.statistics.sequential import expect_observations
from jobs.values import RunSpec


def expect_trials(spec: RunSpec) -> int:
    """Trials that a run is expected to have; nothing is known of the skill beforehand."""
    return expect_of(spec.trials) if spec.until_sure == "trials" else spec.trials


def expect_of(most: int) -> int:
    """Trials that are expected of a cap; no fewer than can be enough, for money's sake."""
    return min(max(round(expect_observations(most)), FEWEST), most)


def find_likely(specs: Sequence[RunSpec]) -> list[bool]:
    """Of each run whether it is expected to begin: eval cases come in their order, until sure."""
    places: dict[Group, list[int]] = defaultdict(list)
    for index, spec in enumerate(specs):
        if spec.until_sure == "evals":
            places[group_of(spec)].append(index)
    likely = [True] * len(specs)
    for group in places.values():
        for index in group[expect_of(len(group)) :]:
            likely[index] = False
    return likely
