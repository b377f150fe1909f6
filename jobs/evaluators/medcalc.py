"""`medcalc`: a medical calculation with one right value, by the rules of MedCalc-Bench.

The value is read from the answer by rule where the answer names it plainly, else by a model
that never sees the right one; whether it is right is decided by code alone (arXiv:2406.12036):
a decimal between its two limits, a whole number or a date exactly, weeks and days as a pair.
"""

import math
import re
from collections.abc import Mapping
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, model_validator

from jobs.datasets.grades import Grade, Grading, Judge
from jobs.datasets.judge import quoted
from jobs.evaluators.reading import as_object, nothing_said

ANSWER_TOKENS = 1_000
SHOWN_CHARACTERS = 30_000
_TASK = """\
Below stands the question that somebody was asked, and the answer. Tell which final value the \
answer gives. Do not calculate anything yourself and do not correct the answer.

Question: {question}

Answer: {answer}

Reply with {{"answer": "the final value as it is written, without its unit"}}, a date as \
MM/DD/YYYY, weeks and days as "W weeks, D days", or {{"answer": null}} where the answer gives \
no final value.
"""
_NUMBER = r"[-+\u2212]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?"
_PLAIN = {
    "decimal": _NUMBER,
    "integer": _NUMBER,
    "date": r"\d{1,2}/\d{1,2}/\d{4}|\d{4}-\d{2}-\d{2}",
    "weeks_days": r"\d+ ?weeks?(?:,| and|, and)? \d+ ?days?",
}
_NAMED = re.compile(r"(?:final\s+answer|answer)[\"'*_`]*\s*(?:is|:|=)+[\"'*_`\s$]*", re.IGNORECASE)
_TAKEN_BACK = re.compile(
    r"\b(?:wait|actually|correction|corrected|mistaken?|error|sorry|apolog\w+|instead|"
    r"should (?:be|have)|recalculat\w+|let me|re-?check\w*)\b",
    re.IGNORECASE,
)
_WEEKS_DAYS = re.compile(
    r"(\d+)\s*weeks?(?:\W+(?:and\s+)?(\d+)\s*days?)?(?!\W+(?:and\s+)?\d)", re.IGNORECASE
)
"""Weeks alone are whole weeks, unless another figure follows whose meaning is not known."""
_GROUPED = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_DATES = ("%m/%d/%Y", "%Y-%m-%d", "%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y")


class MedCalcFields(BaseModel):
    """What a case says beside `"evaluator": "medcalc"`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ground_truth: str
    lower_limit: str = ""
    upper_limit: str = ""
    output_type: Literal["decimal", "integer", "date", "weeks_days"]
    explanation: str = ""
    extractor_model: str | None = None

    @model_validator(mode="after")
    def _can_be_matched(self) -> "MedCalcFields":
        kind = self.output_type
        if kind == "decimal" and None in (_decimal(self.lower_limit), _decimal(self.upper_limit)):
            raise ValueError("a decimal needs a lower_limit and an upper_limit")
        if kind != "decimal" and _value(self.ground_truth, kind) is None:
            raise ValueError(f"ground_truth is no {kind}: {self.ground_truth!r:.80}")
        return self


class MedCalcEvaluator:
    """Finds the value in the answer, then compares."""

    def check(self, fields: Mapping[str, Any]) -> None:
        MedCalcFields.model_validate(fields)

    async def grade(self, given: Grading) -> Grade:
        fields = MedCalcFields.model_validate(given.case.evaluator_fields)
        answer = given.dialogue.reply_text
        if not answer.strip():
            return nothing_said()
        found, how = find_plain(answer, fields.output_type), "rule"
        if found is None:
            question = given.dialogue.turns[-1].said.text
            found, how = await _extract(question, answer, given.judge), "model"
        detail = {"answer": found, "found_by": how, "ground_truth": fields.ground_truth}
        if found is None:
            feedback = "the answer gives no final value"
            return Grade(outcome="fail", score=0.0, feedback=feedback, detail=detail)
        right = matches(found, fields)
        feedback = f"{found[:80]} is {'right' if right else 'not right'}"
        outcome: Literal["pass", "fail"] = "pass" if right else "fail"
        return Grade(outcome=outcome, score=float(right), feedback=feedback, detail=detail)


def find_plain(answer: str, kind: str) -> str | None:
    """The value that stands right behind the last "answer is".

    None where none does, and where it cannot be read or may be taken back further on.
    """
    named = list(_NAMED.finditer(answer))
    if not named:
        return None
    rest = answer[named[-1].end() :]
    found = re.match(rf"(?:{_PLAIN[kind]})(?![\w/?])", rest, re.IGNORECASE)
    if found is None or (kind in {"decimal", "integer"} and _goes_on(answer, named[-1], found)):
        return None
    if (kind == "date" and _date(found.group()) is None) or _TAKEN_BACK.search(rest, found.end()):
        return None
    return found.group()


def _goes_on(answer: str, named: re.Match[str], found: re.Match[str]) -> bool:
    """Whether more figures stand in the sentence, such as a sum, a range or a date."""
    rest = answer[named.end() + found.end() :].split("\n", 1)[0]
    return re.search(r"(?<![\w^])\d", re.split(r"\.(?:\s|$)", rest, maxsplit=1)[0]) is not None


def matches(found: str, fields: MedCalcFields) -> bool:
    """Whether a value is the right one, by the rule of its kind."""
    if fields.output_type == "decimal":
        value, low, high = (
            _decimal(one) for one in (found, fields.lower_limit, fields.upper_limit)
        )
        if value is None or low is None or high is None:
            return False
        return min(low, high) <= value <= max(low, high)
    value_found = _value(found, fields.output_type)
    return value_found is not None and value_found == _value(
        fields.ground_truth, fields.output_type
    )


def _value(written: str, kind: str) -> object:
    """A value in a form that can be compared; None where it cannot be read."""
    if kind == "date":
        return _date(written)
    if kind == "weeks_days":
        pair = _WEEKS_DAYS.search(written)
        return (int(pair[1]), int(pair[2] or 0)) if pair else None
    value = _decimal(written)
    return None if value is None else value.to_integral_value(ROUND_HALF_UP)


def _decimal(written: str) -> Decimal | None:
    number = re.search(_NUMBER, written.replace("\u2212", "-"))
    if number is None:
        return None
    text = number.group()
    is_decimal_comma = text.count(",") == 1 and "." not in text and not _GROUPED.fullmatch(text)
    try:
        value = Decimal(text.replace(",", "." if is_decimal_comma else ""))
    except InvalidOperation:
        return None
    # a number of a million digits would take a million steps to round
    return value if math.isfinite(value) and abs(value.adjusted()) < 300 else None


def _date(written: str) -> date | None:
    for shape in _DATES:
        try:
            return datetime.strptime(written.strip(), shape).date()  # noqa: DTZ007 -- a date alone
        except ValueError:
            continue
    return None


async def _extract(question: str, answer: str, judge: Judge) -> str | None:
    prompt = _TASK.format(
        question=quoted(question, SHOWN_CHARACTERS), answer=quoted(answer, SHOWN_CHARACTERS)
    )
    said = await judge.ask(prompt, accept=_accept, max_tokens=ANSWER_TOKENS)
    value = as_object(said.content)["answer"]
    if value is None or str(value).strip().casefold() in {"", "none", "null", "n/a"}:
        return None
    return str(value)


def _accept(content: object) -> None:
    answer = as_object(content)
    if "answer" not in answer or isinstance(answer["answer"], bool | list | dict):
        raise ValueError('"answer" must be the value as text, or null')
