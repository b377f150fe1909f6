"""Carries out `report`: a stored run told once more, in the words of this version.

Costs nothing and finds out nothing: the report's comment is brought up to date, or posted
again where somebody has deleted it.
"""

import asyncio
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

from jobs.again.choosing import find_told
from jobs.again.kept_runs import KeptRun, open_kept_run
from jobs.answers import answer
from jobs.calibration.finding import find_people
from jobs.calibration.people import RunVerdicts
from jobs.carrying_out import begin, carry_out_answered
from jobs.comparison import Finished
from jobs.keeping import request_folder
from jobs.ports import Comment
from jobs.publishing import find_baseline_urls, find_change, make_context, tell_set
from jobs.reporting.rejudged import render_brought_up
from jobs.reporting.report import render_report
from jobs.requests import Request
from jobs.world import World


async def carry_out(request: Request, world: World, *, last_try: bool) -> None:
    """Bring a report up to date and say so; raises `Transient` as all kinds of request do."""
    await carry_out_answered(lambda: _carry_out(request, world), request, world, last_try=last_try)


async def _carry_out(request: Request, world: World) -> None:
    if not await begin(request, world):
        return
    told = await find_told(request, world)
    run = told.record.run
    async with (
        hold_report(run, world),
        open_kept_run(run, request, world) as (kept, _),
    ):
        people = await find_people(kept.result, world, reads_report=True)
        comment = await retell(kept, people, request, world)
    body = render_brought_up(run, comment.url)
    await answer(request, body, world, good=True)
    await world.runs.blobs.put(f"{request_folder(request)}/ended", b"")


def hold_report(run: str, world: World) -> AbstractAsyncContextManager[None]:
    """One rendering of a report at a time, so that none is put back behind a newer one."""
    return world.ledger.hold(f"report:{run}")


def report_place(kept: KeptRun, request: Request) -> int:
    """The issue that a run's report stands on."""
    return kept.result.spec.issue or request.issue


async def retell(kept: KeptRun, people: RunVerdicts, request: Request, world: World) -> Comment:
    """The report's comment, brought up to date or posted again. Raises as GitHub does."""
    run = kept.result.spec.run_id
    context = await make_context(
        Finished(result=kept.result, bundles=kept.bundles),
        world.runs,
        archive_url=await world.github.find_archive(run) or "",
        archive_absent="GitHub has none",
    )
    context = replace(
        context,
        change=await find_change(kept.result, world),
        set_line=await tell_set(kept.result, world),
        baseline_urls=await find_baseline_urls(kept.result, world),
        people=people,
        verbosity=(await world.github.repo_file()).comments,
    )
    report = await asyncio.to_thread(render_report, kept.result, context)
    return await world.github.comment(report_place(kept, request), report, tag=f"report:{run}")
