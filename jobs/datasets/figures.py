"""The figures of a run: over what was graded, with how much that was, and how sure it is.

What is ungraded is in no mean and no rate; it is counted beside them. Where nothing was
graded there is no figure, not a zero.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from jobs.datasets.results import CaseResult
from jobs.judging.reading import add_usage
from jobs.statistics.intervals import (
    Interval,
    find_mean_interval,
    find_rate_interval,
    find_standard_error,
)
from jobs.values import Usage


@dataclass(frozen=True, slots=True)
class Figures:
    """What a group of cases came to."""

    total: int
    passed: int
    failed: int
    ungraded: int
    average: float | None
    """Mean score of what was graded, between 0 and 1."""
    standard_error: float | None
    """Of the average; None below two values and where they do not differ."""
    interval: Interval | None
    """95 %, of the average."""

    @property
    def graded(self) -> int:
        return self.total - self.ungraded

    @property
    def pass_rate(self) -> float | None:
        """Passes among passes and fails; None where there is neither."""
        decided = self.passed + self.failed
        return self.passed / decided if decided else None

    @property
    def pass_interval(self) -> Interval | None:
        """95 %, of the pass rate."""
        return find_rate_interval(self.passed, self.passed + self.failed)


def find_figures(results: Sequence[CaseResult]) -> Figures:
    """The figures of any cases. The mean is clipped, not the scores that go into it."""
    outcomes = Counter(one.grade.outcome for one in results)
    values = [value for one in results if (value := one.grade.averaged) is not None]
    return Figures(
        total=len(results),
        passed=outcomes["pass"],
        failed=outcomes["fail"],
        ungraded=outcomes["ungraded"],
        average=mean(values),
        standard_error=find_standard_error(values),
        interval=clipped(find_mean_interval(values)),
    )


def find_by_tag(results: Sequence[CaseResult]) -> dict[str, Figures]:
    """The figures of the cases that bear each tag, tags in alphabetical order."""
    groups: dict[str, list[CaseResult]] = {}
    for one in results:
        for tag in dict.fromkeys(one.tags):
            groups.setdefault(tag, []).append(one)
    return {tag: find_figures(groups[tag]) for tag in sorted(groups)}


@dataclass(frozen=True, slots=True)
class PartFigures:
    """What the criteria of one tag came to, over the cases that have such criteria."""

    cases: int
    average: float
    standard_error: float | None


def find_by_criterion(results: Sequence[CaseResult]) -> dict[str, PartFigures]:
    """Figures of parts of cases, by the tag of their criteria (`axis:accuracy`)."""
    values: dict[str, list[float]] = {}
    for one in results:
        for tag, value in one.grade.by_tag.items():
            values.setdefault(tag, []).append(value)
    return {
        tag: PartFigures(
            len(values[tag]), mean(values[tag]) or 0.0, find_standard_error(values[tag])
        )
        for tag in sorted(values)
    }


def mean(values: Sequence[float]) -> float | None:
    """The mean, put between 0 and 1; None of nothing."""
    if not values:
        return None
    return min(1.0, max(0.0, sum(values) / len(values)))


def clipped(interval: Interval | None) -> Interval | None:
    if interval is None:
        return None
    return Interval(max(0.0, interval.low), min(1.0, interval.high))


def find_troubles(results: Iterable[CaseResult]) -> dict[str, int]:
    """How many cases are ungraded, by whose fault that is."""
    counts = Counter(one.trouble for one in results if one.trouble is not None)
    return dict(sorted(counts.items()))


@dataclass(frozen=True, slots=True)
class Spending:
    """What one part of a run used."""

    usage: Usage
    cases: int
    """Cases whose usage is known."""
    unknown: int
    """Cases of which nobody knows it."""


def find_spending(results: Sequence[CaseResult]) -> Mapping[str, Spending]:
    """What targets, played users and judges used; a part that nobody took is not named."""
    found = {}
    for part in ("target", "user", "judge"):
        total, cases, unknown = Usage(cost_usd=Decimal(0)), 0, 0
        for one in results:
            usage = getattr(one, f"{part}_usage")
            if usage is not None:
                total, cases = add_usage(total, usage), cases + 1
            elif part == "target" and one.dialogue.replies:
                unknown += 1
        if cases or unknown:
            found[part] = Spending(total, cases, unknown)
    return found


def find_cost(results: Sequence[CaseResult]) -> Decimal | None:
    """All of it together; None as soon as one part has no known price."""
    costs = [one.cost_usd for one in results]
    if any(cost is None for cost in costs):
        return None
    return sum((cost for cost in costs if cost is not None), Decimal(0))
