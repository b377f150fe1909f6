"""`rubric`: turn by turn, by criteria that code or a judge looks at, and by how long it took."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from jobs.alongside import all_ended
from jobs.datasets.dialogue import Reply, Turn
from jobs.datasets.grades import Accept, Grade, Grading, Ungraded
from jobs.datasets.judge import quoted
from jobs.evaluators.reading import as_object, number, transcript
from jobs.evaluators.signals import Operator, check_signal, holds

ANSWER_TOKENS = 4_000
SHOWN_CHARACTERS = 60_000
_TASK = """\
Grade {what} below by each criterion, from 0 (not met) to 1 (fully met).

Criteria: {criteria}

{shown}

Answer with {{"scores": {{"<criterion>": 0 to 1, … one for each}}, "comments": {{"<criterion>": \
"one sentence"}}}}
"""


class SignalCheck(BaseModel):
    """A comparison that code makes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    signal: str
    op: Operator
    value: Any = True

    @model_validator(mode="after")
    def _can_be_made(self) -> "SignalCheck":
        check_signal(self.signal, self.op, self.value)
        return self


class RubricCriterion(BaseModel):
    """One thing that is looked at, by a judge or by code."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    weight: float = Field(1.0, ge=0)
    llm_rubric: str | None = None
    signal_check: SignalCheck | None = None

    @model_validator(mode="after")
    def _one_way(self) -> "RubricCriterion":
        if (self.llm_rubric is None) == (self.signal_check is None):
            raise ValueError(f"{self.name}: exactly one of llm_rubric and signal_check is needed")
        return self


class Latency(BaseModel):
    """How long the target may take: all points within it, none at twice as long."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    total_seconds: float | None = Field(None, gt=0)
    ttft_seconds: float | None = Field(None, gt=0)
    """Until the first token."""
    weight: float = Field(1.0, ge=0)


class TurnRubric(BaseModel):
    """What one turn is graded by."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    turn: int = Field(ge=1)
    latency: Latency | None = None
    criteria: tuple[RubricCriterion, ...] = ()


class RubricFields(BaseModel):
    """What a case says beside `"evaluator": "rubric"`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    turns: tuple[TurnRubric, ...] = ()
    case_criteria: tuple[RubricCriterion, ...] = ()
    case_weight: float = Field(1.0, ge=0)
    judge_model: str | None = None

    @model_validator(mode="after")
    def _grades_something(self) -> "RubricFields":
        if not self.turns and not self.case_criteria:
            raise ValueError("there are neither turns nor case_criteria")
        for group in (*(one.criteria for one in self.turns), self.case_criteria):
            names = [one.name for one in group]
            if twice := next((name for name in names if names.count(name) > 1), None):
                raise ValueError(f"two criteria of one turn are called {twice!r:.60}")
        return self


class RubricEvaluator:
    """Grades the turns that the case names, and the dialogue as a whole."""

    def check(self, fields: Mapping[str, Any]) -> None:
        RubricFields.model_validate(fields)

    async def grade(self, given: Grading) -> Grade:
        fields = RubricFields.model_validate(given.case.evaluator_fields)
        jobs = [_grade_turn(one, given) for one in fields.turns]
        if fields.case_criteria:
            jobs.append(_grade_case(fields.case_criteria, given))
        graded = await all_ended(jobs)  # so that what each used is counted
        whole = graded.pop() if fields.case_criteria else None
        turns = [one for one in graded if one["score"] is not None]
        if whole is not None and whole["score"] is None:
            whole = None
        if not turns and whole is None:
            raise Ungraded("nothing that the rubric asks for was measured or has a weight")
        score = _together(turns, whole, fields.case_weight)
        return Grade(
            outcome="scored",
            score=score,
            feedback=f"{score:.2f} over {len(turns) + (whole is not None)} parts",
            detail={"turns": [one["parts"] for one in turns], "case": whole and whole["parts"]},
        )


