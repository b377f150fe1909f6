"""`engagement`: whether the person who was greeted goes along with it at all."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from jobs.datasets.dialogue import SILENCE
from jobs.datasets.grades import Grade, Grading, Ungraded
from jobs.datasets.judge import quoted
from jobs.evaluators.reading import as_object, by_threshold, text

ANSWER_TOKENS = 1_000
SHOWN_CHARACTERS = 20_000
_SILENCES = {SILENCE, "[沉默]"}
"""The second is how older files write it."""
_WORDS = ("engaged", "not_engaged")
_TASK = """\
An app greeted somebody with an opening message. Decide whether that person engaged with it.

"engaged": the person described something about their health or themselves, asked something \
concrete, or showed that they want to go on.
"not_engaged": filler, refusal, doubt about the app, nothing of use, or silence.

Opening message: {opening}

What the person said, in order: {said}

Answer with {{"result": "engaged" or "not_engaged", "reason": "one sentence"}}
"""


class EngagementFields(BaseModel):
    """What a case says beside `"evaluator": "engagement"`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    threshold: float = Field(0.5, ge=0, le=1)
    model: str | None = None


class EngagementEvaluator:
    """One question to the judge, about the user and not about the target."""

    def check(self, fields: Mapping[str, Any]) -> None:
        EngagementFields.model_validate(fields)

    async def grade(self, given: Grading) -> Grade:
        fields = EngagementFields.model_validate(given.case.evaluator_fields)
        openings = [one.content for one in given.case.history if one.role == "assistant"]
        if not openings:
            raise Ungraded("the case has no opening message in its history")
        said = [turn.said.text for turn in given.dialogue.turns if turn.said.text.strip()]
        if not any(one not in _SILENCES for one in said):
            return by_threshold(
                0.0, fields.threshold, "the user said nothing", {"result": "silent"}
            )
        prompt = _TASK.format(
            opening=quoted(openings[-1], SHOWN_CHARACTERS),
            said=quoted("\n".join(said), SHOWN_CHARACTERS),
        )
        answer = await given.judge.ask(prompt, accept=_accept, max_tokens=ANSWER_TOKENS)
        content = as_object(answer.content)
        engaged = content["result"] == "engaged"
        detail = {"result": content["result"], "reason": text(content, "reason")}
        feedback = detail["reason"] or str(content["result"])
        return by_threshold(float(engaged), fields.threshold, feedback, detail)


def _accept(content: object) -> None:
    if as_object(content).get("result") not in _WORDS:
        raise ValueError(f'"result" must be one of {", ".join(_WORDS)}')
