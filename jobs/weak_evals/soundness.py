"""What the canaries of an eval case mean for the score of a run.

No assertion leaves the score on a canary's account. One reading of a model decides nothing about
what a score is made of, and an assertion that names what must not be there is satisfied by words
that say nothing, and still catches an arm that does harm. So the score stands over all assertions,
each that a canary passes is named, and the score without them is told beside it. Where a canary
passes every assertion there is nothing left that could tell a good answer from words: what was
measured is shown, and counts nowhere.
"""

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from jobs.results import RunResult
from jobs.scores import AssertionScore


class ScoresWithout(NamedTuple):
    """Scores over the assertions that no canary passes, as fractions."""

    tested: float
    other: float
    assertions: int
    """How many they are over."""


def find_flagged(result: RunResult) -> tuple[AssertionScore, ...]:
    """The assertions that a canary passes, but those that code has decided in this run."""
    check = result.canaries
    passed = set(check.passed_assertions) if check else set()
    return tuple(
        row for row in result.assertions if row.assertion.id in passed and row.machine is None
    )


def is_passed_by_canary(result: RunResult) -> bool:
    """Whether one false answer passes all that the run was scored on."""
    whole = result.canaries is not None and result.canaries.lets_one_pass
    return whole and len(find_flagged(result)) == len(result.assertions) > 0


def find_scores_without(result: RunResult) -> ScoresWithout | None:
    """The scores without what a canary passes; None where nothing is left, or all are."""
    flagged = {row.assertion.id for row in find_flagged(result)}
    left = [row for row in result.assertions if row.assertion.id not in flagged]
    pairs = [pair for row in left for pair in row.counted]
    if not flagged or not pairs:
        return None
    tested, other = (_mean([pair[arm].worth for pair in pairs]) for arm in (0, 1))
    return ScoresWithout(tested, other, len(left))


def _mean(worths: Sequence[float | None]) -> float:
    return fmean(worth for worth in worths if worth is not None)
