"""What an evaluator says of one case, and what it needs for that.

There are four outcomes. What could not be graded is `ungraded`, with the reason: it is
counted and named, and is part of no average.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from pydantic import Field

from jobs.datasets.cases import DatasetCase
from jobs.datasets.dialogue import Dialogue
from jobs.datasets.whole_text import Heard
from jobs.requests import Value

Outcome = Literal["pass", "fail", "scored", "ungraded"]


class Grade(Heard):
    """The outcome of one case."""

    outcome: Outcome
    score: float | None = Field(None, ge=0, le=1)
    """None exactly where it is ungraded."""
    raw_score: float | None = None
    """The score before it was put between 0 and 1, where the benchmark clips the mean and not
    the case; None: the score itself."""
    by_tag: dict[str, float] = Field(default_factory=dict)
    """Scores of parts of the case, by the tag of its criteria (`axis:accuracy`)."""
    feedback: str
    """One sentence for people."""
    detail: dict[str, Any] = Field(default_factory=dict)
    """What the evaluator found, in its own shape; plain JSON."""

    @property
    def averaged(self) -> float | None:
        """What goes into a mean over cases."""
        return self.score if self.raw_score is None else self.raw_score


class JudgeAnswer(Value):
    """What a judge answered, read."""

    content: Any
    """The JSON of the answer."""
    raw: str


class Ungraded(Exception):  # noqa: N818 -- reads as the outcome it is
    """Why a case cannot be graded: a sentence for the report."""


class Judge(Protocol):
    """A model that is asked to judge; each asking is counted and priced."""

    async def ask(self, prompt: str, *, accept: "Accept", max_tokens: int) -> JudgeAnswer:
        """The first JSON answer that `accept` takes.

        An answer that cannot be read, or that `accept` raises `ValueError` over, is asked for
        again, three times in all. Raises `Ungraded` after that, and where the judge fails.
        """


class Accept(Protocol):
    """Checks the JSON of a judge's answer. Raises `ValueError` saying what is wrong with it."""

    def __call__(self, content: object, /) -> None: ...


class ProgramOutcome(Value):
    """How a program ended."""

    exit_code: int | None
    """None where it was stopped at its time limit."""
    output: str
    """What it printed, cut at its end where it is long."""


class Programs(Protocol):
    """Runs the programs that cases bring along, where they can do no harm."""

    async def run(self, code: str, *, given: str, timeout_s: float) -> ProgramOutcome:
        """Run a Python program in a fresh sandbox, `given` on its standard input.

        Raises `Ungraded` where no sandbox can be had.
        """


@dataclass(frozen=True, slots=True)
class Grading:
    """One case to grade."""

    case: DatasetCase
    dialogue: Dialogue
    judge: Judge
    programs: Programs


class Evaluator(Protocol):
    """Grades cases of its kind. One module each, named in `jobs.evaluators.registry`."""

    def check(self, fields: Mapping[str, Any], /) -> None:
        """Check what a case configures it with. Raises `ValueError` (pydantic's included)."""

    async def grade(self, given: Grading, /) -> Grade:
        """Grade a case. Raises `Ungraded` where that cannot be done."""
