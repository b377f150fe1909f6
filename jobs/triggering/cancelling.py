"""How a cancelled request to measure descriptions ends: its money settled, one comment says so.

By now none of its sessions runs any more. What had been found is published, for it is paid;
what had only been seen is left to whoever asks for the same. Doing it twice is doing it once.
"""

from contextlib import suppress

import structlog

from jobs.cancelling import Cancelled, end_once
from jobs.carrying_out import open_snapshot
from jobs.errors import Gone
from jobs.living_comment import comment_tag
from jobs.requests import Request
from jobs.triggering.live_page import end_page
from jobs.triggering.plan import Kind, TriggerPlan, TriggerRun
from jobs.triggering.progress import TriggerProgress, make_progress, render_progress
from jobs.triggering.publishing import publish
from jobs.triggering.runner import find_found
from jobs.triggering.spending import read_spent, settle
from jobs.triggering.world import TriggerRequestWorld
from jobs.values import Usage

log = structlog.get_logger()


async def end_cancelled(request: Request, cancelled: Cancelled, world: TriggerRequestWorld) -> None:
    """End a request that was cancelled. Raises `Transient` as GitHub does."""
    await end_once(
        request,
        world.triggers.blobs,
        lambda folder: _end_and_tell(request, cancelled, folder, world),
    )


async def _end_and_tell(
    request: Request, cancelled: Cancelled, folder: str, world: TriggerRequestWorld
) -> None:
    mention = world.triggers.settings.mention
    kind: Kind = "optimize" if request.kind == "optimize" else "trigger"
    state = TriggerProgress(
        kind=kind, asker=request.asker, skill=request.skill or "", mention=mention
    )
    if stored := await world.triggers.blobs.get(f"{folder}/plan.json"):
        plan = TriggerPlan.model_validate_json(stored)
        changes = [await _end_run(run, plan, cancelled, world) for run in plan.runs]
        state = make_progress(plan, mention)
        rows = [row.model_copy(update=one) for row, one in zip(state.rows, changes)]  # noqa: B905 -- other rows follow
        state = state.model_copy(update={"rows": (*rows, *state.rows[len(rows) :])})
    state = state.model_copy(update={"cancelled_by": cancelled.by})
    log.info("request_cancelled", key=request.key, by=cancelled.by)
    github = world.place.github
    await github.comment(request.issue, render_progress(state), tag=comment_tag(request))
    with suppress(Gone):  # the comment that asked was deleted
        await github.react(request.issue, request.comment_id, "confused")


async def _end_run(
    run: TriggerRun, plan: TriggerPlan, cancelled: Cancelled, world: TriggerRequestWorld
) -> dict[str, object]:
    """What became of a measurement: its report, if it had come so far; else it is settled."""
    found = await find_found(run, world)
    if found is not None:
        changes: dict[str, object] = {"state": "done", "page": found.page, **_spent(found.usage)}
        with suppress(Gone):  # so that the others are settled; the comment will find it gone, too
            async with open_snapshot(plan.request, plan.commit, world.place) as snapshot:
                changes["url"] = await publish(found, plan, snapshot, world)
        return changes
    await settle(run, world.triggers, ended=False)
    await world.place.counts.add("runs", "cancelled")
    page = await end_page(run, plan.request.repo, f"Cancelled by {cancelled.by}.", world)
    usage = await read_spent(run, world.triggers)
    return {"state": "cancelled", "page": page, **_spent(usage)}


def _spent(usage: Usage) -> dict[str, object]:
    return {"tokens": usage.total_tokens, "usd": usage.cost_usd}
