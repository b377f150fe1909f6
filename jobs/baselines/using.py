"""Kept sessions in a run's place: chosen before it begins, held against what its own arm met.

The choice is stored with the run, so that whoever carries it on makes the same one. A kept session
is taken only after the session with the skill has run, and only where both met the same world in
fact; else a new one runs, and the report says why.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from jobs.baselines.kept import KeptSession, find_kept
from jobs.matched import find_baseline_mismatch
from jobs.requests import Value
from jobs.sessions.bundle import OUTPUT, TRANSCRIPT, read_bundle, write_bundle
from jobs.steps import SessionKey, stored_at, trial_numbers
from jobs.values import Limits, RunSpec, SessionResult
from jobs.world import RunWorld


class _Chosen(Value):
    trial: int
    kept: KeptSession


class _Choice(Value):
    chosen: tuple[_Chosen, ...] = ()


async def choose(spec: RunSpec, limits: Limits, world: RunWorld) -> Mapping[int, KeptSession]:
    """The kept session for each trial that has one; none is in two trials.

    Trials that have a session of their own already need none.
    """
    key = f"runs/{spec.run_id}/baseline.json"
    stored = await world.blobs.get(key)
    if stored is not None:
        choice = _Choice.model_validate_json(stored)
    else:
        kept = await find_kept(spec, limits, world)
        lacking = [
            number
            for number in trial_numbers(spec)
            if not await world.blobs.exists(stored_at(SessionKey(spec.arms[1], number), spec))
        ]
        pairs = zip(lacking, kept, strict=False)
        choice = _Choice(chosen=tuple(_Chosen(trial=number, kept=one) for number, one in pairs))
        await world.blobs.put(key, choice.model_dump_json().encode())
    return {one.trial: one.kept for one in choice.chosen}


async def take(  # noqa: PLR0913, PLR0917 -- two sessions, a run, and where to put the one
    kept: KeptSession,
    key: SessionKey,
    met: SessionResult,
    spec: RunSpec,
    folder: Path,
    world: RunWorld,
) -> bool:
    """Put a kept session in the place of one of the run's own; False where it does not fit.

    `met` is the session that it is compared with, `folder` where this run may write.
    """
    content = await world.blobs.get(kept.key)
    if content is None:
        await _note_refusal("it is not kept any more.", kept, key, spec, world)
        return False
    unpacked = folder / f"{key.step}-kept"
    session = await asyncio.to_thread(read_bundle, content, unpacked)
    if reason := find_baseline_mismatch(spec, session, met):
        await _note_refusal(reason, kept, key, spec, world)
        return False
    ours = session.model_copy(update={"trial": key.trial, "reused_from": kept.run})
    bundle = folder / f"{key.step}-reused.zip"
    await asyncio.to_thread(write_bundle, bundle, ours, unpacked / TRANSCRIPT, unpacked / OUTPUT)
    await world.blobs.put(stored_at(key, spec), bundle)
    return True


async def render_refusals(spec: RunSpec, world: RunWorld) -> tuple[str, ...]:
    """A remark on each kept session that did not fit, for the report."""
    noted = [
        await world.blobs.get(_refusal_key(SessionKey(spec.arms[1], number), spec))
        for number in trial_numbers(spec)
    ]
    return tuple(text.decode() for text in noted if text is not None)


async def _note_refusal(
    reason: str, kept: KeptSession, key: SessionKey, spec: RunSpec, world: RunWorld
) -> None:
    which = f" of trial {key.trial}" if spec.trials > 1 else ""
    text = (
        f"The session without the skill{which} ran anew: that of run {kept.run} could not be "
        f"used again, since {reason}"
    )
    await world.blobs.put(_refusal_key(key, spec), text.encode())


def _refusal_key(key: SessionKey, spec: RunSpec) -> str:
    return f"runs/{spec.run_id}/{key.step}.refused"
