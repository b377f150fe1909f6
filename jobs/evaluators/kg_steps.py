"""Credit for the steps on the way to an answer, where a case names them with weights."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from jobs.evaluators.kg_numbers import Number, close, find_numbers
from jobs.evaluators.kg_words import share_of, tokens

HALF = 0.5
LONG = 4
"""Characters from which a word may stand anywhere in the answer."""
_BETWEEN = r"\s*(?:[:\uff1a=]|is|are|was|were|of|equals|为|是|等于|约)?\s*"


def score_steps(source: Mapping[str, Any], answer: str, tolerance: float) -> float | None:
    """The weights of the steps that the answer shows, at most 1; None where there are none."""
    steps = weighted_steps(source)
    if not steps:
        return None
    met = sum(weight for step, weight in steps if _is_shown(step, answer, tolerance))
    return min(1.0, met) if met else None


def weighted_steps(source: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], float]]:
    """The steps of a case with their weights; empty where it has none that fit."""
    rubric = source.get("partial_credit_rubric")
    steps = source.get("reasoning_steps")
    if not isinstance(rubric, dict) or rubric.get("scheme") != "step_weighted":
        return []
    weights = rubric.get("weights")
    if isinstance(weights, dict):
        weights = list(weights.values())
    if not isinstance(weights, list) or not isinstance(steps, list) or len(weights) != len(steps):
        return []
    pairs: list[tuple[Mapping[str, Any], float]] = []
    for step, weight in zip(steps, weights, strict=True):
        if not isinstance(step, dict) or isinstance(weight, bool):
            return []
        if not isinstance(weight, int | float) or not 0 <= weight <= 1:
            return []
        pairs.append((step, float(weight)))
    return pairs


def _is_shown(step: Mapping[str, Any], answer: str, tolerance: float) -> bool:
    value, label = step.get("value"), str(step.get("label", ""))
    if isinstance(value, bool):
        words = set(tokens(answer))
        yes, no = bool(words & {"yes", "true"}), bool(words & {"no", "false"})
        return yes != no and yes == value
    if isinstance(value, int | float):
        return _number_shown(Number(float(value), _decimals(value)), label, answer, tolerance)
    if isinstance(value, list):
        return bool(value) and sum(share_of(str(one), answer) == 1 for one in value) >= (
            HALF * len(value)
        )
    if not isinstance(value, str) or not value.strip():
        return False
    if len(value) >= LONG:
        return " ".join(tokens(value)) in " ".join(tokens(answer))
    behind = re.search(_labelled(label) + re.escape(value) + r"(?!\w)", answer, re.IGNORECASE)
    return behind is not None


def _number_shown(wanted: Number, label: str, answer: str, tolerance: float) -> bool:
    """Whether the number stands right behind its label."""
    for match in re.finditer(_labelled(label), answer, re.IGNORECASE):
        behind: Sequence[Number] = find_numbers(answer[match.end() : match.end() + 40])
        if behind and close(wanted, behind[0], tolerance):
            return True
    return False


def _labelled(label: str) -> str:
    words = [re.escape(word) for word in re.split(r"[_\s-]+", label) if word]
    return r"[_\s-]".join(words) + _BETWEEN if words else r"(?!)"


def _decimals(value: float) -> int:
    return len(str(value).partition(".")[2])
