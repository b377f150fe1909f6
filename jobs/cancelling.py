"""How a cancelled request ends: what it spent is settled, one comment says so, nothing is lost.

By now none of its sessions runs any more, if any ever did. A run that had come to its end is
published all the same, for it is paid. Doing it twice has the effect of doing it once.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress

import structlog

from jobs.comparison import find_finished
from jobs.errors import Gone
from jobs.keeping import request_folder
from jobs.labels import done_label
from jobs.live_sessions import tell_move
from jobs.living_comment import comment_tag
from jobs.planning.plan import Plan
from jobs.planning.rows import make_progress
from jobs.ports import BlobStore, Reaction
from jobs.publishing import publish_run
from jobs.reporting.progress_comment import ProgressComment, RunRow, render_progress
from jobs.requests import Request, Value
from jobs.run_runner import state_of
from jobs.steps import settle_stopped
from jobs.under_way import forget_under_way
from jobs.values import RunSpec
from jobs.world import World

log = structlog.get_logger()


class Cancelled(Value):
    """Who took a request back, and how."""

    by: str
    """Login."""
    by_label: bool = False
    """By taking the label off; else by a command."""
    comes_back: bool = False
    """Nobody wanted it to end: the installation is suspended, and may serve again."""


async def end_cancelled(request: Request, cancelled: Cancelled, world: World) -> None:
    """End a request that was cancelled. Raises `Transient` as GitHub does."""
    await end_once(
        request, world.runs.blobs, lambda folder: _end_and_tell(request, cancelled, folder, world)
    )


async def end_once(
    request: Request, blobs: BlobStore, end_and_tell: Callable[[str], Awaitable[None]]
) -> None:
    """Let a cancelled request end, unless it has; `end_and_tell` is given its folder.

    Where nobody can be told it has ended all the same: whoever found it unfinished would carry
    it out after all.
    """
    folder = request_folder(request)
    if await blobs.exists(f"{folder}/ended"):
        log.info("ended_before", key=request.key)
        return
    reason = ""
    try:
        await end_and_tell(folder)
    except Gone as gone:
        log.info("nowhere_to_answer", key=request.key, reason=str(gone))
        reason = str(gone)
    await blobs.put(f"{folder}/ended", reason.encode())


async def _end_and_tell(request: Request, cancelled: Cancelled, folder: str, world: World) -> None:
    stored = await world.runs.blobs.get(f"{folder}/plan.json")
    state = ProgressComment(asker=request.asker, rows=(), mention=world.runs.settings.mention)
    if stored:
        plan = Plan.model_validate_json(stored)
        state = make_progress(plan, world.runs.settings)
        rows = [
            await _end_run(row, spec, cancelled, world)
            for row, spec in zip(state.rows, plan.runs)  # noqa: B905 -- other rows follow
        ]
        state = state.model_copy(update={"rows": (*rows, *state.rows[len(rows) :])})
    state = state.model_copy(update={"cancelled_by": cancelled.by})
    log.info("request_cancelled", key=request.key, by=cancelled.by)
    await world.github.comment(request.issue, render_progress(state), tag=comment_tag(request))
    reaction: Reaction = "confused"
    with suppress(Gone):  # the comment that asked was deleted
        await world.github.react(request.issue, request.comment_id, reaction)
    # a label that somebody took off may be back by now, and asks for something new
    has_report = any(row.state == "done" for row in state.rows)
    takes_off = request.origin == "label" and not cancelled.by_label
    await world.github.change_labels(
        request.issue,
        add=[done_label((await world.github.repo_file()).labels)] if has_report else [],
        remove=[request.label] if takes_off else [],
    )


async def _end_run(row: RunRow, spec: RunSpec, cancelled: Cancelled, world: World) -> RunRow:
    """What became of a run: its report, if it had come so far; else its money is settled."""
    finished = await find_finished(spec, world.runs)
    if finished is not None:
        changes: dict[str, object] = {"state": state_of(finished.result)}
        with suppress(Gone):  # so that the others are settled; the comment will find it gone, too
            changes["url"] = (await publish_run(finished, world)).url
        return row.model_copy(update=changes)
    await forget_under_way(spec, world.runs)  # whoever asks for the same now has a run of their own
    await settle_stopped(spec, world.runs)
    await world.counts.add("runs", "cancelled")
    tell_move(spec.run_id, "cancelled", f"by {cancelled.by}", world.runs.live, world.runs.clock)
    return row.model_copy(update={"state": "cancelled"})
