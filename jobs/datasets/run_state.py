"""What the workers that share a run tell each other, in the blob store: nothing is lost there.

Parts of a run are chunks of its cases. A chunk that has ended says how; the run has ended once
all of them have.
"""

import asyncio
import json
from dataclasses import dataclass

from jobs.datasets.keeping import FOLDER
from jobs.datasets.live import LiveState
from jobs.datasets.plan import RunPlan
from jobs.keeping import request_folder
from jobs.ports import BlobStore
from jobs.requests import LONGEST_KEY, Request, Value

CHUNK_CASES = 50
"""Cases that one worker takes at a time: an hour's work at most, and other repositories come
in between."""


class ChunkEnd(Value):
    """How a chunk ended."""

    state: LiveState
    reason: str = ""
    """A sentence for the report, where it is not complete."""


class ChunkBegun(Value):
    """A chunk as it was begun last."""

    times: int = 0
    """How often by a worker that was not told to leave, since one of its cases has ended."""
    ended: int = 0
    """Its cases that had ended by then."""
    key: str = ""
    """Of the request that carries it out now; empty: of the one that it was asked for with."""


@dataclass(frozen=True, slots=True)
class Chunks:
    """How a run is divided."""

    ids: tuple[tuple[str, ...], ...]
    parallel: int
    """Cases in flight in each; 0: as many as the provider lets through."""


def divide(plan: RunPlan, workers: int) -> Chunks:
    """Divide a run among `workers` chunks at a time, so that all keep to its one limit.

    Where fewer cases may be in flight than there are workers, there are so many chunks.
    """
    cases = plan.cases
    if plan.parallel and plan.parallel < workers:
        size = -(-len(cases) // plan.parallel)
    else:
        size = CHUNK_CASES
    ids = tuple(cases[first : first + size] for first in range(0, len(cases), size))
    at_once = min(len(ids), workers)
    return Chunks(ids, max(1, plan.parallel // at_once) if plan.parallel else 0)


@dataclass(frozen=True, slots=True)
class RunState:
    """The notes of one run. Raises `Transient` where the store fails."""

    blobs: BlobStore
    run_id: str

    async def put_request(self, request: Request, workers: int) -> None:
        """Who asked, and how many share the work: it divides the run, so it must not change."""
        await self.blobs.put(self._key("workers"), str(workers).encode())
        await self.blobs.put(self._key("request.json"), request.model_dump_json().encode())

    async def get_request(self) -> Request | None:
        stored = await self.blobs.get(self._key("request.json"))
        return Request.model_validate_json(stored) if stored else None

    async def get_workers(self) -> int:
        return int(await self.blobs.get(self._key("workers")) or 1)

    async def put_comment(self, comment_id: int) -> None:
        await self.blobs.put(self._key("comment"), str(comment_id).encode())

    async def get_comment(self) -> int:
        """The living comment; 0 where there is none yet."""
        return int(await self.blobs.get(self._key("comment")) or 0)

    async def cancel(self, by: str) -> None:
        """Note who cancelled the run; the first one is kept."""
        if await self.get_cancelled() is None:
            await self.blobs.put(self._key("cancelled"), by.encode())

    async def get_cancelled(self) -> str | None:
        stored = await self.blobs.get(self._key("cancelled"))
        return stored.decode() if stored is not None else None

    async def end_chunk(self, number: int, end: ChunkEnd) -> None:
        await self.blobs.put(self._key(f"chunks/{number}"), end.model_dump_json().encode())

    async def find_ends(self, chunks: int) -> list[ChunkEnd | None]:
        """How each chunk ended; None for one that has not."""
        keys = [self._key(f"chunks/{number}") for number in range(chunks)]
        stored = await asyncio.gather(*(self.blobs.get(key) for key in keys))
        return [ChunkEnd.model_validate_json(one) if one else None for one in stored]

    async def has_ended(self, number: int) -> bool:
        return await self.blobs.exists(self._key(f"chunks/{number}"))

    async def get_begun(self, number: int) -> ChunkBegun:
        stored = await self.blobs.get(self._key(f"begun/{number}.json"))
        return ChunkBegun.model_validate_json(stored) if stored else ChunkBegun()

    async def put_begun(self, number: int, begun: ChunkBegun) -> None:
        await self.blobs.put(self._key(f"begun/{number}.json"), begun.model_dump_json().encode())

    async def reopen(self, chunks: int) -> None:
        """Forget that a run was cancelled, and how its chunks ended: it goes on."""
        await self.blobs.delete(self._key("cancelled"))
        for number in range(chunks):
            await self.blobs.delete(self._key(f"chunks/{number}"))
            await self.blobs.delete(self._key(f"begun/{number}.json"))

    async def put_suite(self, content: bytes) -> None:
        """Keep the suite's files, so that every worker reads the same."""
        await self.blobs.put(self._key("suite.zip"), content)

    async def get_suite(self) -> bytes | None:
        """The suite's files; None where it lies in the operator's folder."""
        return await self.blobs.get(self._key("suite.zip"))

    def _key(self, name: str) -> str:
        return f"{FOLDER}/{self.run_id}/{name}"


def chunk_key(asked: Request, run_id: str, number: int, *, ended: int = 0) -> str:
    """The key of the request for a chunk; with `ended`, of the one that goes on from there."""
    own = f":{run_id}-{number}{f'-{ended}' if ended else ''}"
    return f"{asked.key[: LONGEST_KEY - len(own)]}{own}"


async def keep_run_of(request: Request, run_id: str, blobs: BlobStore) -> None:
    """Note which run a request has planned, where every kind notes it."""
    planned = {"request": request.model_dump(mode="json"), "runs": [{"run_id": run_id}]}
    await blobs.put(f"{request_folder(request)}/plan.json", json.dumps(planned).encode())
