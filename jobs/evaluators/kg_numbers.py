"""Numbers in answers: found where they are numbers, compared as closely as the case allows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:T[\d:.]+Z?)?|\d{1,2}/\d{1,2}/\d{4}")
_NUMBER = re.compile(r"(?<![\w.])[-\u2212\u2013]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\d])")
_RANGE = re.compile(r"(?<=\d)\s*[-\u2013\u2014]\s*(?=\d)")
ALMOST_ZERO = 1e-6
MOST_DECIMALS = 12
ROUNDED_DIGITS = 2
"""What rounding must leave of a number for it to be the same: `0.87` for 0.866, not `1`."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number and how exactly it was written."""

    value: float
    decimals: int


def find_numbers(text: str) -> list[Number]:
    """The numbers of a text. Dates are none, and the dash of a range is no minus."""
    text = _RANGE.sub(" to ", _DATE.sub(" ", text))
    found = []
    for match in _NUMBER.finditer(text):
        written = match.group().replace("\u2212", "-").replace("\u2013", "-").replace(",", "")
        _, _, behind = written.partition(".")
        if len(written) <= 30:
            found.append(Number(float(written), len(behind)))
    return found


def close(one: Number, other: Number, tolerance: float) -> bool:
    """Whether two numbers are the same within a relative tolerance, or once rounded alike."""
    if _near(one.value, other.value, tolerance):
        return True
    decimals = min(one.decimals, other.decimals, MOST_DECIMALS)
    left, right = round(one.value, decimals), round(other.value, decimals)
    digits = len(f"{abs(left):.{decimals}f}".replace(".", "").lstrip("0"))
    return digits >= ROUNDED_DIGITS and _near(left, right, tolerance)


def _near(one: float, other: float, tolerance: float) -> bool:
    if one == 0 or other == 0:
        return abs(one - other) < ALMOST_ZERO
    return abs(one - other) / max(abs(one), abs(other)) <= tolerance


def score_numbers(
    expected: Sequence[Number], found: Sequence[Number], tolerance: float
) -> tuple[float, str]:
    """How many of the expected numbers were found, else how near the nearest one came.

    Nearness halves with every further tolerance (at least one per cent) of distance, from a half
    downwards, so that a number out of the blue is worth nothing.
    """
    met = sum(any(close(one, other, tolerance) for other in found) for one in expected)
    if met == len(expected):
        return 1.0, f"all of {len(expected)} values are right"
    if met:
        return met / len(expected), f"{met} of {len(expected)} values are right"
    if not found:
        return 0.0, "the answer holds no number"
    distance = min(
        abs(other.value - one.value) / max(abs(other.value), abs(one.value), 1e-9)
        for one in expected
        for other in found
    )
    excess = (distance - tolerance) / max(tolerance, 0.01)
    score = 0.5 * 0.5 ** min(excess, 1000.0)
    return (score if score >= 0.01 else 0.0), "no value is right"
