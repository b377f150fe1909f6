"""Deletes from the blob store what nobody will ask for any more: old plans, results, bundles.

A folder goes as a whole, when nothing in it has changed for so long, and never that of a
request which waits, runs or is kept to be posted. Sessions that are kept to be used again stay as
long as their repository's file lets them. Archives stay: the store holds the only copy of those
that GitHub did not take. One round deletes so many folders at most.
"""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import structlog
from redis.asyncio import Redis

from bot.blobs import Blobs
from bot.queues import list_requests
from jobs.baselines.kept import BASELINES, find_needed
from jobs.keeping import find_planned, request_folder
from jobs.late import LATE, read_late
from jobs.requests import Request

FOLDERS = ("requests", "runs", "left", "pulls", "pushes")
MOST_FOLDERS = 5000
"""Deleted in one round, so that the first one on an old store comes to an end."""
LISTED_WITHIN = timedelta(days=1)
"""Far longer than it takes to list a kept session once its bundle is there."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """The chore."""

    blobs: Blobs
    redis: Redis
    keep: timedelta
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    async def run(self) -> None:
        """Delete what is older than `keep`. Raises `Transient` where the store fails."""
        oldest = self.clock() - self.keep
        needed = await self._find_needed(oldest)
        deleted = 0
        for folder in [folder async for folder in self._find_old(oldest, needed)]:
            deleted += await self._delete(folder, oldest)
        deleted += await self._sweep_baselines()
        if deleted:
            log.info("blobs_swept", folders=deleted, keep_days=self.keep.days)

    async def _find_needed(self, oldest: datetime) -> set[str]:
        """Folders of requests that have not ended, and of their runs."""
        needed: set[str] = set()
        async for request in self._unfinished():
            if request.asked_at > oldest:
                continue  # nothing of it can be that old
            folder = request_folder(request)
            needed.add(folder)
            planned = await find_planned(folder, self.blobs)
            if planned is not None:
                needed |= {f"runs/{run.run_id}" for run in planned.runs}
        return needed

    async def _unfinished(self) -> AsyncIterator[Request]:
        async for request in list_requests(self.redis):
            yield request
        async for blob in self.blobs.walk(LATE):
            if (kept := await read_late(blob.key, self.blobs)) is not None:
                yield kept.request

    async def _find_old(self, oldest: datetime, needed: set[str]) -> AsyncIterator[str]:
        """Folders with something old in them, each once."""
        found: set[str] = set()
        for top in FOLDERS:
            async for blob in self.blobs.walk(top):
                folder = "/".join(blob.key.split("/")[:2])
                if blob.changed_at >= oldest or folder in needed or folder in found:
                    continue
                found.add(folder)
                yield folder
                if len(found) == MOST_FOLDERS:
                    return

    async def _sweep_baselines(self) -> int:
        """Delete kept sessions that nobody may use any more; how many blobs that were."""
        now = self.clock()
        needed: dict[str, frozenset[str]] = {}
        going: list[str] = []
        async for blob in self.blobs.walk(BASELINES):
            folder = blob.key.rpartition("/")[0]
            if folder not in needed:
                needed[folder] = await find_needed(folder, now, self.blobs)
            # one that is young may be about to be listed
            if blob.key not in needed[folder] and blob.changed_at < now - LISTED_WITHIN:
                going.append(blob.key)
            if len(going) == MOST_FOLDERS:
                break
        for key in going:
            await self.blobs.delete(key)
        return len(going)

    async def _delete(self, folder: str, oldest: datetime) -> bool:
        """Delete a folder's blobs, unless one of them is still young."""
        blobs = [blob async for blob in self.blobs.walk(folder)]
        if any(blob.changed_at >= oldest for blob in blobs):
            return False
        for blob in blobs:
            await self.blobs.delete(blob.key)
        return True
