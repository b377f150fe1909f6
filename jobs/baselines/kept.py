"""Sessions without a skill, kept for whoever compares a skill with none under the same conditions.

What such a session does depends on no skill. Its bundle lies under a digest of all that is known
of its conditions before it runs: repository, eval case with its inputs, what the session is told,
model as sent, launcher, mode, environment, limits, memory, sandbox, and the version of this
program. What a session only finds out as it runs (the model that answered, the launcher's version,
its tools, the environment's identity) is compared once the other arm has run; see `take`.

The list of a folder is written without a lock. Two runs that end in one moment may leave only the
sessions of one behind: that costs a session later on, and nothing else.
"""

import asyncio
import hashlib
import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from importlib.metadata import version
from pathlib import Path

from jobs.ports import BlobStore
from jobs.requests import Value
from jobs.sessions.task import SYSTEM, render_task
from jobs.values import Limits, RunSpec, SessionEnd, SessionResult
from jobs.world import RunWorld

BASELINES = "baselines"
"""Where they lie in the blob store."""
MOST_KEPT = 20
"""Sessions under one set of conditions; as many as a run can have trials."""
_LIST = "kept.json"


class KeptSession(Value):
    """A session without a skill that may be used again."""

    key: str
    """Where its bundle lies. It ends in the bundle's digest, so that a session which two runs have
    come by is one."""
    run: str
    """Id of the run that it was run for."""
    ended_at: datetime
    until: datetime
    """How long its own repository lets it be used again, as its file said when it ended."""


class _Kept(Value):
    sessions: tuple[KeptSession, ...] = ()


def uses_baselines(spec: RunSpec) -> bool:
    """Whether a run keeps its sessions without a skill, and may use kept ones."""
    return spec.vs == "none" and spec.baseline_days > 0


async def keep(
    spec: RunSpec,
    ended: Iterable[tuple[SessionResult, Path]],
    limits: Limits,
    world: RunWorld,
) -> None:
    """Keep those of a run's sessions, each with its bundle, that others may use; twice is once."""
    if not uses_baselines(spec):
        return
    folder = _folder(spec, limits, world)
    added = []
    for session, bundle in ended:
        if session.arm is not spec.arms[1] or not _is_sound(session):
            continue
        ended_at = session.started_at + timedelta(seconds=session.wall_s)
        one = KeptSession(
            key=f"{folder}/{await asyncio.to_thread(_digest, bundle)}.zip",
            run=spec.run_id,
            ended_at=ended_at,
            until=ended_at + timedelta(days=spec.baseline_days),
        )
        await world.blobs.put(one.key, bundle)
        added.append(one)
    if not added:
        return
    before = await _read(folder, world.blobs)
    by_key = {one.key: one for one in (*before, *added)}
    newest = sorted(by_key.values(), key=lambda one: one.ended_at, reverse=True)
    kept = _Kept(sessions=tuple(newest[:MOST_KEPT]))
    await world.blobs.put(f"{folder}/{_LIST}", kept.model_dump_json().encode())


async def find_kept(spec: RunSpec, limits: Limits, world: RunWorld) -> list[KeptSession]:
    """The sessions that a run may use in place of its own, the newest first.

    Chosen by their age alone, never by how they came out; at most one for each trial.
    """
    if spec.fresh or not uses_baselines(spec):
        return []
    folder = _folder(spec, limits, world)
    oldest = world.clock() - timedelta(days=spec.baseline_days)
    found: list[KeptSession] = []
    for one in await _read(folder, world.blobs):
        if len(found) == spec.trials:
            break
        if one.ended_at >= oldest and await world.blobs.exists(one.key):
            found.append(one)
    return found


async def find_needed(folder: str, now: datetime, blobs: BlobStore) -> frozenset[str]:
    """The keys in one folder of `BASELINES` that somebody may still ask for."""
    keys = {one.key for one in await _read(folder, blobs) if one.until >= now}
    return frozenset(keys | {f"{folder}/{_LIST}"} if keys else ())


async def _read(folder: str, blobs: BlobStore) -> tuple[KeptSession, ...]:
    stored = await blobs.get(f"{folder}/{_LIST}")
    return () if stored is None else _Kept.model_validate_json(stored).sessions


def _is_sound(session: SessionResult) -> bool:
    """Whether it ended by the agent's own doing, and not because its money was used up."""
    return (
        session.scored
        and session.end is not SessionEnd.MAX_COST
        and not session.reused_from
        and not session.skill_loaded
    )


def _folder(spec: RunSpec, limits: Limits, world: RunWorld) -> str:
    """Where the sessions under these conditions lie; one repository never meets another's."""
    case, settings = spec.eval_case, world.settings
    conditions = {
        "repository": spec.repo.full_name.casefold(),
        "eval_case": [case.id, case.digest],
        "inputs": [[file.alias, file.sha256] for file in case.inputs],
        "told": [SYSTEM, render_task(case, None)],
        "model": spec.model.sent,
        "launcher": spec.launcher,
        "mode": spec.mode,
        "environment": spec.environment,
        "limits": limits.model_dump(mode="json"),
        "memory_mb": settings.session_memory_mb,
        "sandbox": settings.sandbox,
        "image": settings.docker_image if settings.sandbox == "docker" else "",
        "program": version("skillbench"),
    }
    canonical = json.dumps(conditions, sort_keys=True, ensure_ascii=False)
    return f"{BASELINES}/{hashlib.sha256(canonical.encode('utf-8', 'replace')).hexdigest()}"


def _digest(bundle: Path) -> str:
    with bundle.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
