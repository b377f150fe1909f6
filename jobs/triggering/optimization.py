"""What an optimization has found, while it runs and when it has ended.

Choosing the best of several is no evidence: whoever is picked for a high score was lucky as
well. So an improvement is claimed only from sessions that had no part in the choice.
"""

from collections.abc import Sequence
from typing import Self

from jobs.judging.reading import add_usage
from jobs.requests import Value
from jobs.statistics.intervals import Count, find_difference_interval
from jobs.triggering.observations import QueryResult
from jobs.triggering.scores import Scores, score_queries
from jobs.values import Usage


class Iteration(Value):
    """One description, tried on both parts of the set."""

    number: int
    """From 1; the first is the original description."""
    description: str
    train: tuple[QueryResult, ...]
    test: tuple[QueryResult, ...]

    @property
    def train_scores(self) -> Scores:
        return score_queries(self.train)

    @property
    def test_scores(self) -> Scores:
        return score_queries(self.test)

    @property
    def scores(self) -> Scores:
        """Over both parts."""
        return score_queries((*self.train, *self.test))

    @property
    def all_train_passed(self) -> bool:
        """Whether every query to learn from came out right; one that is missing did not."""
        return all(result.verdict == "pass" for result in self.train)


class Proof(Value):
    """The best description against the original, on held-out queries, in fresh sessions."""

    original: tuple[QueryResult, ...]
    best: tuple[QueryResult, ...]

    @property
    def pairs(self) -> tuple[tuple[Count, Count], ...]:
        """Per query seen with both: how often each did what it should, the original first."""
        pairs = zip(self.original, self.best, strict=True)
        return tuple(
            (count_right(before), count_right(after))
            for before, after in pairs
            if before.seen and after.seen
        )

    @property
    def difference(self) -> float | None:
        """How much more often the best one did what it should, as a fraction; None if unseen."""
        found = [
            after.successes / after.trials - before.successes / before.trials
            for before, after in self.pairs
        ]
        return sum(found) / len(found) if found else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Of the difference, at 95 %, for the held-out queries as they are."""
        return find_difference_interval(self.pairs)

    @property
    def is_improvement(self) -> bool:
        """Whether the interval lies above zero."""
        interval = self.interval
        return interval is not None and interval[0] > 0


class Optimization(Value):
    """An optimization as far as it has come."""

    original: str
    iterations: tuple[Iteration, ...] = ()
    exit_reason: str = ""
    """Empty while it runs: `all_passed (iteration 2)`, `max_iterations (5)` and so on."""
    proof: Proof | None = None
    """None as long as it runs, and where the original is the best."""
    usage: Usage = Usage()
    """All sessions and all asking."""
    holdout: float
    train_size: int
    test_size: int
    remarks: tuple[str, ...] = ()

    @property
    def best(self) -> Iteration:
        """By the held-out score, then by the other, then the shorter one, then the earlier."""
        return find_best(self.iterations)

    @property
    def improved(self) -> bool:
        return self.proof is not None and self.proof.is_improvement

    def with_more(self, spent: Usage, remarks: Sequence[str]) -> Self:
        """The same with what was spent around it, and what its reader should know first."""
        usage = add_usage(self.usage, spent)
        return self.model_copy(update={"usage": usage, "remarks": (*remarks, *self.remarks)})

    @property
    def chosen(self) -> str:
        """The description to use: the best one if it is shown to be better, else the original."""
        return self.best.description if self.improved else self.original


def find_best(iterations: Sequence[Iteration]) -> Iteration:
    """The best of several; a query that is missing counts for nobody."""
    return max(
        iterations,
        key=lambda one: (
            one.test_scores.accuracy or 0.0,
            one.train_scores.accuracy or 0.0,
            -len(one.description),
            -one.number,
        ),
    )


def count_right(result: QueryResult) -> Count:
    """In how many of the sessions seen the skill did what it should for a query."""
    fired = result.fired
    return Count(fired if result.query.should_trigger else result.seen - fired, result.seen)
