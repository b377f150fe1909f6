"""How a request ends on its issue: the last words, the reaction, the labels.

The label that asked goes last: as long as it is there the request has not ended,
and carrying it out again ends it.
"""

import hashlib
from contextlib import suppress

import structlog

from jobs.errors import Gone, IssueMoved, Suspended, Transient
from jobs.failures import LONGEST_REASON, Failure
from jobs.keeping import request_folder
from jobs.labels import done_label
from jobs.living_comment import comment_tag
from jobs.planning.plan import Plan
from jobs.ports import Reaction
from jobs.reporting import escape
from jobs.reporting.progress_comment import ProgressComment
from jobs.reporting.replies import (
    render_failure,
    render_nothing_to_do,
    render_platform_failure,
    render_refusal,
)
from jobs.requests import TOLD_ELSEWHERE, Request
from jobs.world import World

NO_SCORE = "It came to no score; the report says why."

log = structlog.get_logger()


async def refuse(request: Request, reason: str, world: World) -> None:
    """The request cannot be carried out; `reason` is the text of a `UserError`."""
    body = render_refusal(reason, mention=world.runs.settings.mention)
    await _end(request, world, body=body, good=False, reported=False)


async def reply_nothing_to_do(plan: Plan, world: World) -> None:
    """The plan holds no run: all of it was measured before, or cannot be."""
    body = render_nothing_to_do(
        plan.duplicates,
        [(one.title, one.reason) for one in plan.refused],
        mention=world.runs.settings.mention,
        request=plan.request,
        notes=plan.notes,
    )
    good = bool(plan.duplicates) and not plan.refused
    await _end(plan.request, world, body=body, good=good, reported=False)


async def finish(request: Request, state: ProgressComment, world: World) -> None:
    """Every run has ended, and the living comment says how."""
    details = [escape.message(row.detail) for row in state.rows if row.detail]
    if request.origin in TOLD_ELSEWHERE and details:  # it has no such comment
        await world.runs.blobs.put(said_key(request), "\n\n".join(details).encode())
    endings = {row.state for row in state.rows}
    await _note_runs(request, state, world)
    await _end(
        request,
        world,
        good=endings <= {"done", "duplicate", "not_needed"},
        reported=bool(endings & {"done", "empty"}),
    )


async def answer(request: Request, body: str, world: World, *, good: bool) -> None:
    """Say the last words of a request that has no report of its own."""
    await _end(request, world, body=body, good=good, reported=False)


async def react_to_end(request: Request, world: World, *, good: bool) -> None:
    """Every part of a request has ended, and its comments say how."""
    await _end(request, world, good=good, reported=False)


async def say(request: Request, body: str, world: World, *, tag: str) -> str:
    """Say something where the request came from, or where its issue was moved to.

    Gives the comment's address.
    """
    if request.origin == "push":
        return await world.github.comment_on_commit(request.after, body, tag=tag)
    try:
        return (await world.github.comment(request.issue, body, tag=tag)).url
    except IssueMoved as moved:
        there = await world.find_moved(moved) if world.find_moved else None
        if there is None:
            raise
        return (await there.comment(moved.number, body, tag=tag)).url


async def fail(request: Request, world: World, *, last_try: bool, platform: str = "") -> bool:
    """Something broke: of ours, or a `platform` for longer than we wait.

    Raises `Transient` where this could not be said and there is another try to say it; False
    where there is none. Nobody left to be told is no trouble.
    """
    mention = world.runs.settings.mention
    request_id = hashlib.sha256(request.key.encode()).hexdigest()[:12]
    body = (
        render_platform_failure(platform, request_id, mention=mention)
        if platform
        else render_failure(request_id, mention=mention)
    )
    is_told = True
    try:
        await _end(request, world, body=body, good=False, reported=False)
    except (Gone, Transient) as trouble:
        if isinstance(trouble, Transient) and not last_try:
            raise
        log.warning("answer_not_posted", key=request.key, problem=str(trouble))
        is_told = isinstance(trouble, Gone) and not isinstance(trouble, Suspended)
    if is_told:  # else it is carried out once more
        failure = Failure(
            request=request,
            how="platform" if platform else "broke",
            reason=body.partition("\n\n<sub>")[0],
            reference=request_id,
            at=world.runs.clock(),
        )
        await world.failures.note(failure)
    return is_told


async def _note_runs(request: Request, state: ProgressComment, world: World) -> None:
    """Let it be seen on the queue which runs came to no score."""
    for row in state.rows:
        if row.run and row.state in {"failed", "ungraded"}:
            failure = Failure(
                request=request,
                how="broke" if row.state == "failed" else "ungraded",
                reason=escape.clip(escape.message(row.detail), LONGEST_REASON) or NO_SCORE,
                reference=row.run,
                run=row.run,
                title=" · ".join(filter(None, (row.title, row.skill, row.model))),
                at=world.runs.clock(),
            )
            await world.failures.note(failure)


def said_key(request: Request) -> str:
    """Where the last words are kept of a benchmark that is told of in a check run."""
    return f"{request_folder(request)}/said.md"


async def _end(
    request: Request, world: World, *, good: bool, reported: bool, body: str = ""
) -> None:
    tag = f"end:{comment_tag(request)}"
    if request.origin in TOLD_ELSEWHERE:
        if body and request.kind == "benchmark":
            await world.runs.blobs.put(said_key(request), body.encode())
        elif body and request.origin == "push":
            await world.github.comment_on_commit(request.after, body, tag=tag)
        return
    # a schedule asks on no issue, and whoever set it up can ask on one; a page shows what is said
    if not request.issue and request.origin != "web":
        log.info("nobody_to_answer", key=request.key, said=body[:500])
        return
    if body:
        await world.github.comment(request.issue, body, tag=tag)
    reaction: Reaction = "rocket" if good else "confused"
    with suppress(Gone):  # the comment that asked was deleted; the issue is answered all the same
        await world.github.react(request.issue, request.comment_id, reaction)
    await world.github.change_labels(
        request.issue,
        add=[done_label((await world.github.repo_file()).labels)] if reported else [],
        remove=[request.label] if request.origin == "label" else [],
    )
