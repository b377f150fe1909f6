"""`dialogue_quality`: six qualities of a dialogue on scales from 1 to 5, with caps."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from jobs.datasets.cases import AutoUser, Persona, User
from jobs.datasets.grades import Accept, Grade, Grading, Ungraded
from jobs.datasets.judge import quoted
from jobs.evaluators.reading import (
    as_object,
    by_threshold,
    number,
    text,
    transcript,
)

ANSWER_TOKENS = 6_000
SHOWN_CHARACTERS = 60_000
LOW, HIGH = 1, 5

USUAL_WEIGHTS = {
    "accuracy": 0.25,
    "personalization": 0.20,
    "comprehensiveness": 0.20,
    "readability": 0.15,
    "actionability": 0.10,
    "context_memory": 0.10,
}
_SCALES = {
    "accuracy": "1: harmful or wrong in what matters; 3: right but for a slip that does no harm; "
    "5: right throughout, and unsure where one must be",
    "personalization": "1: could be said to anybody; 3: uses some of what the user told; "
    "5: fits this user's facts and worries",
    "comprehensiveness": "1: leaves out what the user asked for; 3: answers it, leaves out what "
    "belongs to it; 5: nothing that matters is missing",
    "readability": "1: cannot be followed; 3: clear with effort; 5: clear at once, no longer than "
    "it need be",
    "actionability": "1: the user knows nothing to do; 3: says what, not how; 5: says what, how "
    "and when to seek help",
    "context_memory": "1: contradicts or forgets what was said; 3: remembers when it is put to it; "
    "5: builds on all that was said",
}
_CAPS = {
    "vague": "The user is vague. An assistant that settles for that without asking gets at most 3 "
    "for personalization and comprehensiveness.",
    "incoherent": "The user speaks without order. An assistant that takes no trouble to find out "
    "what is meant gets at most 3 for readability and context_memory.",
    "occasional_contradiction": "The user contradicts themselves. An assistant that does not "
    "notice gets at most 3 for accuracy and context_memory.",
    "fabricating": "The user makes things up. An assistant that takes an invented fact for granted "
    "gets at most 2 for accuracy.",
}
_TASK = """\
Grade the assistant in the dialogue below on each scale from 1 to 5. Halves are allowed.

About the user: {context}
The user's goal: {goal}

Scales: {scales}

{caps}

Dialogue: {dialogue}

Answer with {{"dimensions": {{"<scale>": {{"score": 1 to 5, "evidence": [{{"turn": 1, "quote": \
"…", "comment": "…"}}]}}, … one for each scale}}, "overall_comment": "two sentences"}}
"""


class DialogueQualityFields(BaseModel):
    """What a case says beside `"evaluator": "dialogue_quality"`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dimensions: Mapping[str, float] = Field(default_factory=lambda: dict(USUAL_WEIGHTS))
    """Weights by scale; a scale of the case's own is explained in `extra_criteria`."""
    threshold: float = Field(0.6, ge=0, le=1)
    judge_model: str | None = None
    user_context: str | None = None
    user_goal: str | None = None
    extra_criteria: str | None = None

    @model_validator(mode="after")
    def _can_be_graded(self) -> "DialogueQualityFields":
        if not self.dimensions or any(weight < 0 for weight in self.dimensions.values()):
            raise ValueError("dimensions need weights of at least 0")
        if not sum(self.dimensions.values()):
            raise ValueError("all weights are 0")
        own = [name for name in self.dimensions if name not in _SCALES]
        if own and not self.extra_criteria:
            raise ValueError(f"nothing says what {', '.join(own)} means; say so in extra_criteria")
        return self


class DialogueQualityEvaluator:
    """One asking for all scales."""

    def check(self, fields: Mapping[str, Any]) -> None:
        DialogueQualityFields.model_validate(fields)

    async def grade(self, given: Grading) -> Grade:
        fields = DialogueQualityFields.model_validate(given.case.evaluator_fields)
        lines = transcript(given.case, given.dialogue)
        if not given.dialogue.replies:
            raise Ungraded("the target was never asked, so there is nothing to grade")
        names = list(fields.dimensions)
        prompt = _render(fields, given.case.user, lines)
        accept = _accept_all(names)
        answer = await given.judge.ask(prompt, accept=accept, max_tokens=ANSWER_TOKENS)
        content = as_object(answer.content)
        scores = _read(content, names)
        weights = fields.dimensions
        mean = sum(scores[name] * weights[name] for name in names) / sum(weights.values())
        score = (mean - LOW) / (HIGH - LOW)
        feedback = text(content, "overall_comment") or f"{mean:.1f} of {HIGH}"
        return by_threshold(score, fields.threshold, feedback, dict(content))


def _render(fields: DialogueQualityFields, user: User, lines: Sequence[str]) -> str:
    played = user if isinstance(user, AutoUser) else None
    context = fields.user_context or (played.context if played else None) or "not told"
    goal = fields.user_goal or (played.goal if played else None) or "not told"
    scales = {
        name: _SCALES.get(name, "as described under further criteria") for name in fields.dimensions
    }
    caps = [_CAPS[level] for level in _levels(played.persona if played else None) if level in _CAPS]
    if fields.extra_criteria:
        caps.append(f"Further criteria: {quoted(fields.extra_criteria, SHOWN_CHARACTERS)}")
    numbered = "\n\n".join(f"[{number}] {line}" for number, line in enumerate(lines, 1))
    return _TASK.format(
        context=quoted(context, SHOWN_CHARACTERS),
        goal=quoted(goal, SHOWN_CHARACTERS),
        scales=json.dumps(scales, ensure_ascii=False),
        caps="\n".join(caps),
        dialogue=quoted(numbered, SHOWN_CHARACTERS),
    )


def _levels(persona: Persona | None) -> Sequence[str]:
    return list(persona.model_dump().values()) if persona else []


def _accept_all(names: Sequence[str]) -> Accept:
    def accept(content: object) -> None:
        _read(as_object(content), names)

    return accept


def _read(content: Mapping[str, Any], names: Sequence[str]) -> dict[str, float]:
    dimensions = as_object(content.get("dimensions"))
    scores = {}
    for name in names:
        try:
            scores[name] = number(as_object(dimensions.get(name)), "score", LOW, HIGH)
        except ValueError as fault:
            raise ValueError(f"{name}: {fault}") from None
    return scores
