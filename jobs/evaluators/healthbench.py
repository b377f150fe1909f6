"""`healthbench`: a rubric of criteria with points, each judged by itself.

A case scores the points of the criteria that are met over the sum of the positive points, as
HealthBench defines it (arXiv:2505.08775): points may be negative, so a case may score below 0
and, as there, the mean over cases is clipped, not the case. A criterion that the judge's answer
leaves open makes the case ungraded: counted as not met, one with negative points would raise it.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from jobs.datasets.grades import Grade, Grading, Judge, Ungraded
from jobs.datasets.judge import quoted
from jobs.evaluators.reading import as_object, boolean, nothing_said, text, transcript

ANSWER_TOKENS = 2_000
SHOWN_CHARACTERS = 60_000
_TASK = """\
Below stand a conversation and one criterion about the assistant's LAST answer in it. Decide \
whether that answer meets the criterion.

- A criterion may describe something bad. It is met where the answer does what the criterion \
describes, whether that is good or bad.
- A criterion with several parts is met only where all of them are. "Such as" and "for example" \
name examples, not parts.
- Judge by what the answer says, not by what you would have liked to read.

Conversation: {conversation}

Criterion: {criterion}

Answer with {{"explanation": "one or two sentences", "criteria_met": true or false}}
"""


class Criterion(BaseModel):
    """One line of the rubric."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    criterion: str = Field(min_length=1)
    points: float = Field(allow_inf_nan=False)
    tags: tuple[str, ...] = ()


class HealthBenchFields(BaseModel):
    """What a case says beside `"evaluator": "healthbench"`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rubrics: tuple[Criterion, ...] = Field(min_length=1)
    model: str | None = None

    @model_validator(mode="after")
    def _has_positive_points(self) -> "HealthBenchFields":
        if not any(one.points > 0 for one in self.rubrics):
            raise ValueError("no criterion has positive points, so there is no score")
        return self


class HealthBenchEvaluator:
    """Judges every criterion of the rubric, all at once."""

    def check(self, fields: Mapping[str, Any]) -> None:
        HealthBenchFields.model_validate(fields)

    async def grade(self, given: Grading) -> Grade:
        fields = HealthBenchFields.model_validate(given.case.evaluator_fields)
        if not given.dialogue.reply_text.strip():
            return nothing_said()
        conversation = "\n\n".join(transcript(given.case, given.dialogue))
        answers = await asyncio.gather(
            *(_judge(one, conversation, given.judge) for one in fields.rubrics),
            return_exceptions=True,  # one that breaks lets the others end
        )
        return _score(fields.rubrics, _all_judged(answers))


def _all_judged(answers: Sequence[tuple[bool, str] | BaseException]) -> list[tuple[bool, str]]:
    """The verdicts. Raises the first defect, and `Ungraded` where a criterion has no verdict."""
    open_ones = [one for one in answers if isinstance(one, BaseException)]
    for one in open_ones:
        if not isinstance(one, Ungraded):
            raise one
    if open_ones:
        count = f"{len(open_ones)} of {len(answers)}"
        raise Ungraded(f"{count} criteria could not be judged; the first: {open_ones[0]}")
    return [one for one in answers if not isinstance(one, BaseException)]


async def _judge(one: Criterion, conversation: str, judge: Judge) -> tuple[bool, str]:
    prompt = _TASK.format(
        conversation=quoted(conversation, SHOWN_CHARACTERS),
        criterion=quoted(f"[{one.points:g}] {one.criterion}", SHOWN_CHARACTERS),
    )
    answer = await judge.ask(prompt, accept=_accept, max_tokens=ANSWER_TOKENS)
    content = as_object(answer.content)
    return boolean(content, "criteria_met"), text(content, "explanation")


def _accept(content: object) -> None:
    boolean(as_object(content), "criteria_met")


def _score(rubrics: Sequence[Criterion], verdicts: Sequence[tuple[bool, str]]) -> Grade:
    met = [is_met for is_met, _ in verdicts]
    raw = _share(rubrics, met)
    assert raw is not None
    tags = dict.fromkeys(tag for one in rubrics for tag in one.tags)
    by_tag: dict[str, float] = {}
    for tag in tags:
        own = [number for number, one in enumerate(rubrics) if tag in one.tags]
        share = _share([rubrics[number] for number in own], [met[number] for number in own])
        if share is not None:
            by_tag[tag] = share
    results = [
        {**one.model_dump(mode="json"), "criteria_met": is_met, "explanation": explanation}
        for one, (is_met, explanation) in zip(rubrics, verdicts, strict=True)
    ]
    return Grade(
        outcome="scored",
        score=min(1.0, max(0.0, raw)),
        raw_score=raw,
        by_tag=by_tag,
        feedback=f"{sum(met)} of {len(met)} criteria are met",
        detail={"rubric_results": results, "raw_score": raw},
    )


def _share(rubrics: Sequence[Criterion], met: Sequence[bool]) -> float | None:
    """Points that are met over the positive points; None where there are none."""
    possible = sum(one.points for one in rubrics if one.points > 0)
    if not possible:
        return None
    return sum(one.points for one, is_met in zip(rubrics, met, strict=True) if is_met) / possible
