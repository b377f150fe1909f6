"""Benchmarks on pull requests: which of them is an asking, which a part of one, and how it ended.

A part is measured as any other benchmark, with the head's skill and the rules of the default
branch; its report stands on the pull request. One that has not begun when the head moves on, or
the pull request is closed, is not begun.
"""

from collections.abc import Sequence

import structlog

from jobs import benchmark
from jobs.answers import said_key
from jobs.keeping import request_folder
from jobs.late import late_key
from jobs.planning.dedup import record_key
from jobs.planning.plan import Plan
from jobs.pull_requests import comparing
from jobs.pull_requests.plan import (
    PullPlan,
    RowEnd,
    RunEnd,
    State,
    find_family,
    is_child,
    keep_end,
)
from jobs.pull_requests.showing import show
from jobs.pushes import following
from jobs.reporting import escape
from jobs.reporting.arm_words import get_scores
from jobs.requests import Request
from jobs.results import RunRecord
from jobs.values import RunSpec
from jobs.world import World

log = structlog.get_logger(__name__)


async def carry_out(request: Request, world: World, *, last_try: bool) -> None:
    """Carry out a benchmark: of a pull request as one of its kind, else as a push's or a person's.

    Raises `Transient` where it is worth carrying out again and `last_try` is False.
    """
    if is_child(request):
        await _carry_out_child(request, world, last_try=last_try)
    elif request.is_pull_request:
        await comparing.carry_out(request, world, last_try=last_try)
    else:
        await following.carry_out(request, world, last_try=last_try)


async def note_cancelled(request: Request, world: World) -> None:
    """Tell the comparison that somebody took a part of it back, if it is one."""
    plan = await find_family(request, world.runs.blobs)
    if plan is not None:
        await _note(request, plan, world, otherwise="cancelled")


async def _carry_out_child(request: Request, world: World, *, last_try: bool) -> None:
    plan = await find_family(request, world.runs.blobs)
    if plan is None:
        log.warning("pull_request_plan_gone", key=request.key)
        return
    if await _is_superseded(request, world):
        log.info("request_superseded", key=request.key)
        await _note(request, plan, world, otherwise="superseded")
        return
    await benchmark.carry_out(request, world, last_try=last_try)
    if not await world.runs.blobs.exists(late_key(request)):  # it comes again where it is
        await _note(request, plan, world, otherwise="refused")


async def _is_superseded(request: Request, world: World) -> bool:
    if await world.runs.blobs.exists(f"{request_folder(request)}/plan.json"):
        return False  # it has begun, and is paid for
    pull = await world.github.pull_request(request.issue)
    return pull.head != request.head or not pull.is_open


async def _note(request: Request, plan: PullPlan, world: World, *, otherwise: State) -> None:
    """Keep what became of the part, and show the whole."""
    blobs = world.runs.blobs
    stored = await blobs.get(f"{request_folder(request)}/plan.json")
    said = await blobs.get(said_key(request))
    made = Plan.model_validate_json(stored) if stored else None
    runs = await _ends_of(made, world, otherwise) if made else []
    reason = _reason(made, said.decode() if said else "") if otherwise == "refused" else ""
    is_whole = bool(runs) and not (made and made.refused)
    end = RowEnd(runs=tuple(runs), state=otherwise, reason="" if is_whole else reason)
    await keep_end(plan, request.key, end, blobs)
    await show(plan, world)


async def _ends_of(made: Plan, world: World, otherwise: State) -> list[RunEnd]:
    records = await world.ledger.records(made.request.repo.full_name)
    ends = [await _end_of(spec, records, world, otherwise) for spec in made.runs]
    for duplicate in made.duplicates:
        record = next((one for one in records if one.run == duplicate.run), None)
        counts = record is None or not record.canary_passed
        ends.append(
            RunEnd(
                model=duplicate.spec.model.sent,
                state="done" if counts else "unsound",
                scores=get_scores(duplicate.score) if counts else None,
                url=duplicate.url,
                is_known=True,
            )
        )
    return ends


async def _end_of(
    spec: RunSpec, records: Sequence[RunRecord], world: World, otherwise: State
) -> RunEnd:
    record = next((one for one in records if one.run == spec.run_id), None)
    if record is None:  # another request's run of the same has answered for it
        record = await world.ledger.find(record_key(spec))
    if record is None:
        return RunEnd(model=spec.model.sent, state=otherwise)
    scores = None if record.canary_passed else get_scores(record.score)
    return RunEnd(
        model=spec.model.sent,
        state="unsound" if record.canary_passed else "done" if scores else "ungraded",
        scores=scores,
        url=record.url,
        is_known=record.run != spec.run_id,
    )


def _reason(made: Plan | None, said: str) -> str:
    refused = made.refused if made else ()
    words = [f"{escape.inline(one.title, 200)}: {escape.message(one.reason)}" for one in refused]
    return "\n\n".join(words) or said or "It could not be carried out."