Part = dict[str, Any]
"""`score` (None: nothing was measured that weighs), and `parts` with what it is made of."""


async def _grade_turn(rubric: TurnRubric, given: Grading) -> Part:
    """One turn. A turn that the dialogue never came to fails: leaving it out would reward that."""
    turns = given.dialogue.turns
    turn = turns[rubric.turn - 1] if rubric.turn <= len(turns) else None
    if turn is None or turn.reply is None:
        return {"score": 0.0, "parts": [{"turn": rubric.turn, "reason": "never reached"}]}
    shown = f"User: {quoted(turn.said.text, SHOWN_CHARACTERS)}\n\nAnswer: " + quoted(
        turn.reply.text, SHOWN_CHARACTERS
    )
    parts = await _judge(rubric.criteria, "the answer", shown, [turn.reply], given)
    if rubric.latency is not None:
        parts += _grade_latency(rubric.latency, turn)
    return {"score": _mean(parts), "parts": [{"turn": rubric.turn, **one} for one in parts]}


async def _grade_case(criteria: Sequence[RubricCriterion], given: Grading) -> Part:
    said = "\n\n".join(transcript(given.case, given.dialogue))
    shown = f"Dialogue: {quoted(said, SHOWN_CHARACTERS)}"
    parts = await _judge(criteria, "the dialogue", shown, given.dialogue.replies, given)
    return {"score": _mean(parts), "parts": parts}


async def _judge(
    criteria: Sequence[RubricCriterion],
    what: str,
    shown: str,
    replies: Sequence[Reply],
    given: Grading,
) -> list[Part]:
    """The scores of criteria: some by code, the others by one asking."""
    parts: list[Part] = []
    asked = {one.name: one for one in criteria if one.llm_rubric is not None}
    for one in criteria:
        if (check := one.signal_check) is not None:
            true = holds(check.signal, check.op, check.value, replies)
            parts.append({"name": one.name, "weight": one.weight, "score": float(true)})
    if not asked:
        return parts
    wanted = {name: one.llm_rubric for name, one in asked.items()}
    criteria_text = json.dumps(wanted, ensure_ascii=False)
    prompt = _TASK.format(what=what, shown=shown, criteria=criteria_text)
    answer = await given.judge.ask(prompt, accept=_accept_all(asked), max_tokens=ANSWER_TOKENS)
    content = as_object(answer.content)
    comments = content.get("comments")
    for name, one in asked.items():
        comment = comments.get(name) if isinstance(comments, dict) else None
        score = number(as_object(content["scores"]), name, 0, 1)
        parts.append({"name": name, "weight": one.weight, "score": score, "comment": comment})
    return parts


def _accept_all(names: Mapping[str, RubricCriterion]) -> Accept:
    def accept(content: object) -> None:
        scores = as_object(as_object(content).get("scores"))
        for name in names:
            number(scores, name, 0, 1)

    return accept


def _grade_latency(latency: Latency, turn: Turn) -> list[Part]:
    """How the budgets were kept; what was not measured is left out."""
    first = turn.reply.first_token_s if turn.reply else None
    kept = [
        min(1.0, max(0.0, 2 - seconds / budget))
        for seconds, budget in (
            (turn.seconds, latency.total_seconds),
            (first, latency.ttft_seconds),
        )
        if seconds is not None and budget is not None
    ]
    if not kept:
        return []
    return [{"name": "latency", "weight": latency.weight, "score": sum(kept) / len(kept)}]


def _mean(parts: Sequence[Part]) -> float | None:
    weight = sum(one["weight"] for one in parts)
    return sum(one["score"] * one["weight"] for one in parts) / weight if weight else None


def _together(turns: Sequence[Part], whole: Part | None, case_weight: float) -> float:
    if not turns:
        return float(whole["score"]) if whole else 0.0
    mean = sum(one["score"] for one in turns) / len(turns)
    if whole is None:
        return float(mean)
    return float((mean + case_weight * whole["score"]) / (1 + case_weight))
