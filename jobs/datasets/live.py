"""How far a run of a dataset has come, for whoever looks on: a page, a comment, a command.

It is a courtesy: the truth is what is stored of each case. A run goes on where it cannot be told,
and an emptied memory is filled again by whoever carries the run on.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Literal, Protocol

from jobs.datasets.cases import DatasetCase
from jobs.datasets.dialogue import Dialogue
from jobs.datasets.grades import Outcome
from jobs.datasets.plan import RunPlan
from jobs.datasets.results import CaseResult
from jobs.errors import Transient
from jobs.ports import Clock
from jobs.requests import Value

LiveState = Literal["waiting", "running", "complete", "cancelled", "out_of_money", "failed"]
"""`out_of_money`: the limit was reached before the cases were through."""
ENDED: frozenset[LiveState] = frozenset({"complete", "cancelled", "out_of_money", "failed"})


class LiveCase(Value):
    """A case in flight."""

    id: str
    turn: int
    """What was said so far: 1 is the user's first turn, 0 is before it."""
    since: datetime


class CaseEnd(Value):
    """How a case ended, in short."""

    id: str
    outcome: Outcome
    score: float | None
    """As it goes into a mean; None where it is ungraded."""
    cost_usd: Decimal
    """The part of it whose price is known."""
    is_cost_known: bool = True
    """Whether that is all of it."""


class LiveRun(Value):
    """A run as it stands."""

    run_id: str
    benchmark: str
    dataset: str
    target_type: str
    asker: str
    started_at: datetime
    went_on_at: datetime | None = None
    """When it was resumed the last time; else when it began. None where that is not known."""
    state: LiveState
    total: int
    """Cases that were selected."""
    done: int
    done_before: int = 0
    """Those of `done` that had ended by `went_on_at`."""
    graded: int
    passed: int = 0
    failed: int = 0
    ungraded: int
    average: float | None
    """Mean score of the graded cases so far; None while there is none."""
    cost_usd: Decimal
    """What is known of it."""
    unpriced: int = 0
    """Cases that have cost more than is known."""
    in_flight: tuple[LiveCase, ...] = ()


class LiveChange(Value):
    """What a follower is told; `look` gives the whole."""

    kind: Literal["began", "turned", "ended", "state"]
    case: LiveCase | None = None
    """Of `began` and `turned`."""
    end: CaseEnd | None = None
    """Of `ended`."""
    state: LiveState | None = None
    """Of `state`."""


class LiveRuns(Protocol):
    """The runs of all processes. Raises `Transient` where what remembers them is away."""

    async def begin(self, plan: RunPlan, state: LiveState = "running") -> None:
        """Show a run; one that is shown already keeps what it has."""

    async def began(self, run_id: str, case: LiveCase) -> None: ...
    async def turned(self, run_id: str, case: LiveCase) -> None: ...
    async def ended(self, run_id: str, end: CaseEnd) -> None:
        """A case has ended; the same case twice is counted once."""

    async def set_state(self, run_id: str, state: LiveState) -> None:
        """Say how the run stands; ended ones have no case in flight."""

    async def look(self, run_id: str) -> LiveRun | None:
        """A run as it stands; None where it is not remembered."""

    async def newest(self, most: int = 50) -> Sequence[LiveRun]:
        """The runs that began last, newest first, without their cases in flight."""

    def follow(self, run_id: str) -> AsyncIterator[LiveChange]:
        """Every change from now on, until the run has ended; nothing is polled.

        The first tells how the run stands: whoever looks after it misses nothing.
        """

    async def cancel(self, run_id: str, by: str) -> None:
        """Ask every worker to stop; the first asking names who did."""

    async def find_cancelled(self, run_id: str) -> str | None:
        """Who cancelled a run; None where nobody has."""

    async def reopen(self, run_id: str, now: datetime) -> None:
        """A run that has ended goes on now: it is not cancelled any more."""


@dataclass(frozen=True, slots=True)
class LiveWatcher:
    """Tells of one run's cases; implements `jobs.datasets.running.Watcher`."""

    live: LiveRuns
    run_id: str
    clock: Clock

    async def began(self, case: DatasetCase) -> None:
        with suppress(Transient):
            await self.live.began(self.run_id, LiveCase(id=case.id, turn=0, since=self.clock()))

    async def turned(self, case_id: str, dialogue: Dialogue) -> None:
        case = LiveCase(id=case_id, turn=len(dialogue.turns), since=self.clock())
        with suppress(Transient):
            await self.live.turned(self.run_id, case)

    async def ended(self, result: CaseResult) -> None:
        with suppress(Transient):
            await self.live.ended(self.run_id, end_of(result))


def end_of(result: CaseResult) -> CaseEnd:
    """What is told of a case that has ended."""
    return CaseEnd(
        id=result.id,
        outcome=result.grade.outcome,
        score=result.grade.averaged,
        cost_usd=result.known_cost_usd,
        is_cost_known=result.cost_usd is not None,
    )
