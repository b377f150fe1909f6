"""What was seen: whether a skill fired for a query, once for each session.

A session that broke saw nothing, and nothing is not "did not fire": it is counted as missing
and takes part in no rate.
"""

from typing import Literal

from jobs.requests import Value
from jobs.triggering.defaults import THRESHOLD
from jobs.triggering.eval_set import Query
from jobs.values import Usage

QueryVerdict = Literal["pass", "fail", "missing"]


class Observation(Value):
    """One session's answer to one query."""

    query_id: str
    number: int
    """Which repetition, from 1."""
    fired: bool | None
    """Whether this skill was used; None: the session broke, so that nobody can say."""
    others: tuple[str, ...] = ()
    """Other skills that were used instead or as well."""
    detail: str = ""
    """Why nothing was seen, in one sentence that is safe to show."""
    usage: Usage = Usage()
    wall_s: float = 0.0
    served_models: tuple[str, ...] = ()
    launcher_version: str = ""


class QueryResult(Value):
    """All observations of one query."""

    query: Query
    observations: tuple[Observation, ...]
    threshold: float = THRESHOLD

    @property
    def seen(self) -> int:
        """Sessions in which it could be seen whether the skill fired."""
        return sum(one.fired is not None for one in self.observations)

    @property
    def fired(self) -> int:
        """Sessions in which the skill fired."""
        return sum(one.fired is True for one in self.observations)

    @property
    def rate(self) -> float | None:
        """Fraction of the sessions seen in which the skill fired; None if none was seen."""
        return self.fired / self.seen if self.seen else None

    @property
    def predicted(self) -> bool | None:
        """Whether the skill counts as fired: at least `threshold` of the sessions seen."""
        return None if self.rate is None else self.rate >= self.threshold

    @property
    def verdict(self) -> QueryVerdict:
        """Whether the skill did what it should for this query."""
        if self.predicted is None:
            return "missing"
        return "pass" if self.predicted is self.query.should_trigger else "fail"

    @property
    def others(self) -> dict[str, int]:
        """Other skills that fired, with the number of sessions, most often first."""
        counts: dict[str, int] = {}
        for name in (name for one in self.observations for name in one.others):
            counts[name] = counts.get(name, 0) + 1
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
