"""The end of a run that somebody asked for on an issue: report, archive, answer.

Each step finds what an earlier attempt has done, so that ending twice ends once.
"""

import asyncio
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import structlog

from jobs.answers import answer, refuse
from jobs.datasets.finishing import Finisher
from jobs.datasets.live import LiveState
from jobs.datasets.opening import opened_again
from jobs.datasets.plan import RunPlan
from jobs.datasets.progress import render_ended
from jobs.datasets.report import safe_name
from jobs.datasets.request_world import DatasetRequestWorld
from jobs.datasets.run_state import ChunkEnd, RunState, divide
from jobs.datasets.summary import render_markdown
from jobs.errors import Gone, Transient, UserError
from jobs.keeping import request_folder
from jobs.late import put_off
from jobs.living_comment import comment_tag
from jobs.reporting import escape
from jobs.requests import Request
from jobs.sessions.bundle import EARLIEST
from jobs.sessions.workspace import remove_tree

MARKS: dict[LiveState, str] = {
    "complete": "✅",
    "cancelled": "🛑",
    "out_of_money": "💸",
    "failed": "❌",
}
_WORST: tuple[LiveState, ...] = ("failed", "cancelled", "out_of_money", "complete")

log = structlog.get_logger(__name__)


async def end_if_all_ended(
    request: Request, plan: RunPlan, world: DatasetRequestWorld, *, last_try: bool
) -> None:
    """End a run once every chunk of it has ended; only one worker does so at a time.

    Raises `Transient` where it is worth doing again; on the last try the answer is put off.
    """
    state = RunState(world.keeping.blobs, plan.run_id)
    chunks = len(divide(plan, await state.get_workers()).ids)
    ended = f"{request_folder(request)}/ended"
    if None in await state.find_ends(chunks):
        return
    async with world.place.ledger.hold(f"dataset:{plan.run_id}"):
        if await world.keeping.blobs.exists(ended):
            return
        ends = [end for end in await state.find_ends(chunks) if end is not None]
        try:
            await _end(request, plan, ends, world)
        except UserError as refusal:  # the operator's file has changed meanwhile
            await refuse(request, str(refusal), world.place)
            await world.live.set_state(plan.run_id, "failed")
        except Transient as trouble:
            if not last_try or not await put_off(request, str(trouble), world.place):
                raise
            return
        await world.keeping.blobs.put(ended, b"")


async def _end(
    request: Request, plan: RunPlan, ends: Sequence[ChunkEnd], world: DatasetRequestWorld
) -> None:
    """Write the report, keep it, and tell whoever asked."""
    place, state = world.place, find_state(ends)
    scratch = place.runs.scratch / f"dataset-{uuid4().hex[:12]}"
    try:
        path = scratch / "report.json"
        async with opened_again(plan, world) as (ready, _):
            summary = await Finisher(ready, world.keeping, place.runs.clock).finish(path, state)
        archive = await _upload(plan, path, world) if request.issue else ""
    finally:
        await asyncio.to_thread(remove_tree, scratch)
    page = _describe_page(plan, place.runs.settings.public_url)
    body = render_answer(plan, state, summary, ends, f"{archive}{page}".strip())
    await _tell(request, plan, state, body, world)
    with suppress(Transient):
        await world.live.set_state(plan.run_id, state)


def find_state(ends: Sequence[ChunkEnd]) -> LiveState:
    """How a run ended whose chunks ended so."""
    states = {end.state for end in ends}
    return next(state for state in _WORST if state in states)


def render_answer(
    plan: RunPlan,
    state: LiveState,
    summary: dict[str, Any],
    ends: Sequence[ChunkEnd],
    places: str,
) -> str:
    """The last comment: what was found first, then all that a reader must know.

    `places` says where the rest can be read.
    """
    reasons = dict.fromkeys(end.reason for end in ends if end.reason)
    quoted = [f"> {escape.message(escape.clip(reason, 1_000))}\n" for reason in reasons]
    lines = [
        f"## {MARKS[state]} {render_markdown(summary).removeprefix('### ').rstrip()}\n",
        *quoted,
        f"{places} Asked by {escape.inline(plan.asker, 60)}; run {escape.code(plan.run_id)}.\n",
    ]
    return "\n".join(lines)


def _describe_page(plan: RunPlan, public_url: str) -> str:
    """Where every case can be looked at, if the bot's pages are reached from outside."""
    if not public_url:
        return ""
    return f" [Its page]({escape.address(f'{public_url}/tasks/{plan.run_id}')})."


async def _tell(
    request: Request, plan: RunPlan, state: LiveState, body: str, world: DatasetRequestWorld
) -> None:
    github = world.place.github
    try:
        await answer(request, body, world.place, good=state == "complete")
        if comment := await RunState(world.keeping.blobs, plan.run_id).get_comment():
            await github.edit_comment(comment, render_ended(plan, state), tag=comment_tag(request))
            await github.minimise(comment)
    except Gone as gone:
        log.info("nowhere_to_answer", key=request.key, reason=str(gone))


async def _upload(plan: RunPlan, report: Path, world: DatasetRequestWorld) -> str:
    """A sentence about where the whole report is."""
    place = world.place
    kept = (await place.github.repo_file()).archive
    if kept == "off":
        return "This repository keeps no archive."
    stem = safe_name(f"{plan.benchmark}-{plan.dataset}")
    name = f"dataset-{stem}-{plan.run_id}.zip"
    path = report.with_name(name)
    await asyncio.to_thread(_pack, report, path)
    await place.runs.blobs.put(f"archives/{name}", path)
    if kept == "blob":
        return f"The report with all dialogues lies with the operator of this bot, as `{name}`."
    try:
        url = await place.github.upload(f"{plan.started_at:%Y-%m}", name, path)
    except (UserError, Gone, Transient) as error:
        log.warning("archive_not_uploaded", run=plan.run_id, problem=str(error))
        return f"GitHub did not take the archive; the operator of this bot has a copy, `{name}`."
    return f"[The report with all dialogues]({escape.address(url)})."


def _pack(report: Path, target: Path) -> None:
    entry = zipfile.ZipInfo("report.json", EARLIEST)
    entry.compress_type = zipfile.ZIP_DEFLATED
    with (
        zipfile.ZipFile(target, "w") as archive,
        archive.open(entry, "w", force_zip64=True) as packed,
        report.open("rb") as content,
    ):
        while piece := content.read(1 << 20):
            packed.write(piece)
