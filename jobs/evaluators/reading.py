"""What evaluators have in common: reading a judge's JSON strictly, and a dialogue as text."""

import math
from collections.abc import Mapping
from typing import Any

from jobs.datasets.cases import DatasetCase
from jobs.datasets.dialogue import Dialogue
from jobs.datasets.grades import Grade


def as_object(content: object) -> Mapping[str, Any]:
    """A JSON object. Raises `ValueError` for anything else."""
    if not isinstance(content, dict):
        raise ValueError("it must be a JSON object")  # noqa: TRY004
    return content


def boolean(content: Mapping[str, Any], name: str) -> bool:
    """A real boolean: the word "false" is none. Raises `ValueError`."""
    value = content.get(name)
    if not isinstance(value, bool):
        raise ValueError(f'"{name}" must be true or false')  # noqa: TRY004
    return value


def number(content: Mapping[str, Any], name: str, low: float, high: float) -> float:
    """A finite number within bounds. Raises `ValueError`."""
    value = content.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f'"{name}" must be a number')  # noqa: TRY004
    if not math.isfinite(value) or not low <= value <= high:
        raise ValueError(f'"{name}" must lie between {low:g} and {high:g}')
    return float(value)


def text(content: Mapping[str, Any], name: str) -> str:
    """A text; empty where there is none."""
    value = content.get(name)
    return value if isinstance(value, str) else ""


def transcript(case: DatasetCase, dialogue: Dialogue, *, with_history: bool = True) -> list[str]:
    """What was said, one `role: text` each, oldest first."""
    lines = []
    if with_history:
        for one in case.history:
            role = "user" if one.role == "user" else "assistant"
            lines.append(f"{role}: {one.content}")
    for turn in dialogue.turns:
        if turn.said.text:
            lines.append(f"user: {turn.said.text}")
        if turn.reply is not None:
            lines.append(f"assistant: {turn.reply.text}")
    return lines


def nothing_said() -> Grade:
    """Of a target that answered nothing at all: its own doing, so it is graded."""
    return Grade(outcome="fail", score=0.0, feedback="the target answered nothing")


def by_threshold(score: float, threshold: float, feedback: str, detail: dict[str, Any]) -> Grade:
    """Pass or fail by a threshold that a case sets."""
    outcome = "pass" if score >= threshold else "fail"
    return Grade(outcome=outcome, score=score, feedback=feedback, detail=detail)
