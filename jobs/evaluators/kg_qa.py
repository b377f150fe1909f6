"""`kg_qa`: questions about somebody's records; numbers, names, yes or no, text, planted premises.

What is compared is the last line that begins with `ANSWER:`, in any case and dress, else the
whole answer. Rules decide where rules can; a text is judged by its key points.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from jobs.datasets.grades import Accept, Grade, Grading, Ungraded
from jobs.datasets.judge import quoted
from jobs.evaluators import kg_behaviour
from jobs.evaluators.kg_numbers import find_numbers, score_numbers
from jobs.evaluators.kg_steps import score_steps, weighted_steps
from jobs.evaluators.kg_words import (
    TRUE_WORDS,
    listed,
    say_yes,
    score_answer_line,
    score_list,
    share_of,
)
from jobs.evaluators.reading import as_object, nothing_said, number, text

ANSWER_TOKENS = 2_000
SHOWN_CHARACTERS = 30_000
HINT = "End your answer with a line of its own: ANSWER: <value>"
_ALIASES = {
    "numeric": "numeric_value",
    "number": "numeric_value",
    "bool": "boolean",
    "date": "text",
    "datetime": "text",
    "string": "text",
}
_ANSWER = re.compile(
    r"^[\s>*_#`-]*answer[*_`]*[^\S\n]*[:\uff1a][^\S\n]*[*_`]*(.*)$", re.IGNORECASE | re.MULTILINE
)
_BROKEN = re.compile(r"502 Bad Gateway|API 调用失败", re.IGNORECASE)
"""What a target writes that has lost its own server, and takes for an answer."""
_NOT_FOUND = re.compile(
    r"\b(?:not|no|none|cannot|can't|couldn't|unknown|unavailable|n/?a)\b|找不到|查不到|没有|未找到",
    re.IGNORECASE,
)
"""What an answer line says that gives no value: no other number of the answer is meant then."""
_TASK = """\
Grade how far the answer covers each key point, from 0 (not at all, or wrong) to 1 (fully, in \
whatever words). Further words cost nothing unless they contradict a key point.

Question: {question}
What is right: {expected}
Key points: {points}
Records that it rests on: {source}

Answer: {answer}

Reply with {{"covered": [one number for each key point, in their order], "explanation": "one \
sentence"}}
"""


class KgQaFields(BaseModel):
    """What a case says beside `"evaluator": "kg_qa"`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    answer_type: Literal["numeric_value", "text", "list", "boolean", "behavioral"]
    expected_value: bool | str | float | list[Any] | None = None
    key_points: tuple[str, ...] = ()
    source_data: Mapping[str, Any] = Field(default_factory=dict)
    number_tolerance: float = Field(0.01, ge=0, le=1)
    behavior_kind: str = "existence"
    model: str | None = None
    difficulty: str | None = None
    distractor_polarity: str | None = None
    premise_statement: str | None = None
    answer_format_hint: str | None = HINT

    @field_validator("answer_type", mode="before")
    @classmethod
    def _by_its_name(cls, written: object) -> object:
        return _ALIASES.get(written, written) if isinstance(written, str) else written

    @model_validator(mode="after")
    def _can_be_graded(self) -> "KgQaFields":
        kind = self.answer_type
        if kind == "behavioral":
            kg_behaviour.premise_is_true(self.source_data, self.distractor_polarity)
        elif kind == "list" and not self.entries:
            raise ValueError("a list needs entries in expected_value")
        elif kind in {"numeric_value", "boolean"} and not self.expected.strip():
            raise ValueError("expected_value is empty")
        return self

    @property
    def expected(self) -> str:
        return "" if self.expected_value is None else str(self.expected_value)

    @property
    def entries(self) -> list[str]:
        """The entries of an expected list."""
        if isinstance(self.expected_value, list):
            return [str(one) for one in self.expected_value]
        return [one.strip() for one in self.expected.split(";") if one.strip()]

    @property
    def tolerance(self) -> float:
        """Relative: 0.05 is five per cent."""
        own = self.source_data.get("tolerance")
        if isinstance(own, dict) and own.get("scheme") == "percent":
            value = own.get("value")
            if isinstance(value, int | float) and not isinstance(value, bool):
                return float(value) / 100
        return self.number_tolerance


class KgQaEvaluator:
    """Routes by the type of the answer."""

    def check(self, fields: Mapping[str, Any]) -> None:
        KgQaFields.model_validate(fields)

    async def grade(self, given: Grading) -> Grade:
        fields = KgQaFields.model_validate(given.case.evaluator_fields)
        answer = given.dialogue.reply_text
        if not answer.strip():
            return nothing_said()
        value = answer_line(answer)
        if value is None and (broken := _BROKEN.search(answer)):
            raise Ungraded(f"the target's own server failed: {broken.group()}")
        if fields.answer_type == "behavioral":
            return await _grade_behaviour(fields, given, answer, value)
        if fields.answer_type == "text":
            return await _grade_text(fields, given, answer, value)
        score, why = _by_rule(fields, answer, value)
        steps = score_steps(fields.source_data, answer, fields.tolerance)
        if steps is not None and steps > score:
            score, why = steps, f"{why}; steps on the way are worth {steps:.2f}"
        return _scored(score, why, {"answer": value, "expected": fields.expected, "by": "rule"})


