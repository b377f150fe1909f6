"""Writes the manifest of a run before its first session, and finds it again.

The first one is kept: whoever carries the run on after a crash finds it, and what has changed
in the world since then is told from it.
"""

from collections.abc import Mapping
from pathlib import Path

from jobs.health.conditions import find_changes
from jobs.health.manifest import (
    NO_SKILL,
    NOTHING_WRITTEN,
    Conditions,
    Expected,
    ExpectedReading,
    ExpectedSession,
    Manifest,
    ReadingConditions,
)
from jobs.judging.judges import judged_by, judges_of
from jobs.judging.prompt import PROMPT_VERSION
from jobs.reading_keys import PASSES
from jobs.sessions.prepared import Prepared, Proven
from jobs.sessions.run_limits import judge_limits, session_limits
from jobs.steps import session_keys, stored_at, trial_numbers
from jobs.values import RunSpec
from jobs.world import RunWorld


async def expect(
    spec: RunSpec, prepared: Prepared, reusable: Mapping[int, str], folder: Path, world: RunWorld
) -> Expected:
    """What the run is held against, written down now where nobody has begun it.

    Tries the environment first, unless no session is left to run; `folder` is for that. Raises
    what the launcher's `prove` does.
    """
    manifest = await find_manifest(spec, world)
    stored = [await world.blobs.exists(stored_at(key, spec)) for key in session_keys(spec)]
    if manifest is None and any(stored):
        return NOTHING_WRITTEN  # an older program began it, and noted less of its sessions
    if manifest is not None and all(stored):
        return Expected(manifest=manifest)
    proven = await world.launchers.get(spec.launcher).prove(prepared, folder)
    conditions = find_conditions(spec, prepared, proven, world)
    if manifest is None:
        manifest = await write_manifest(spec, conditions, reusable, world)
    changes = [
        *find_changes(manifest.conditions, conditions),
        *find_changes(manifest.judging, find_reading_conditions(spec, world)),
    ]
    return Expected(manifest=manifest, changes=changes)


async def find_manifest(spec: RunSpec, world: RunWorld) -> Manifest | None:
    """What was expected when the run began; None where it has not, or an older program began it."""
    stored = await world.blobs.get(_key(spec))
    return None if stored is None else Manifest.model_validate_json(stored)


async def write_manifest(
    spec: RunSpec, conditions: Conditions, reusable: Mapping[int, str], world: RunWorld
) -> Manifest:
    """Write down what a run is to consist of, and keep it.

    `reusable` is, by trial, the run whose kept session may stand in for the arm without a skill.
    """
    sessions = []
    for order, key in enumerate(session_keys(spec), start=1):
        skill = spec.skill_of(key.arm)
        sessions.append(
            ExpectedSession(
                order=order,
                trial=key.trial,
                arm=key.arm,
                skill_sha=skill.sha if skill else NO_SKILL,
                may_reuse="" if skill else reusable.get(key.trial, ""),
            )
        )
    # a panel is to read in each order as one judge is; whether it stands is for it to settle
    pairs = [(trial, number) for trial in trial_numbers(spec) for number in PASSES]
    manifest = Manifest(
        run=spec.run_id,
        written_at=world.clock(),
        conditions=conditions,
        judging=find_reading_conditions(spec, world),
        sessions=tuple(sessions),
        readings=tuple(
            ExpectedReading(order=order, trial=trial, number=number)
            for order, (trial, number) in enumerate(pairs, start=1)
        ),
    )
    await world.blobs.put(_key(spec), manifest.model_dump_json().encode())
    return manifest


def find_conditions(
    spec: RunSpec, prepared: Prepared, proven: Proven, world: RunWorld
) -> Conditions:
    """What every session of the run will meet, if the world stays as it is now."""
    return Conditions(
        launcher=spec.launcher,
        launcher_version=proven.launcher_version,
        mode=spec.mode,
        model=spec.model.sent,
        tools=tuple(sorted(world.launchers.get(spec.launcher).tools(spec.mode))),
        limits=session_limits(world.settings, spec.shares),
        memory_mb=proven.memory_mb,
        sandbox=proven.sandbox,
        environment=proven.environment,
        hosts=prepared.hosts,
    )


def find_reading_conditions(spec: RunSpec, world: RunWorld) -> ReadingConditions:
    """What every reading of the judge will meet."""
    return ReadingConditions(
        judge=judged_by(spec),
        limits=judge_limits(world.settings, spec.shares, len(judges_of(spec))),
        prompt_version=PROMPT_VERSION,
    )


def _key(spec: RunSpec) -> str:
    return f"runs/{spec.run_id}/manifest.json"
