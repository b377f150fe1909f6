"""Scores: of an assertion, of an arm, of a trial.

In them `with_skill` is what belongs to the arm under test and `without_skill` what belongs to the
other one, also where that one has another version of the skill: the archives of all versions of
this program are read by one set of names.
"""

from jobs.readings import Verdict
from jobs.requests import Value
from jobs.values import Assertion


class AssertionScore(Value):
    """One assertion, unblinded: the verdicts of both passes for each arm, trial after trial."""

    assertion: Assertion
    with_skill: tuple[Verdict, ...]
    without_skill: tuple[Verdict, ...]
    split: bool
    """Whether the passes of a trial differ for either arm."""

    @property
    def counted(self) -> tuple[tuple[Verdict, Verdict], ...]:
        """The verdicts that count, a pair for each pass: of the arm under test, of the other.

        Where one of the two could not be verified neither counts in that pass, so that no arm
        gains by it.
        """
        pairs = zip(self.with_skill, self.without_skill, strict=False)
        return tuple(pair for pair in pairs if None not in {one.worth for one in pair})

    @property
    def machine(self) -> dict[str, tuple[Verdict, ...]] | None:
        """The verdicts that code gave, by arm; None where the judge alone decided."""
        arms = {"with_skill": self.with_skill, "without_skill": self.without_skill}
        decided = {arm: tuple(one for one in said if one.by_machine) for arm, said in arms.items()}
        return {arm: said for arm, said in decided.items() if said} or None


class ArmScore(Value):
    """Score of an arm: (passes + half the partials) / assertions, averaged over the passes.

    The assertions of a pass are those that could be verified for both candidates.
    """

    score: float
    passes: float
    partials: float
    fails: float
    """Counts averaged over the passes and trials, so they need not be whole."""
    unverified: float = 0
    """Assertions that could not be verified, for either arm, and are in no other count."""


class TrialResult(Value):
    """What one trial of several gave; its sessions and readings stand among the run's."""

    number: int
    assertions: tuple[AssertionScore, ...] = ()
    with_skill: ArmScore | None = None
    without_skill: ArmScore | None = None
    ungraded_reason: str | None = None
    """Why it has no score; None for a whole trial."""

    @property
    def difference(self) -> float | None:
        """As that of the run; None without a score."""
        if self.with_skill is None or self.without_skill is None:
            return None
        return self.with_skill.score - self.without_skill.score
