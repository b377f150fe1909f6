"""What carrying out is alike for every kind of request: begun once, answered in any case.

Whatever breaks on the way, whoever asked is told, by this try or another one; what a request
does in between is its kind's own.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from uuid import uuid4

import structlog

from jobs.answers import fail, refuse
from jobs.content.snapshot import Snapshot
from jobs.content.tarball import extract_tarball
from jobs.errors import Gone, Refused, Suspended, Transient, UserError
from jobs.keeping import note_begun, request_folder
from jobs.late import forget_late, has_results, put_off
from jobs.ports import Issue
from jobs.requests import TOLD_ELSEWHERE, Request
from jobs.sessions.workspace import remove_tree
from jobs.world import World

Work = Callable[[], Awaitable[None]]

log = structlog.get_logger()


async def carry_out_answered(work: Work, request: Request, world: World, *, last_try: bool) -> None:
    """Do a request's work and answer whoever asked, also where something breaks.

    Raises `Transient` where it is worth carrying out again and `last_try` is False. What could
    not be told on the last try is kept for later.
    """
    try:
        await _do_or_refuse(work, request, world)
        await forget_late(request, world)
    except Suspended as pause:
        if not await put_off(request, str(pause), world):
            await _end_unanswered(request, pause, world)
    except Gone as gone:
        await _end_unanswered(request, gone, world)
    except Transient as trouble:
        if not last_try:
            raise
        await _fail_or_put_off(request, str(trouble), world)
    except Exception:
        log.exception("request_failed", key=request.key)
        if not await fail(request, world, last_try=last_try):
            await put_off(request, "something of ours broke, and nobody could be told", world)


async def begin(request: Request, world: World) -> bool:
    """Show that a request is seen; False where it has ended before."""
    if await world.runs.blobs.exists(f"{request_folder(request)}/ended"):
        log.info("ended_before", key=request.key)
        return False
    await note_begun(request, world.runs.clock(), world.runs.blobs)
    if request.origin not in TOLD_ELSEWHERE and request.issue:
        await world.github.react(request.issue, request.comment_id, "eyes")
    return True


def refuse_locked(request: Request, issue: Issue) -> None:
    """On a locked issue GitHub takes no report, so none is paid for.

    Raises `Refused` where the check run of a commit can say so, else `Gone`.
    """
    if not issue.is_locked:
        return
    if request.origin in TOLD_ELSEWHERE:
        raise Refused(f"The conversation of #{issue.number} is locked, so it takes no report.")
    raise Gone(f"the conversation of {request.repo.full_name}#{issue.number} is locked")


@asynccontextmanager
async def open_snapshot(request: Request, commit: str, world: World) -> AsyncIterator[Snapshot]:
    """The files of a commit, on disk while the block runs: one download for the request."""
    folder = world.runs.scratch / f"snapshot-{uuid4().hex[:12]}"
    folder.mkdir(parents=True)
    try:
        archive = folder / "commit.tar.gz"
        with nullcontext() if request.origin == "push" else _shown_to_us():
            await world.github.download_tarball(commit, archive)
        root = folder / "tree"
        await asyncio.to_thread(extract_tarball, archive, root)
        yield Snapshot(root, commit, request.repo.name)
    finally:
        await asyncio.to_thread(remove_tree, folder)


async def find_head(world: World) -> str:
    """The newest commit. Raises `Refused` where GitHub does not show it."""
    with _shown_to_us():
        return await world.github.default_commit()


@contextmanager
def _shown_to_us() -> Iterator[None]:
    """Files that GitHub does not show are no reason to say nothing: the issue may be there."""
    try:
        yield
    except Suspended:
        raise
    except Gone as gone:
        log.warning("files_not_shown", reason=str(gone))
        raise Refused(
            "GitHub does not show me the files of this repository. An owner has to grant the App "
            "the permission Contents (read) and accept it for this repository; then ask again."
        ) from gone


async def _end_unanswered(request: Request, gone: Gone, world: World) -> None:
    log.info("nowhere_to_answer", key=request.key, reason=str(gone))
    await world.runs.blobs.put(f"{request_folder(request)}/ended", str(gone).encode())
    await forget_late(request, world)


async def _do_or_refuse(work: Work, request: Request, world: World) -> None:
    try:
        await work()
    except UserError as refusal:
        await refuse(request, str(refusal), world)


async def _fail_or_put_off(request: Request, trouble: str, world: World) -> None:
    """Say that it failed, unless there is a result to say, or nobody to hear it for now."""
    if await has_results(request, world) and await put_off(request, trouble, world):
        return
    if not await fail(request, world, last_try=True, platform=trouble):
        await put_off(request, trouble, world)
