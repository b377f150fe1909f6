"""What a reading of the judge gives: verdicts with their evidence, and what it cost."""

from typing import Literal

from jobs.requests import Value
from jobs.values import CandidateName, Usage, VerdictWord


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


class LostReading(Value):
    """A pass that gave no verdicts: it scored nothing, but it was paid for."""

    number: Literal[1, 2]
    reason: str
    usage: Usage
    raw_answers: tuple[str, ...]
    trial: int = 1
