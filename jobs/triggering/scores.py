"""One number each for what a description is good at: precision, recall, accuracy, F1.

Counted over queries, each decided by its threshold; a query of which nothing was seen is in
no count but its own. A ratio over nothing is unknown, never zero and never one.
"""

from collections.abc import Sequence
from decimal import Decimal
from functools import reduce

from jobs.judging.reading import add_usage
from jobs.requests import Value
from jobs.triggering.observations import QueryResult
from jobs.values import Usage


class Scores(Value):
    """The confusion matrix over queries and what follows from it."""

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int
    missing: int
    """Queries of which no session could be seen."""

    @property
    def decided(self) -> int:
        return self.passed + self.false_positives + self.false_negatives

    @property
    def passed(self) -> int:
        return self.true_positives + self.true_negatives

    @property
    def precision(self) -> float | None:
        """Of the queries for which the skill fired, the fraction for which it should."""
        return _ratio(self.true_positives, self.true_positives + self.false_positives)

    @property
    def recall(self) -> float | None:
        """Of the queries for which it should fire, the fraction for which it did."""
        return _ratio(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def accuracy(self) -> float | None:
        return _ratio(self.passed, self.decided)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall, as 2 TP / (2 TP + FP + FN)."""
        return _ratio(
            2 * self.true_positives,
            2 * self.true_positives + self.false_positives + self.false_negatives,
        )


def score_queries(results: Sequence[QueryResult]) -> Scores:
    """Count how the queries came out."""
    cells = [(result.query.should_trigger, result.predicted) for result in results]
    return Scores(
        true_positives=cells.count((True, True)),
        false_positives=cells.count((False, True)),
        false_negatives=cells.count((True, False)),
        true_negatives=cells.count((False, False)),
        missing=sum(predicted is None for _, predicted in cells),
    )


def sum_usage(results: Sequence[QueryResult]) -> Usage:
    """Tokens and money of all sessions; the cost is None as soon as one has no known price."""
    usages = (one.usage for result in results for one in result.observations)
    return reduce(add_usage, usages, Usage(cost_usd=Decimal(0)))


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
