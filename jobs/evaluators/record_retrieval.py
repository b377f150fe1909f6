"""`record_retrieval`: what was told is confirmed in few words, and found again when asked for.

No model judges here. Words of advice count as whole words, so that a shoulder gives none.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from jobs.datasets.dialogue import Dialogue, Reply, Turn
from jobs.datasets.grades import Grade, Grading
from jobs.evaluators.reading import by_threshold
from jobs.evaluators.signals import has_chart

_ADVICE = re.compile(
    r"\b(?:recommend(?:s|ed|ation|ations)?|suggest(?:s|ed|ion|ions)?|should|advice|advise[sd]?|"
    r"tips?|reminders?)\b|建议|(?<!未)注意(?![到力])|提醒|应该|小贴士|温馨提示",
    re.IGNORECASE,
)


class Checkpoint(BaseModel):
    """What is looked for in the answer to one turn."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    turn: int = Field(ge=1)
    type: Literal["record_ack", "retrieval_data", "chart_rendered", "skip"]
    echo_keywords: tuple[str, ...] = ()
    max_chars: int = Field(80, ge=1)
    max_seconds: float = Field(5.0, gt=0)
    must_contain: tuple[str, ...] = ()


class RecordRetrievalFields(BaseModel):
    """What a case says beside `"evaluator": "record_retrieval"`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    checkpoints: tuple[Checkpoint, ...] = Field(min_length=1)
    threshold: float = Field(0.8, ge=0, le=1)


class RecordRetrievalEvaluator:
    """Looks at the answer of each checkpoint's turn."""

    def check(self, fields: Mapping[str, Any]) -> None:
        RecordRetrievalFields.model_validate(fields)

    async def grade(self, given: Grading) -> Grade:
        fields = RecordRetrievalFields.model_validate(given.case.evaluator_fields)
        looked_at = [one for one in fields.checkpoints if one.type != "skip"]
        results = [_look(one, given.dialogue) for one in looked_at]
        passed = sum(not fault for fault in results)
        score = passed / len(results) if results else 1.0
        detail = {
            "checkpoints": [
                {"turn": one.turn, "type": one.type, "passed": not fault, "reason": fault}
                for one, fault in zip(looked_at, results, strict=True)
            ]
        }
        feedback = f"{passed} of {len(results)} checkpoints hold"
        return by_threshold(score, fields.threshold, feedback, detail)


def _look(one: Checkpoint, dialogue: Dialogue) -> str:
    """What is wrong with the answer to a checkpoint's turn; empty where nothing is."""
    turn = dialogue.turns[one.turn - 1] if one.turn <= len(dialogue.turns) else None
    if turn is None or turn.reply is None:
        return "no answer"
    reply = turn.reply
    if one.type == "record_ack":
        return _look_at_acknowledgement(one, turn, reply)
    if one.type == "chart_rendered" and not has_chart([reply]):
        return "no chart"
    lacking = [word for word in one.must_contain if word.casefold() not in reply.text.casefold()]
    return f"does not say {', '.join(lacking)}" if lacking else ""


def _look_at_acknowledgement(one: Checkpoint, turn: Turn, reply: Reply) -> str:
    text = reply.text.casefold()
    if len(reply.text) > one.max_chars:
        return f"{len(reply.text)} characters, at most {one.max_chars} are allowed"
    if advice := _ADVICE.search(reply.text):
        return f"gives advice: {advice.group()}"
    if lacking := [word for word in one.echo_keywords if word.casefold() not in text]:
        return f"does not repeat {', '.join(lacking)}"
    seconds = _seconds(turn, reply)
    if seconds is not None and seconds > one.max_seconds:
        return f"took {seconds:.1f} s, at most {one.max_seconds:g} s are allowed"
    return ""


def _seconds(turn: Turn, reply: Reply) -> float | None:
    """Until the first annotation, which is when the record is made; else the whole answer."""
    stamps = [
        chunk.timestamp - turn.said_at.timestamp()
        for chunk in reply.chunks
        if chunk.type == "annotation" and chunk.timestamp is not None
    ]
    return min(stamps) if stamps else turn.seconds
