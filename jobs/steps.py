"""The steps of a run that cost money: their names, their shares, and what all of them cost.

Two sessions and two readings. What an attempt at a step has spent is known where it ended
or was stopped in good order; where it was lost with its worker, its whole share is counted.
"""

from collections.abc import Collection
from decimal import Decimal

from config.settings import Settings
from jobs.keeping import Lost, count_lost, settle
from jobs.left_over import find_carried
from jobs.results import RunResult
from jobs.scoring import PASSES, Judged, pass_step
from jobs.sessions.run_limits import judge_limits, session_limits
from jobs.values import Arm, RunSpec
from jobs.world import RunWorld

TRIAL = 1


def arm_step(arm: Arm) -> str:
    """The name under which a session is begun and kept."""
    return f"{arm}-{TRIAL}"


def get_shares(settings: Settings) -> dict[str, Decimal]:
    """The steps of a run that cost money, each with the most it may cost."""
    session, reading = session_limits(settings).cost_usd, judge_limits(settings).cost_usd
    sessions = dict.fromkeys(map(arm_step, Arm), session)
    return sessions | dict.fromkeys(map(pass_step, PASSES), reading)


async def find_losses(
    arms: Collection[Arm], judged: Judged, spec: RunSpec, world: RunWorld
) -> Lost:
    """The attempts at a run's steps that came to no end."""
    read = {one.number for one in judged.passes} | {one.number for one in judged.lost}
    ended = {*map(arm_step, arms), *map(pass_step, read)}
    return await count_lost(get_shares(world.settings), ended, spec, world)


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
    carried = [await find_carried(arm_step(arm), result.spec, world) for arm in Arm]
    spent = result.known_cost_usd + result.lost_usd - sum(carried, Decimal(0))
    await settle(result.spec, spent, get_shares(world.settings), world)


async def settle_stopped(spec: RunSpec, world: RunWorld) -> None:
    """Settle a run that comes to no end, by what its sessions and readings have spent."""
    shares = get_shares(world.settings)
    spent = await count_lost(shares, (), spec, world)
    await settle(spec, spent.usd, shares, world)
