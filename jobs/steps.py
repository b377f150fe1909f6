"""The steps of a run that cost money: their names, their shares, and what all of them cost.

In each trial two sessions, and two readings by each judge. What an attempt at a step has spent is
known where it ended or was stopped in good order; where it was lost with its worker, its whole
share is counted.
"""

from collections.abc import Collection, Iterable
from decimal import Decimal
from typing import NamedTuple

from config.settings import Settings
from jobs.judging.judges import judges_of
from jobs.keeping import Lost, count_lost, settle
from jobs.left_over import find_carried
from jobs.reading_keys import key_of, reading_keys
from jobs.results import RunResult
from jobs.scoring import Judged
from jobs.sessions.run_limits import judge_limits, session_limits
from jobs.values import Arm, RunSpec
from jobs.world import RunWorld


class SessionKey(NamedTuple):
    """Which session of a run."""

    arm: Arm
    trial: int

    @property
    def step(self) -> str:
        """The name under which the session is begun and kept."""
        return f"{self.arm}-{self.trial}"

    @property
    def bundle(self) -> str:
        """The file name of its bundle."""
        return f"{self.step}.zip"


def stored_at(key: SessionKey, spec: RunSpec) -> str:
    """Where a finished session's bundle is kept."""
    return f"runs/{spec.run_id}/{key.bundle}"


def session_keys(spec: RunSpec) -> tuple[SessionKey, ...]:
    """Every session of a run, trial after trial."""
    return tuple(SessionKey(arm, trial) for trial in trial_numbers(spec) for arm in spec.arms)


def trial_numbers(spec: RunSpec) -> range:
    """The numbers of a run's trials, from 1."""
    return range(1, spec.trials + 1)


def get_shares(settings: Settings, spec: RunSpec) -> dict[str, Decimal]:
    """The steps of a run that cost money, each with the most it may cost."""
    sessions = dict.fromkeys(
        (key.step for key in session_keys(spec)), session_limits(settings, spec.shares).cost_usd
    )
    return sessions | get_reading_shares(settings, spec)


def get_reading_shares(settings: Settings, spec: RunSpec) -> dict[str, Decimal]:
    """The same of the judge's readings alone."""
    steps = (key.step for key in reading_keys(spec, trial_numbers(spec)))
    limits = judge_limits(settings, spec.shares, len(judges_of(spec)))
    return dict.fromkeys(steps, limits.cost_usd)


def get_ended_steps(sessions: Collection[SessionKey], judged: Iterable[Judged]) -> set[str]:
    """The steps that came to an end: of these sessions, and of these readings."""
    steps = {key.step for key in sessions}
    for one in judged:
        steps |= {key_of(reading).step for reading in one.passes}
        steps |= {key_of(reading).step for reading in one.lost}
    return steps


async def find_losses(ended: Collection[str], spec: RunSpec, world: RunWorld) -> Lost:
    """The attempts at a run's steps that came to no end; the steps in `ended` did in the end."""
    return await count_lost(get_shares(world.settings, spec), ended, spec, world)


def render_losses(lost: Lost) -> tuple[str, ...]:
    """A remark for the report, where something was lost."""
    text = (
        f"{lost.attempts} of this run's sessions and readings were begun and ended with their "
        "worker, and what they cost is not in the figures above. Up to "
        f"{lost.usd:.2f} USD are counted for them."
    )
    return (text,) if lost.attempts else ()


async def settle_ended(result: RunResult, world: RunWorld) -> None:
    """Settle what a run has spent itself: not what it found paid for."""
    spec = result.spec
    keys = [SessionKey(session.arm, session.trial) for session in result.sessions]
    carried = [await find_carried(key.step, spec, world) for key in keys]
    spent = result.known_cost_usd + result.lost_usd - sum(carried, Decimal(0))
    await settle(spec, spent, get_shares(world.settings, spec), world)


async def settle_stopped(spec: RunSpec, world: RunWorld) -> None:
    """Settle a run that comes to no end, by what its sessions and readings have spent."""
    shares = get_shares(world.settings, spec)
    spent = await count_lost(shares, (), spec, world)
    await settle(spec, spent.usd, shares, world)
