"""Cases, dialogues and a judge in memory, for tests of evaluators."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from jobs.datasets.cases import DatasetCase
from jobs.datasets.dialogue import Dialogue, Reply, Said, Turn
from jobs.datasets.grades import (
    Accept,
    Grade,
    Grading,
    JudgeAnswer,
    ProgramOutcome,
    Ungraded,
)
from jobs.evaluators.registry import check_evaluator, find_evaluator

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@dataclass(slots=True)
class SmallJudge:
    """Answers from a list, or with whatever a rule says of the prompt."""

    answers: Sequence[object] = ()
    fails: str = ""
    prompts: list[str] = field(default_factory=list)

    async def ask(self, prompt: str, *, accept: Accept, max_tokens: int) -> JudgeAnswer:
        assert max_tokens > 0
        self.prompts.append(prompt)
        if self.fails:
            raise Ungraded(self.fails)
        answer = self.answers[(len(self.prompts) - 1) % len(self.answers)]
        try:
            accept(answer)
        except ValueError as fault:
            raise Ungraded(str(fault)) from None
        return JudgeAnswer(content=answer, raw=json.dumps(answer))


class NoPrograms:
    """Of cases that bring none."""

    async def run(self, code: str, *, given: str, timeout_s: float) -> ProgramOutcome:
        raise AssertionError((code, given, timeout_s))


def a_case(evaluator: Mapping[str, Any], **changes: Any) -> DatasetCase:
    case = {
        "id": "c1",
        "title": "a case",
        "user": {"type": "manual", "strict_inputs": ["a question"]},
        "eval": evaluator,
    }
    return DatasetCase.model_validate(case | changes)


def said(*pairs: tuple[str, str | Reply | None], seconds: float = 1.0) -> Dialogue:
    """A dialogue from what was asked and what was answered."""
    turns = []
    for question, answer in pairs:
        reply = Reply(text=answer) if isinstance(answer, str) else answer
        end = NOON + timedelta(seconds=seconds)
        turns.append(
            Turn(
                said=Said(text=question),
                said_at=NOON,
                reply=reply,
                replied_at=end if reply else None,
            )
        )
    return Dialogue(turns=tuple(turns))


async def grade(
    evaluator: Mapping[str, Any],
    dialogue: Dialogue | str,
    judge: SmallJudge | None = None,
    **changes: Any,
) -> Grade:
    """Grade a dialogue, or one answer to `a question`."""
    check_evaluator(evaluator)
    case = a_case(evaluator, **changes)
    dialogue = said(("a question", dialogue)) if isinstance(dialogue, str) else dialogue
    given = Grading(case, dialogue, judge or SmallJudge(fails="nobody to ask"), NoPrograms())
    return await find_evaluator(case.evaluator).grade(given)
