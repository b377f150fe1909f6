"""What a reading of the judge gives: verdicts with their evidence, and what it cost."""

from collections.abc import Mapping
from typing import Annotated, Literal, get_args

from pydantic import NonNegativeInt, StringConstraints

from jobs.requests import Value
from jobs.values import CandidateName, CountedWord, Usage, VerdictWord

WORTH: Mapping[CountedWord, float] = {"pass": 1.0, "partial": 0.5, "fail": 0.0}
"""What a verdict adds to a score. One that could not be given is worth nothing that can be added,
and not zero."""


class Verdict(Value):
    """What the judge says of one assertion for one candidate, in one pass."""

    assertion: str
    candidate: CandidateName
    verdict: VerdictWord
    evidence: str
    """A quotation from the candidate, or what is missing from it."""
    quote_found: bool
    """Whether code found the quotation in the candidate's files."""
    reason: str = ""
    """The judge's one sentence beside the quotation; empty in older records."""
    by_machine: bool = False
    """Whether code decided it; `evidence` then says what it found."""
    judge_said: VerdictWord | None = None
    """What the judge had said where code decided; None where it was not asked."""
    judge: int = 1
    """Which judge of a panel said it, counted from 1."""

    @property
    def worth(self) -> float | None:
        """What it adds to a score, from 0 to 1; None where it could not be verified."""
        return None if self.verdict == "cannot_verify" else WORTH[self.verdict]

    @property
    def credits(self) -> bool:
        """Whether it gives the candidate anything, for which there must be evidence."""
        return bool(self.worth)


class KeyMetric(Value):
    """A figure worth a row in the scorecard, for both candidates."""

    name: str
    candidate_1: str
    candidate_2: str


class JudgePass(Value):
    """One reading of both candidates in one order."""

    number: Literal[1, 2]
    verdicts: tuple[Verdict, ...]
    key_metrics: tuple[KeyMetric, ...] = ()
    observations: tuple[str, ...] = ()
    weak_assertions: tuple[str, ...] = ()
    """Remarks on assertions that tell nothing apart or cannot be verified."""
    injections: tuple[str, ...] = ()
    """Where a candidate seems to address the judge; shown, never obeyed."""
    usage: Usage
    served_model: str
    asks: int
    """How many answers it took: 1 to 3, more where a long rubric had to be split, 0 where
    neither candidate left anything to judge."""
    raw_answers: tuple[str, ...]
    """What the judge wrote, for the archive."""
    remarks: tuple[str, ...] = ()
    """What was dropped from the answers or had to be asked again, and why."""
    prompt_version: str = ""
    """The wording of the scoring prompt (`jobs.judging.prompt.PROMPT_VERSION`)."""
    trial: int = 1
    judge: int = 1
    """Which judge of a panel it is, counted from 1."""


class LostReading(Value):
    """A pass that gave no verdicts: it scored nothing, but it was paid for."""

    number: Literal[1, 2]
    reason: str
    usage: Usage
    raw_answers: tuple[str, ...]
    trial: int = 1
    judge: int = 1


class ScrubCount(Value):
    """How many give-aways were replaced in each arm's files before judging.

    `with_skill` is of the arm under test, `without_skill` of the other one.
    """

    with_skill: int
    without_skill: int


_WORD = f"({'|'.join(get_args(VerdictWord))})"
PairOfVerdicts = Annotated[str, StringConstraints(pattern=f"^{_WORD}/{_WORD}$")]
"""Two verdicts on one output, the first from the reading in which it stood first."""


class JudgeAgreement(Value):
    """How often both readings of a judge said the same of one output; sums over runs add up.

    An output stands first in one of the two readings and second in the other, so the same
    counts tell whether standing first helps (`jobs.judging.agreement`).
    """

    pairs: dict[PairOfVerdicts, NonNegativeInt]
    """How often which two verdicts were given of one assertion for one output: `pass/fail` is
    a pass where it stood first and a fail where it stood second. What code decided is no
    verdict of a judge and not among them."""

    @property
    def verdicts(self) -> int:
        """The verdicts compared: pairs, one for each assertion, output and trial."""
        return sum(self.pairs.values())

    @property
    def agreed(self) -> int:
        """The pairs whose verdicts are the same."""
        return sum(count for pair, count in self.pairs.items() if len({*pair.split("/")}) == 1)
