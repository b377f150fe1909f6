"""The queue of requests with the way off it, as dispatch takes it.

Which requests a command or a label takes back is decided here; how that is done stands in
`bot.cancels`.
"""

from collections.abc import Awaitable, Collection
from typing import cast

import structlog
from redis.asyncio import Redis

from bot.cancels import Cancels, read_asking
from bot.queues import JOB_KEY, REMEMBER, RequestQueue
from handlers.decisions import CancelRequests
from handlers.events import Event, IssueCommented
from jobs.cancelling import Cancelled
from jobs.keeping import find_planned, request_folder
from jobs.ports import BlobStore
from jobs.pull_requests.plan import is_child
from jobs.requests import Request, Value

Said = tuple[float, int]
"""Seconds since 1970, as GitHub tells them, and the id of a comment."""

log = structlog.get_logger(__name__)


class TakenBack(Value):
    """The latest command of an issue that took something back, and when it was said."""

    said: Said
    by: str
    asker: str | None
    """Only requests of this person; None: of anybody."""


def find_said(event: Event) -> Said | None:
    """When a command was said, and in which comment: what tells the order of two of them."""
    if not isinstance(event, IssueCommented):
        return None
    return (event.changed_at or event.created_at).timestamp(), event.comment_id


class CancellableQueue(RequestQueue):
    """The queue of requests, with the way off it, for an event that was `said` at some time.

    Events of one issue take turns, but not in the order in which they came: a command may be
    taken back before it is looked at. Then it is put on the queue, and taken off at once.
    """

    def __init__(
        self, redis: Redis, said: Said | None = None, *, blobs: BlobStore | None = None
    ) -> None:
        """`blobs` tell which runs a request holds; without them no run can be named."""
        super().__init__(redis)
        self._blobs = blobs
        self._cancels = Cancels(redis)
        self._said = said

    async def enqueue(self, request: Request, *, delivery: str) -> bool:
        """Put a request on the queue; False where it is there, or was, and may not come again."""
        is_new = await super().enqueue(request, delivery=delivery)
        if is_new and request.origin == "comment" and self._said is not None:
            await self._take_back(request, self._said)
        return is_new

    async def _take_back(self, request: Request, said: Said) -> None:
        stored = await self._redis.get(_taken_back(request.repo.full_name, request.issue))
        later = TakenBack.model_validate_json(stored) if stored else None
        if later is None or said >= later.said or later.asker not in {None, request.asker}:
            return
        job_id = f"request:{request.key}"
        if read := read_asking(job_id, await self._redis.get(JOB_KEY + job_id)):
            log.info("taken_back_before", key=request.key, by=later.by)
            await self._cancels.cancel(read[0], request, Cancelled(by=later.by))

    async def cancel(self, decision: CancelRequests) -> int:
        """Cancel the requests that a decision means.

        Gives how many those were; of one that names runs, for how many of these.
        """
        cancelled = Cancelled(by=decision.by, by_label=decision.origin == "label")
        found: list[str] = []
        if self._said is not None and not decision.runs:
            later = TakenBack(said=self._said, by=decision.by, asker=decision.asker)
            key = _taken_back(decision.repo.full_name, decision.issue)
            await self._redis.set(key, later.model_dump_json(), ex=REMEMBER)
        waiting = await self._cancels.find_waiting(decision.repo.full_name, decision.issue)
        for reference, request in waiting:
            # a part of a comparison is asked for by it, which a label may have asked for
            by_label = is_child(request) and request.label and decision.origin == "label"
            is_meant = by_label or decision.origin in {None, request.origin}
            is_theirs = decision.asker in {None, request.asker}
            if not (is_meant and is_theirs) or self._is_later(request):
                continue
            held = await self._held(request, decision.runs) if decision.runs else [reference]
            if held and await self._cancels.cancel(reference, request, cancelled):
                found += held
        if decision.comment_id is None:
            return len(found)
        # a second look at the same comment finds nothing waiting, and has cancelled all the same
        key = f"skillbench:cancelled_by:{decision.repo.full_name}:{decision.comment_id}"
        if found:
            await cast("Awaitable[int]", self._redis.sadd(key, *found))
            await self._redis.expire(key, REMEMBER)
        return await cast("Awaitable[int]", self._redis.scard(key))

    async def _held(self, request: Request, runs: Collection[str]) -> list[str]:
        """Those of the runs that a request has planned; one that only waits has none yet."""
        if self._blobs is None:
            return []
        planned = await find_planned(request_folder(request), self._blobs)
        return [one.run_id for one in planned.runs if one.run_id in runs] if planned else []

    def _is_later(self, request: Request) -> bool:
        """Whether it was asked for after this was said: a cancel that is delivered once more."""
        if self._said is None or request.origin != "comment" or request.comment_id is None:
            return False
        return (request.asked_at.timestamp(), request.comment_id) > self._said

    async def is_being_cancelled(self, request: Request) -> bool:
        """Whether the asking with this key that is on the queue was cancelled."""
        job_id = f"request:{request.key}"
        read = read_asking(job_id, await self._redis.get(JOB_KEY + job_id))
        return read is not None and await self._cancels.find(read[0]) is not None


def _taken_back(repository: str, issue: int) -> str:
    return f"skillbench:taken_back:{repository.casefold()}#{issue}"