def answer_line(answer: str) -> str | None:
    """What stands behind the last `ANSWER:`, or below it where nothing stands behind it.

    None where there is no such line, or nothing behind and below it.
    """
    for match in reversed(list(_ANSWER.finditer(answer))):
        below = answer[match.end() :].strip("\n").partition("\n\n")[0].strip()
        if said := match[1].strip().strip("*_`").strip() or below:
            return said
    return None


def _by_rule(fields: KgQaFields, answer: str, value: str | None) -> tuple[float, str]:
    said = value if value is not None else answer
    if fields.answer_type == "numeric_value":
        expected = find_numbers(fields.expected)
        if not expected:
            share = share_of(fields.expected, answer)
            return share, f"{share:.0%} of the expected words are there"
        found = find_numbers(said)
        if not found and (value is None or not _NOT_FOUND.search(value)):
            found = find_numbers(answer)
        return score_numbers(expected, found, fields.tolerance)
    if fields.answer_type == "boolean":
        wanted = fields.expected.strip().casefold() in TRUE_WORDS
        told = say_yes(said)
        if told is None:
            return 0.0, "the answer says neither yes nor no"
        return float(told == wanted), f"the answer says {'yes' if told else 'no'}"
    if value is not None:
        score, why = score_answer_line(fields.entries, value)
        if score:
            return score, why
    return score_list(fields.entries, listed(answer) or [answer])


async def _grade_text(fields: KgQaFields, given: Grading, answer: str, value: str | None) -> Grade:
    detail: dict[str, Any] = {"answer": value, "expected": fields.expected}
    if not fields.key_points:
        share = share_of(fields.expected, value or answer)
        feedback = f"{share:.0%} of the expected words are there"
        return _scored(share, feedback, detail | {"by": "rule"})
    prompt = _TASK.format(
        question=quoted(given.dialogue.turns[-1].said.text, SHOWN_CHARACTERS),
        expected=quoted(fields.expected, SHOWN_CHARACTERS),
        points=[quoted(point, SHOWN_CHARACTERS) for point in fields.key_points],
        source=quoted(str(dict(fields.source_data)), SHOWN_CHARACTERS),
        answer=quoted(answer, SHOWN_CHARACTERS),
    )
    count = len(fields.key_points)
    said = await given.judge.ask(prompt, accept=_accept_each(count), max_tokens=ANSWER_TOKENS)
    content = as_object(said.content)
    covered = _read_covered(content, count)
    steps = weighted_steps(fields.source_data)
    weights = [weight for _, weight in steps] if len(steps) == count else [1.0] * count
    if not (total := sum(weights)):
        weights, total = [1.0] * count, float(count)
    score = sum(one * weight for one, weight in zip(covered, weights, strict=True)) / total
    detail |= {"by": "judge", "covered": covered, "weights": weights}
    return _scored(score, text(content, "explanation") or f"{score:.2f} covered", detail)


def _accept_each(count: int) -> Accept:
    def accept(content: object) -> None:
        _read_covered(as_object(content), count)

    return accept


def _read_covered(content: Mapping[str, Any], count: int) -> list[float]:
    covered = content.get("covered")
    if not isinstance(covered, list) or len(covered) != count:
        raise ValueError(f'"covered" must be a list of {count} numbers')
    return [number({"covered": one}, "covered", 0, 1) for one in covered]


async def _grade_behaviour(
    fields: KgQaFields, given: Grading, answer: str, value: str | None
) -> Grade:
    source = fields.source_data
    is_true = kg_behaviour.premise_is_true(source, fields.distractor_polarity)
    kind = str(source.get("behavior_kind") or fields.behavior_kind)
    treatment = kg_behaviour.read_contract(source, value, is_true=is_true)
    if treatment is None:
        premise = fields.premise_statement or str(source.get("premise_statement") or "")
        question = given.dialogue.turns[-1].said.text
        treatment = await kg_behaviour.ask_how(
            question, answer, premise, fields.expected, given.judge
        )
    passed = kg_behaviour.passes(treatment, is_true=is_true, kind=kind)
    detail = {
        "behavior_kind": kind,
        "premise_is_true": is_true,
        "affirmed_premise": treatment.affirmed,
        "challenged": treatment.challenged,
        "gave_magnitude": treatment.gave_magnitude,
        "by": treatment.how,
        "answer": value,
    }
    held = "objected to" if treatment.challenged else "taken" if treatment.affirmed else "left open"
    why = treatment.words or f"the premise, which is {str(is_true).lower()}, is {held}"
    return _scored(float(passed), why, detail)


def _scored(score: float, feedback: str, detail: dict[str, Any]) -> Grade:
    return Grade(outcome="scored", score=score, feedback=feedback, detail=detail)
