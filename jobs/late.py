"""Requests that GitHub was away for too long to answer: kept, and carried out again later.

What they paid for lies in the blob store, so that doing it again is mostly posting. Kept with
the reason, and with the time before which another try makes no sense. Only so long: what
cannot be posted for weeks is told to nobody any more.
"""

from datetime import datetime, timedelta

import structlog
from pydantic import ValidationError

from jobs.keeping import find_planned, find_result, found_key, request_folder
from jobs.planning.plan import Plan
from jobs.ports import BlobStore
from jobs.requests import Request, Value
from jobs.world import World

LATE = "late"
"""Folder of the blob store."""
FIRST_WAIT = timedelta(minutes=5)
LONGEST_WAIT = timedelta(hours=6)

log = structlog.get_logger(__name__)


class LateRequest(Value):
    """A request that is not answered yet, and why."""

    request: Request
    reason: str
    since: datetime
    tries: int
    """How often it was put off."""
    not_before: datetime


async def put_off(request: Request, reason: str, world: World) -> bool:
    """Keep a request for later; False where it was kept for as long as anything is kept."""
    key = late_key(request)
    before = await read_late(key, world.runs.blobs)
    now = world.runs.clock()
    since = before.since if before else now
    if now - since > timedelta(days=world.runs.settings.keep_days):
        log.error("given_up", key=request.key, since=since.isoformat(), reason=reason)
        await world.runs.blobs.delete(key)
        return False
    tries = before.tries + 1 if before else 1
    late = LateRequest(
        request=request,
        reason=reason,
        since=since,
        tries=tries,
        not_before=now + wait_after(tries),
    )
    await world.runs.blobs.put(key, late.model_dump_json().encode())
    log.warning("put_off", key=request.key, reason=reason, tries=tries)
    return True


async def forget_late(request: Request, world: World) -> None:
    """The request has ended; nothing is left to be done later."""
    await world.runs.blobs.delete(late_key(request))


async def has_results(request: Request, world: World) -> bool:
    """Whether a run of the request has ended, so that something paid for waits to be posted."""
    if request.kind != "benchmark":
        planned = await find_planned(request_folder(request), world.runs.blobs)
        keys = [found_key(run.run_id) for run in planned.runs] if planned else []
        return any([await world.runs.blobs.exists(key) for key in keys])
    stored = await world.runs.blobs.get(f"{request_folder(request)}/plan.json")
    if stored is None:
        return False
    for spec in Plan.model_validate_json(stored).runs:
        if await find_result(spec, world.runs) is not None:
            return True
    return False


async def read_late(key: str, blobs: BlobStore) -> LateRequest | None:
    """What is kept under a key; None where nothing is, or nothing that this version can read."""
    stored = await blobs.get(key)
    try:
        return LateRequest.model_validate_json(stored) if stored else None
    except ValidationError:
        log.warning("late_request_unreadable", key=key)
        return None


def wait_after(tries: int) -> timedelta:
    """How long a request rests that was put off so often."""
    return min(FIRST_WAIT * (1 << min(tries - 1, 10)), LONGEST_WAIT)


def late_key(request: Request) -> str:
    return f"{LATE}/{request_folder(request).partition('/')[2]}.json"
