"""What a judge or a rule found in a case, as lines that a page can show, whatever the evaluator."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from jobs.datasets.results import CaseResult

MOST = 200
LONGEST = 2_000
NAMES = ("criterion", "name", "dimension", "checkpoint", "title", "type")
"""Where an evaluator says what a finding is about; the first that is there counts."""
REASONS = ("explanation", "reason", "comment", "detail", "feedback")
VERDICTS = ("criteria_met", "met", "passed", "pass", "ok")


class Finding(NamedTuple):
    """One thing that was looked for."""

    name: str
    verdict: str
    """`met`, `not met`, a figure, or empty."""
    reason: str
    is_good: bool = True
    """Whether the verdict speaks for the answer: not where what is met takes points off."""


def find_findings(case: CaseResult) -> list[Finding]:
    """The findings of a case, in the evaluator's order."""
    found: list[Finding] = []
    for name, value in case.grade.detail.items():
        found += _of(name, value)
    return found[:MOST]


def _of(name: str, value: Any) -> Iterator[Finding]:
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        for one in value:
            yield _of_object(one)
    elif isinstance(value, dict) and value and all(isinstance(v, dict) for v in value.values()):
        for inner, one in value.items():
            yield _of_object({"name": inner, **one})
    else:
        yield Finding(name.replace("_", " "), "", _text(value))


def _of_object(one: Mapping[str, Any]) -> Finding:
    name = next((key for key in NAMES if isinstance(one.get(key), str)), "")
    reason = next((key for key in REASONS if isinstance(one.get(key), str)), "")
    verdict = next((key for key in VERDICTS if isinstance(one.get(key), bool)), "")
    shown = ("met" if one[verdict] else "not met") if verdict else ""
    rest = {
        key: value
        for key, value in one.items()
        if key not in {name, reason, verdict} and value not in (None, [], {}, "")
    }
    figures = ", ".join(f"{key.replace('_', ' ')}: {_text(value)}" for key, value in rest.items())
    parts = [part for part in (str(one.get(reason, "")), figures) if part]
    points = one.get("points")
    costs = isinstance(points, int | float) and points < 0
    is_good = not verdict or bool(one[verdict]) is not costs
    return Finding(str(one.get(name, ""))[:LONGEST], shown, "\n".join(parts)[:LONGEST], is_good)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value[:LONGEST]
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return ", ".join(value)[:LONGEST]
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"[:LONGEST]
    return json.dumps(value, ensure_ascii=False)[:LONGEST]
