"""What the judge said of the canaries of an eval case, and how long both outputs were."""

from typing import Literal, get_args

from jobs.requests import Value
from jobs.values import Usage, VerdictWord

Canary = Literal["fluent", "addressing"]
"""A false answer that the judge reads: fluent words that answer nothing, or words to the judge.
The third canary, an answer that is empty, fails every assertion by rule and costs no reading."""


class CanaryVerdict(Value):
    """An assertion that a canary satisfies, wholly or in part."""

    assertion: str
    canary: Canary
    verdict: VerdictWord
    """`pass` or `partial`."""
    reason: str = ""
    """The judge's one sentence; hostile text, like all that a model writes."""


class CanaryCheck(Value):
    """One reading of the canaries of an eval case by a judge, or why there is none."""

    judge: str
    """The id that was sent."""
    prompt_version: str
    """The wording of the scoring prompt."""
    assertions: tuple[str, ...] = ()
    """Ids of what was asked of each canary; empty where nothing was read."""
    satisfied: tuple[CanaryVerdict, ...] = ()
    """What a canary satisfied; empty where every assertion failed for both."""
    problem: str = ""
    """Why the canaries could not be read, in one sentence that is safe to show; empty: they
    were. A failing platform says nothing about an eval case."""
    usage: Usage = Usage()
    """What the reading took, whichever run paid for it."""
    paid_by: str = ""
    """Id of the run that paid for the reading."""

    @property
    def passed_assertions(self) -> tuple[str, ...]:
        """Ids of the assertions that a canary passes, in the order of the eval case."""
        passed = {one.assertion for one in self.satisfied if one.verdict == "pass"}
        return tuple(name for name in self.assertions if name in passed)

    @property
    def lets_one_pass(self) -> bool:
        """Whether one canary passes every assertion, so that the case tells nothing apart."""
        passed = [(one.canary, one.assertion) for one in self.satisfied if one.verdict == "pass"]
        return bool(self.assertions) and any(
            all((canary, name) in passed for name in self.assertions) for canary in get_args(Canary)
        )

    def satisfied_by(self, assertion: str) -> tuple[CanaryVerdict, ...]:
        """What was said of one assertion, where a canary satisfied it at least in part.

        The fluent canary first, wherever it stood.
        """
        said = [one for one in self.satisfied if one.assertion == assertion]
        return tuple(sorted(said, key=lambda one: get_args(Canary).index(one.canary)))


class OutputLength(Value):
    """How much of one arm's output the judge was shown."""

    characters: int
    """Of text, within the caps of `jobs.judging.candidate_text`."""
    files: int
    """All of them, also those that are no text."""


class OutputLengths(Value):
    """Both arms' outputs of one trial."""

    trial: int
    with_skill: OutputLength
    """Of the arm under test."""
    without_skill: OutputLength
    """Of the other one."""

    @property
    def ratio(self) -> float | None:
        """The longer text by the shorter, from 1; None where one has no text."""
        both = (self.with_skill.characters, self.without_skill.characters)
        return max(both) / min(both) if min(both) else None
