"""Which run goes on for a dedup key, so that its twin can carry on what a lost worker left.

Two requests can wait for the same run. If the worker that has begun it dies, the hold on it
may come to the other request first; it then carries on that very run instead of beginning one
of its own, so that no session is paid twice and no second report appears. Nothing here decides
who may run: that is the hold's.
"""

import hashlib
from datetime import datetime, timedelta

from pydantic import ValidationError

from jobs.planning.dedup import record_key
from jobs.requests import Value
from jobs.values import RunSpec
from jobs.world import RunWorld

KEPT = timedelta(days=1)
"""Far longer than a twin waits; a run that was cancelled, or given up, is nobody's for longer."""


class _UnderWay(Value):
    spec: RunSpec
    since: datetime


async def record_under_way(spec: RunSpec, world: RunWorld) -> None:
    """Note that this is the run that goes on for its dedup key."""
    noted = _UnderWay(spec=spec, since=world.clock())
    await world.blobs.put(_key(spec), noted.model_dump_json().encode())


async def find_under_way(spec: RunSpec, world: RunWorld) -> RunSpec | None:
    """Another run with the dedup key of `spec` that was begun and has not ended; or None."""
    stored = await world.blobs.get(_key(spec))
    if stored is None:
        return None
    try:
        noted = _UnderWay.model_validate_json(stored)
    except ValidationError:  # by another version of this program
        return None
    is_ours = noted.spec.run_id == spec.run_id
    return None if is_ours or world.clock() - noted.since > KEPT else noted.spec


async def forget_under_way(spec: RunSpec, world: RunWorld) -> None:
    """The run has ended, however; one that is carried on later is noted anew."""
    await world.blobs.delete(_key(spec))


def _key(spec: RunSpec) -> str:
    return f"under-way/{hashlib.sha256(record_key(spec).encode()).hexdigest()}.json"
