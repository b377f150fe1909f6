"""Finished sessions of runs that came to no end, found by whoever asks for the same again.

A run belongs to one asking. Where it was cancelled or given up, its finished sessions are
paid for and belong to nobody; the next run that would do the very same takes them over
instead of paying again. Nothing of a run that has ended is ever taken over: what it found
has been said.
"""

import hashlib
from decimal import Decimal

from jobs.requests import Value
from jobs.values import Limits, RunSpec
from jobs.world import RunWorld

_OF_THE_ASKING = {
    "run_id", "asker", "asked_at", "issue", "commit", "skill_commit", "other_commit", "vs_asked",
    "canaries", "guesser",
}  # fmt: skip
"""What tells two askings for the same run apart; the content of a commit is in the digests, and
canaries and the guesser change nothing about sessions."""


class LeftOver(Value):
    """Where a finished session lies, and what it cost."""

    run_id: str
    usd: Decimal


async def offer(step: str, spec: RunSpec, limits: Limits, usd: Decimal, world: RunWorld) -> None:
    """Note that a step is finished, in case its run never is."""
    left = LeftOver(run_id=spec.run_id, usd=usd)
    await world.blobs.put(_left_key(step, spec, limits, world), left.model_dump_json().encode())


async def withdraw(step: str, spec: RunSpec, limits: Limits, world: RunWorld) -> None:
    """The run of a finished step has ended."""
    await world.blobs.delete(_left_key(step, spec, limits, world))


async def adopt(step: str, name: str, spec: RunSpec, limits: Limits, world: RunWorld) -> None:
    """Take over what another run left of a step, if it left something; `name` is its file."""
    stored = await world.blobs.get(_left_key(step, spec, limits, world))
    if stored is None:
        return
    left = LeftOver.model_validate_json(stored)
    bundle = await world.blobs.get(f"runs/{left.run_id}/{name}")
    if left.run_id == spec.run_id or bundle is None:
        return
    await world.blobs.put(_carried_key(step, spec), str(left.usd).encode())
    await world.blobs.put(f"runs/{spec.run_id}/{name}", bundle)
    await offer(step, spec, limits, Decimal(0), world)


async def find_carried(step: str, spec: RunSpec, world: RunWorld) -> Decimal:
    """What a step cost that this run has taken over: paid for by another run."""
    return Decimal((await world.blobs.get(_carried_key(step, spec)) or b"0").decode())


def _carried_key(step: str, spec: RunSpec) -> str:
    return f"runs/{spec.run_id}/{step}.carried"


def _left_key(step: str, spec: RunSpec, limits: Limits, world: RunWorld) -> str:
    # a session that had other memory would make the run void
    memory_mb = world.settings.session_memory_mb
    same = f"{spec.model_dump_json(exclude=_OF_THE_ASKING)}{limits.model_dump_json()}{memory_mb}"
    return f"left/{hashlib.sha256(same.encode()).hexdigest()}/{step}"
