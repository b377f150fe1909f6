"""What can be seen of a run while it goes on: its state, and what each session has done so far.

Told to whoever looks on, and to nobody else: nothing is decided by it, and losing it loses
nothing. Counts and names of tools are told, no text of a session. Who is told must never keep a
session waiting, so nothing here waits.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from typing import Literal, Protocol

from jobs.errors import Gone, Transient, UserError
from jobs.requests import Value
from jobs.values import Arm, RunSpec, Usage

LiveState = Literal[
    "preparing", "running", "judging", "publishing",
    "ended", "failed", "refused", "cancelled", "stopped",
]  # fmt: skip
"""`stopped`: its worker has left it, and another carries it on, or it turns out to be cancelled."""
OVER: frozenset[LiveState] = frozenset({"ended", "failed", "refused", "cancelled", "stopped"})


class LiveSession(Value):
    """A session as far as it has come: one of an arm, or a reading of the judge."""

    step: str
    """Its name within the run, such as `with_skill-1` or `pass-2`."""
    trial: int
    arm: Arm | None = None
    """None: a reading."""
    reading: int = 0
    """Which of the judge's two orders; 0: it is an arm's."""
    judge: str = ""
    """Model that reads; empty in an arm's session."""
    started_at: datetime
    ended_at: datetime | None = None
    end: str = ""
    """How it ended, in the word of the record; empty while it goes on."""
    turns: int = 0
    most_turns: int = 0
    """Its limit; 0: not told."""
    tools: Mapping[str, int] = {}
    """Calls by the name of the tool, in the order of their first use."""
    failed_tool_calls: int = 0
    retries: int = 0
    usage: Usage = Usage(cost_usd=Decimal(0))
    doing: str = ""
    """The tool that is running; empty: the model is being waited for."""
    is_reused: bool = False
    """Whether it is a kept session of another run."""

    @property
    def tool_calls(self) -> int:
        return sum(self.tools.values())


class LiveHead(Value):
    """What does not change while a run goes on."""

    run: str
    repo: str
    """`owner/name`."""
    issue: int
    asker: str
    skill: str
    """Path of its folder."""
    eval_id: str
    model: str
    """As it was sent."""
    launcher: str
    judges: tuple[str, ...]
    arms: tuple[Arm, Arm]
    trials: int
    """The most of them, where they are added until it is sure."""
    until_sure: bool = False
    started_at: datetime
    """When the worker that has it began; what earlier ones had finished is not done again."""

    @classmethod
    def of(cls, spec: RunSpec, at: datetime) -> "LiveHead":
        return cls(
            run=spec.run_id,
            repo=spec.repo.full_name,
            issue=spec.issue,
            asker=spec.asker,
            skill=spec.skill.path,
            eval_id=spec.eval_case.id,
            model=spec.model.sent,
            launcher=spec.launcher,
            judges=tuple(judge.sent for judge in (spec.judge, *spec.other_judges)),
            arms=spec.arms,
            trials=spec.trials,
            until_sure=spec.until_sure == "trials",
            started_at=at,
        )


class LiveMove(Value):
    """Where a run has come to."""

    state: LiveState
    detail: str = ""
    """Half a sentence, such as `trial 2 of 3`."""
    at: datetime


class RunNow(Value):
    """A run as it stands, or as it stood when it ended."""

    head: LiveHead
    move: LiveMove
    sessions: tuple[LiveSession, ...] = ()
    """By trial; arms before readings."""
    is_held: bool
    """Whether a worker has been heard of lately that carries it out."""
    version: str
    """Differs whenever anything else does."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more is told of it, as far as is known now."""
        return self.move.state in OVER

    @property
    def cost_usd(self) -> Decimal | None:
        """What its sessions and readings have cost so far; None: a price is not known.

        Of a kept session of another run nothing is counted.
        """
        costs = [one.usage.cost_usd for one in self.sessions if not one.is_reused]
        known = [cost for cost in costs if cost is not None]
        return sum(known, Decimal(0)) if len(known) == len(costs) else None

    @property
    def turns(self) -> int:
        return sum(one.turns for one in self.sessions if one.arm)

    @property
    def tokens(self) -> int:
        return sum(one.usage.total_tokens for one in self.sessions if not one.is_reused)


class LiveSessions(Protocol):
    """Is told how runs go on. Nothing here waits or raises."""

    def begin(self, head: LiveHead, /) -> None:
        """A run is carried out here from now on; what was told of it before is forgotten."""

    def move(self, run: str, move: LiveMove, /) -> None:
        """A run has come to another state; one in `OVER` is the last word from here."""

    def show(self, run: str, session: LiveSession, /) -> None:
        """A session as far as it has come; of a run that was begun here."""


class Unwatched:
    """Where nobody can look on, as in a run on the command line."""

    def begin(self, _: LiveHead, /) -> None:
        """Nobody is told."""

    def move(self, _: str, __: LiveMove, /) -> None:
        """Nobody is told."""

    def show(self, _: str, __: LiveSession, /) -> None:
        """Nobody is told."""


UNWATCHED: LiveSessions = Unwatched()


def tell_move(
    run: str, state: str, detail: str, live: LiveSessions, clock: Callable[[], datetime]
) -> None:
    """Tell where a run has come to; `state` is one of `LiveState`."""
    move = LiveMove.model_validate({"state": state, "detail": detail, "at": clock()})
    live.move(run, move)


@contextmanager
def told_live(spec: RunSpec, live: LiveSessions, clock: Callable[[], datetime]) -> Iterator[None]:
    """Let a run be seen while the block carries it out; however the block ends is told as well.

    A run that is interrupted has `stopped`. Whoever knows that it was cancelled says so later.
    """

    def move(state: LiveState, detail: str = "") -> None:
        tell_move(spec.run_id, state, detail, live, clock)

    live.begin(LiveHead.of(spec, clock()))
    move("preparing")
    try:
        yield
    except UserError as refusal:  # its text is meant for whoever sees the issue
        move("refused", str(refusal))
        raise
    except (Transient, Gone, asyncio.CancelledError):
        move("stopped")
        raise
    except BaseException:
        move("failed")
        raise
    move("ended")
