"""What a run keeps in the blob store, so that an attempt after it pays for nothing twice.

A run that has ended is kept whole, with or without a score: what is left of it then is
publishing, and that costs nothing however often it fails. Of a step that was begun and left
nothing, only the beginning is known; its money is counted as gone. A step that three workers
were lost with is not begun again: whatever ends it would end it once more. A worker that was
told to leave is none of these, since it notes what the step had spent.
"""

import asyncio
import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path

from pydantic import BaseModel

from jobs.errors import Error
from jobs.ports import BlobStore
from jobs.requests import Request
from jobs.results import RunResult
from jobs.values import RunSpec
from jobs.world import RunWorld

MOST_LOST = 3
"""Beginnings of a step that ended with their worker; more would pay for what takes it down."""
MOST_BEGINNINGS = 10
"""Of a step in all: deployments may interrupt it now and then, and not for ever."""


class GivenUp(Error):  # noqa: N818 -- reads as the outcome it is
    """A step was begun as often as may be and never ended; the message is safe to show."""


@dataclass(frozen=True, slots=True)
class Lost:
    """Attempts that ended with their worker, and the most they can have cost."""

    attempts: int
    usd: Decimal


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

    Where it began before and is begun again, what it had spent is gone: as much is set aside
    once more for the day. Raises `OverBudget` where that is too much, and `GivenUp` where
    `MOST_LOST` workers were lost with it, or it was begun `MOST_BEGINNINGS` times.
    """
    before = await _count_beginnings(step, spec, world)
    told = [await _is_told(step, number, spec, world) for number in range(1, before + 1)]
    if told.count(False) >= MOST_LOST or before >= MOST_BEGINNINGS:
        raise GivenUp(
            f"its step {step} was begun {before} times and never ended: each time the worker "
            "that ran it was stopped or lost. It is not begun again, so that it costs no more"
        )
    if before:
        gone = await _find_spent(step, before, spec, usd, world)
        await world.budget.reserve(_set_aside(spec, step, before), spec.repo, gone)
    await world.blobs.put(_key(spec, f"{step}.begun"), str(before + 1).encode())


async def has_begun(step: str, spec: RunSpec, world: RunWorld) -> bool:
    """Whether an attempt at the run has begun a step."""
    return await _count_beginnings(step, spec, world) > 0


async def note_spent(step: str, spec: RunSpec, usd: Decimal, world: RunWorld) -> None:
    """Note what a step had spent when it was stopped, or has spent in all."""
    number = await _count_beginnings(step, spec, world)
    await world.blobs.put(_key(spec, f"{step}-{number}.usd"), str(usd).encode())


async def count_lost(
    shares: Mapping[str, Decimal], ended: Collection[str], spec: RunSpec, world: RunWorld
) -> Lost:
    """What was lost of a run with these steps and their shares, of which some have `ended`."""
    attempts, usd = 0, Decimal(0)
    for step, share in shares.items():
        lost = max(await _count_beginnings(step, spec, world) - (step in ended), 0)
        attempts += lost
        for number in range(1, lost + 1):
            usd += await _find_spent(step, number, spec, share, world)
    return Lost(attempts, usd)


async def _is_told(step: str, number: int, spec: RunSpec, world: RunWorld) -> bool:
    """Whether it is known what an attempt had spent, so that it was stopped in good order."""
    return await world.blobs.exists(_key(spec, f"{step}-{number}.usd"))


async def _find_spent(
    step: str, number: int, spec: RunSpec, share: Decimal, world: RunWorld
) -> Decimal:
    """What an attempt had spent; its whole share where it was lost with its worker."""
    noted = await world.blobs.get(_key(spec, f"{step}-{number}.usd"))
    return share if noted is None else Decimal(noted.decode())


async def settle(spec: RunSpec, usd: Decimal, steps: Iterable[str], world: RunWorld) -> None:
    """Settle a run with the sum over its attempts: what is known, and what lost ones may cost."""
    await world.budget.settle(spec.run_id, usd)
    for step in steps:
        for number in range(1, await _count_beginnings(step, spec, world)):
            await world.budget.settle(_set_aside(spec, step, number), Decimal(0))


async def _count_beginnings(step: str, spec: RunSpec, world: RunWorld) -> int:
    return int(await world.blobs.get(_key(spec, f"{step}.begun")) or 0)


def _set_aside(spec: RunSpec, step: str, number: int) -> str:
    """The name under which the day's money for one lost attempt is set aside."""
    return f"{spec.run_id}-{step}-{number}"


class PlannedRun(BaseModel):
    """What every kind of run has."""

    run_id: str


class Planned(BaseModel):
    """What every kind of plan says; the rest is its kind's own."""

    request: Request
    runs: tuple[PlannedRun, ...]


async def find_planned(folder: str, blobs: BlobStore) -> Planned | None:
    """What was planned for a request with this folder; None where nothing is kept."""
    stored = await blobs.get(f"{folder}/plan.json")
    return None if stored is None else Planned.model_validate_json(stored)


async def note_begun(request: Request, at: datetime, blobs: BlobStore) -> None:
    """Keep when a request was begun first; who carries it on changes nothing."""
    key = f"{request_folder(request)}/begun"
    if not await blobs.exists(key):
        await blobs.put(key, at.isoformat().encode())


async def find_begun(request: Request, blobs: BlobStore) -> datetime | None:
    """When a request was begun; None where it has not, or nobody has kept it."""
    stored = await blobs.get(f"{request_folder(request)}/begun")
    return datetime.fromisoformat(stored.decode()) if stored else None


def found_key(run_id: str) -> str:
    """Where a measurement of a description, or a judging, keeps what it found once it has ended."""
    return f"runs/{run_id}/found.json"


def request_folder(request: Request) -> str:
    """Where a request keeps its plan, and that it has ended."""
    return asking_folder(request.key, request.asked_at)


def asking_folder(key: str, asked_at: datetime) -> str:
    """The same by key and time: a label that is put on again asks anew."""
    asking = f"{key}|{asked_at.isoformat()}"
    return f"requests/{hashlib.sha256(asking.encode()).hexdigest()}"


def _key(spec: RunSpec, name: str) -> str:
    return f"runs/{spec.run_id}/{name}"
