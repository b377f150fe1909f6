"""A median with the range it was taken from, as an estimate tells of past runs."""

from collections.abc import Iterable, Sequence
from statistics import median

from jobs.requests import Value


class Span(Value):
    """A median with the range it was taken from."""

    median: float
    low: float
    high: float


def find_span(values: Sequence[float]) -> Span | None:
    """The span of some values; None of none."""
    if not values:
        return None
    return Span(median=median(values), low=min(values), high=max(values))


def add_spans(spans: Iterable[Span | None]) -> Span | None:
    """The sum of what is known; medians add up roughly, ends do for sure."""
    known = [one for one in spans if one is not None]
    if not known:
        return None
    return Span(
        median=sum(one.median for one in known),
        low=sum(one.low for one in known),
        high=sum(one.high for one in known),
    )
