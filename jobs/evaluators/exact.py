"""`exact`: the answer is one of the expected texts, letter for letter or but for case and space."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from jobs.datasets.grades import Grade, Grading


class ExactFields(BaseModel):
    """What a case says beside `"evaluator": "exact"`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    expected: tuple[str, ...] = Field(min_length=1)
    """Any of them will do."""
    ignore_case: bool = False
    ignore_space: bool = True
    """Whether white space around the answer, and how much of it stands between words, counts."""


class ExactEvaluator:
    """Compares the target's last answer."""

    def check(self, fields: Mapping[str, Any]) -> None:
        ExactFields.model_validate(fields)

    async def grade(self, given: Grading) -> Grade:
        fields = ExactFields.model_validate(given.case.evaluator_fields)
        answer = given.dialogue.last_answer
        same = _plain(answer, fields) in {_plain(one, fields) for one in fields.expected}
        return Grade(
            outcome="pass" if same else "fail",
            score=1.0 if same else 0.0,
            feedback="the answer is as expected" if same else "the answer is not as expected",
            detail={"expected": list(fields.expected)},
        )


def _plain(text: str, fields: ExactFields) -> str:
    if fields.ignore_space:
        text = " ".join(text.split())
    return text.casefold() if fields.ignore_case else text
