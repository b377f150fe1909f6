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
from jobs.requests import Value
from jobs.values import Usage

Outcome = Literal["pass", "fail", "scored", "ungraded"]


class Grade(Value):
    """The outcome of one case."""

    outcome: Outcome
    score: float | None = Field(None, ge=0, le=1)
    """None exactly where it is ungraded."""
    feedback: str
    """One sentence for people."""
    detail: dict[str, Any] = Field(default_factory=dict)
    """What the evaluator found, in its own shape; plain JSON."""
    usage: Usage | None = None
    """What the judge took; None where no model was asked."""
    judge: str = ""
    """The model that judged, as it was sent."""


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


@dataclass(frozen=True, slots=True)
class Grading:
    """One case to grade."""

    case: DatasetCase
    dialogue: Dialogue
    judge: Judge


class Evaluator(Protocol):
    """Grades cases of its kind. One module each, named in `evaluators.registry`."""

    def check(self, fields: Mapping[str, Any], /) -> None:
        """Check what a case configures it with. Raises `ValueError` (pydantic's included)."""

    async def grade(self, given: Grading, /) -> Grade:
        """Grade a case. Raises `Ungraded` where that cannot be done."""
