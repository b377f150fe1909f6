"""`python`: a program that comes with the case decides, in a sandbox of its own.

It gets `{"answer", "answers", "case"}` as JSON on its standard input. Exit code 0 passes, 1
fails; a last line `{"score": 0.5, "feedback": "…"}` gives a score instead.
"""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from jobs.datasets.grades import Grade, Grading, ProgramOutcome, Ungraded
from jobs.evaluators.reading import as_object, number, text

FAILED = 1


class ProgramFields(BaseModel):
    """What a case says beside `"evaluator": "python"`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str = Field(min_length=1, max_length=100_000)
    timeout_seconds: float = Field(10.0, gt=0, le=300)


class ProgramEvaluator:
    """Runs the case's own program."""

    def check(self, fields: Mapping[str, Any]) -> None:
        checked = ProgramFields.model_validate(fields)
        try:
            compile(checked.code, "code", "exec")
        except (SyntaxError, ValueError, RecursionError) as error:
            raise ValueError(f"eval.code: {error}") from None

    async def grade(self, given: Grading) -> Grade:
        fields = ProgramFields.model_validate(given.case.evaluator_fields)
        answers = [reply.text for reply in given.dialogue.replies]
        content = {
            "answer": answers[-1] if answers else "",
            "answers": answers,
            "case": given.case.model_dump(mode="json"),
        }
        outcome = await given.programs.run(
            fields.code, given=json.dumps(content), timeout_s=fields.timeout_seconds
        )
        return _read(outcome)


def _read(outcome: ProgramOutcome) -> Grade:
    detail = {"exit_code": outcome.exit_code, "output": outcome.output}
    lines = outcome.output.strip().splitlines() or [""]
    if outcome.exit_code is None:
        raise Ungraded("the case's program was not done in time")
    if outcome.exit_code not in {0, FAILED}:
        raise Ungraded(f"the case's program broke: {lines[-1][:200]}")
    scored = _scored(lines[-1]) if outcome.exit_code == 0 else None
    if scored is not None:
        score, feedback = scored
        return Grade(outcome="scored", score=score, feedback=feedback, detail=detail)
    passed = outcome.exit_code == 0
    feedback = lines[-1][:200] or f"the program {'passes' if passed else 'fails'} it"
    return Grade(
        outcome="pass" if passed else "fail", score=float(passed), feedback=feedback, detail=detail
    )


def _scored(line: str) -> tuple[float, str] | None:
    """The score and words in a program's last line; None where it is no such line."""
    try:
        content = as_object(json.loads(line))
    except (ValueError, RecursionError):
        return None
    if "score" not in content:
        return None
    try:
        score = number(content, "score", 0, 1)
    except ValueError as fault:
        raise Ungraded(f"the case's program gave no usable score: {fault}") from None
    return score, text(content, "feedback") or f"the program gives {score:g}"
