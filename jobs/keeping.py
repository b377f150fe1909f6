"""What a run keeps in the blob store, so that an attempt after it pays for nothing twice.

A run that has ended is kept whole, with or without a score: what is left of it then is
publishing, and that costs nothing however often it fails. Of a step that was begun and left
nothing, only the beginning is known; its money is counted as gone.
"""

import asyncio
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path

from jobs.results import RunResult
from jobs.values import RunSpec
from jobs.world import RunWorld


async def keep_ended(result: RunResult, files: Mapping[str, Path], world: RunWorld) -> None:
    """Keep a result and the files that publishing needs, the result last."""
    for name, path in files.items():
        if await asyncio.to_thread(path.exists):
            await world.blobs.put(_key(result.spec, f"ended/{name}"), path)
    await world.blobs.put(_key(result.spec, "ended.json"), result.model_dump_json().encode())


async def find_ended(
    spec: RunSpec, names: Iterable[str], folder: Path, world: RunWorld
) -> RunResult | None:
    """The result of a run that ended before, its files put back into `folder`; or None."""
    result = await find_result(spec, world)
    if result is None:
        return None
    for name in names:
        content = await world.blobs.get(_key(spec, f"ended/{name}"))
        if content is not None:
            await asyncio.to_thread((folder / name).write_bytes, content)
    return result


async def find_result(spec: RunSpec, world: RunWorld) -> RunResult | None:
    """The result of a run that ended before, without its files; or None."""
    kept = await world.blobs.get(_key(spec, "ended.json"))
    return None if kept is None else RunResult.model_validate_json(kept)


async def begin(step: str, spec: RunSpec, usd: Decimal, world: RunWorld) -> None:
    """Note that a step begins which may cost `usd`.

    Where it began before and is begun again, a worker was lost with what it had spent: as
    much is set aside once more for the day. Raises `OverBudget` where that is too much.
    """
    key = _key(spec, f"{step}.begun")
    before = int(await world.blobs.get(key) or 0)
    if before:
        await world.budget.reserve(f"{spec.run_id}-{step}-{before}", spec.repo, usd)
    await world.blobs.put(key, str(before + 1).encode())


def _key(spec: RunSpec, name: str) -> str:
    return f"runs/{spec.run_id}/{name}"
