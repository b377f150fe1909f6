"""What code can see in a target's answers: charts, tables, lengths, tools."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from jobs.datasets.dialogue import Reply

Operator = Literal["==", "!=", ">=", ">", "<=", "<", "in", "not_in"]

_IMAGE = re.compile(r"!\[[^\]\n]*\]\([^)\s]+[^)\n]*\)")
_CHART = re.compile(
    r"\b(?:chart|sparkline|plot|graph)s?\b|图表|趋势图|柱状图|折线图", re.IGNORECASE
)
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)+\|?\s*$", re.MULTILINE)
_TABLE_ROW = re.compile(r"^\s*\|.+\|\s*$", re.MULTILINE)
_ROWS = 2

Signal = Callable[[Sequence[Reply]], bool | int]


def has_chart(replies: Sequence[Reply]) -> bool:
    """Whether a picture stands in an answer, or a chart is named by it, a piece or a tool."""
    for reply in replies:
        names = [call.name.replace("_", " ") for call in reply.tool_calls]
        pieces = [f"{chunk.type} {chunk.content}".replace("_", " ") for chunk in reply.chunks]
        if _IMAGE.search(reply.text) or _CHART.search(" ".join((reply.text, *pieces, *names))):
            return True
    return False


def has_table(replies: Sequence[Reply]) -> bool:
    """Whether a Markdown table with at least two rows stands in an answer."""
    return any(
        _TABLE_RULE.search(reply.text) and len(_TABLE_ROW.findall(reply.text)) >= _ROWS
        for reply in replies
    )


def char_count(replies: Sequence[Reply]) -> int:
    return sum(len(reply.text) for reply in replies)


def md_image_count(replies: Sequence[Reply]) -> int:
    return sum(len(_IMAGE.findall(reply.text)) for reply in replies)


def tool_calls_count(replies: Sequence[Reply]) -> int:
    return sum(len(reply.tool_calls) for reply in replies)


def has_annotation(replies: Sequence[Reply]) -> bool:
    return any(chunk.type == "annotation" for reply in replies for chunk in reply.chunks)


SIGNALS: Mapping[str, Signal] = {
    "has_chart": has_chart,
    "has_table": has_table,
    "char_count": char_count,
    "md_image_count": md_image_count,
    "tool_calls_count": tool_calls_count,
    "has_annotation": has_annotation,
}

_COMPARE: Mapping[Operator, Callable[[Any, Any], bool]] = {
    "==": lambda seen, wanted: seen == wanted,
    "!=": lambda seen, wanted: seen != wanted,
    ">=": lambda seen, wanted: seen >= wanted,
    ">": lambda seen, wanted: seen > wanted,
    "<=": lambda seen, wanted: seen <= wanted,
    "<": lambda seen, wanted: seen < wanted,
    "in": lambda seen, wanted: seen in wanted,
    "not_in": lambda seen, wanted: seen not in wanted,
}


def check_signal(signal: str, op: Operator, value: Any) -> None:
    """Whether a check can be made at all. Raises `ValueError`."""
    if signal not in SIGNALS:
        there = ", ".join(sorted(SIGNALS))
        raise ValueError(f"there is no signal {signal!r:.60}; there are {there}")
    try:
        _COMPARE[op](SIGNALS[signal](()), value)
    except TypeError:
        raise ValueError(f"{signal} cannot be compared with {value!r:.60} by {op}") from None


def holds(signal: str, op: Operator, value: Any, replies: Sequence[Reply]) -> bool:
    """Whether a check that `check_signal` takes is true of the answers."""
    return _COMPARE[op](SIGNALS[signal](replies), value)
