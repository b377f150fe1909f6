"""`semantic`: a dialogue as a whole, by weighted criteria that the case names."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from jobs.datasets.grades import Accept, Grade, Grading, Ungraded
from jobs.datasets.judge import quoted
from jobs.evaluators.reading import as_object, by_threshold, number, text, transcript

ANSWER_TOKENS = 4_000
SHOWN_CHARACTERS = 60_000
_BEST = 100
_TASK = """\
Grade the assistant in the dialogue below by each of the criteria, from 0 (not at all) to 100 \
(as well as can be).

The user's goal: {goal}

Criteria: {criteria}

Dialogue: {dialogue}

Answer with {{"dimensions": [{{"name": "…", "score": 0 to 100, "reason": "one sentence"}}, … one \
for each criterion], "overall_feedback": "two sentences", "strengths": ["…"], "issues": ["…"]}}
"""


class SemanticCriterion(BaseModel):
    """One thing that is graded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    display_name: str = ""
    description: str = ""
    weight: float = Field(ge=0, le=_BEST)
    evaluation_points: tuple[str, ...] = ()


USUAL_CRITERIA = (
    SemanticCriterion(
        name="goal_completion", weight=40, description="the user got what they came for"
    ),
    SemanticCriterion(
        name="response_quality", weight=35, description="what is said is right, clear and complete"
    ),
    SemanticCriterion(
        name="communication_experience", weight=25, description="it was pleasant to talk to"
    ),
)


class SemanticFields(BaseModel):
    """What a case says beside `"evaluator": "semantic"`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    criteria: tuple[SemanticCriterion, ...] = USUAL_CRITERIA
    threshold: float = Field(0.7, ge=0, le=1)
    model: str | None = None

    @model_validator(mode="after")
    def _names_differ(self) -> "SemanticFields":
        names = [one.name for one in self.criteria]
        if not names or len(set(names)) < len(names):
            raise ValueError("criteria need names that differ")
        return self


class SemanticEvaluator:
    """One asking for all criteria; one that the answer leaves out is asked for again."""

    def check(self, fields: Mapping[str, Any]) -> None:
        SemanticFields.model_validate(fields)

    async def grade(self, given: Grading) -> Grade:
        fields = SemanticFields.model_validate(given.case.evaluator_fields)
        lines = transcript(given.case, given.dialogue)
        if not lines:
            raise Ungraded("nothing was said, so there is nothing to grade")
        goal = getattr(given.case.user, "goal", "") or "not told"
        criteria = [one.model_dump(exclude={"weight"}) for one in fields.criteria]
        prompt = _TASK.format(
            goal=quoted(goal, SHOWN_CHARACTERS),
            criteria=json.dumps(criteria, ensure_ascii=False),
            dialogue=quoted("\n\n".join(lines), SHOWN_CHARACTERS),
        )
        names = [one.name for one in fields.criteria]
        accept = _accept_all(names)
        answer = await given.judge.ask(prompt, accept=accept, max_tokens=ANSWER_TOKENS)
        content = as_object(answer.content)
        scores = read_dimensions(content, names)
        total = sum(one.weight for one in fields.criteria)
        weights = {one.name: one.weight if total else 1.0 for one in fields.criteria}
        weighted = sum(scores[name] * weight for name, weight in weights.items())
        score = weighted / sum(weights.values()) / _BEST
        feedback = text(content, "overall_feedback") or f"{score:.2f} over {len(names)} criteria"
        return by_threshold(score, fields.threshold, feedback, dict(content))


def _accept_all(names: Sequence[str]) -> Accept:
    def accept(content: object) -> None:
        read_dimensions(as_object(content), names)

    return accept


def read_dimensions(content: Mapping[str, Any], names: Sequence[str]) -> dict[str, float]:
    """The score of every criterion. Raises `ValueError` where one has none, or two."""
    entries = content.get("dimensions")
    if not isinstance(entries, list):
        raise ValueError('"dimensions" must be a list')  # noqa: TRY004
    found: dict[str, float] = {}
    for entry in entries:
        own = as_object(entry)
        name = text(own, "name")
        if name in names:
            if name in found:
                raise ValueError(f'"{name}" is graded twice')
            found[name] = number(own, "score", 0, _BEST)
    if lacking := [name for name in names if name not in found]:
        raise ValueError(f"not graded: {', '.join(lacking)}")
    return found
