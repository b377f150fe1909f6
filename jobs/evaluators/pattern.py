"""`regex`: the answer holds what a pattern describes, or holds none of it."""

import asyncio
from collections.abc import Mapping
from typing import Any

import regex
from pydantic import BaseModel, ConfigDict, Field, model_validator

from jobs.datasets.grades import Grade, Grading, Ungraded

MATCH_TIMEOUT_S = 2.0
"""A pattern can take for ever on a text that somebody made for it."""


class PatternFields(BaseModel):
    """What a case says beside `"evaluator": "regex"`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pattern: str = Field(min_length=1, max_length=5_000)
    ignore_case: bool = False
    absent: bool = False
    """Pass where it is NOT found."""

    @model_validator(mode="after")
    def _compiles(self) -> "PatternFields":
        try:
            regex.compile(self.pattern)
        except regex.error as error:
            raise ValueError(f"pattern: {error}") from None
        return self


class PatternEvaluator:
    """Searches the target's last answer."""

    def check(self, fields: Mapping[str, Any]) -> None:
        PatternFields.model_validate(fields)

    async def grade(self, given: Grading) -> Grade:
        fields = PatternFields.model_validate(given.case.evaluator_fields)
        answer = given.dialogue.last_answer
        flags = regex.IGNORECASE if fields.ignore_case else 0
        try:
            found = await asyncio.to_thread(
                regex.search, fields.pattern, answer, flags, timeout=MATCH_TIMEOUT_S
            )
        except TimeoutError:
            raise Ungraded(f"the pattern was not done within {MATCH_TIMEOUT_S:g} s") from None
        passed = (found is None) == fields.absent
        where = found.group()[:200] if found else None
        return Grade(
            outcome="pass" if passed else "fail",
            score=float(passed),
            feedback="the pattern is found" if found else "the pattern is not found",
            detail={"pattern": fields.pattern, "found": where},
        )
