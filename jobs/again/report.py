"""Carries out `report`: a stored run told once more, in the words of this version.

Costs nothing and finds out nothing: the report's comment is brought up to date, or posted
again where somebody has deleted it.
"""

import asyncio
from dataclasses import replace

from jobs.again.choosing import find_told
from jobs.again.kept_runs import open_kept_run
from jobs.answers import answer
from jobs.carrying_out import begin, carry_out_answered
from jobs.comparison import Finished
from jobs.keeping import request_folder
from jobs.publishing import find_baseline_urls, find_change, make_context
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
    async with open_kept_run(told.record.run, request, world) as (kept, _):
        finished = Finished(result=kept.result, bundles=kept.bundles)
        context = await make_context(
            finished,
            world.runs,
            archive_url=await world.github.find_archive(told.record.run) or "",
            archive_absent="GitHub has none",
        )
        context = replace(
            context,
            change=await find_change(kept.result, world),
            baseline_urls=await find_baseline_urls(kept.result, world),
            verbosity=(await world.github.repo_file()).comments,
        )
        report = await asyncio.to_thread(render_report, kept.result, context)
    place = kept.result.spec.issue or request.issue
    comment = await world.github.comment(place, report, tag=f"report:{told.record.run}")
    body = render_brought_up(told.record.run, comment.url)
    await answer(request, body, world, good=True)
    await world.runs.blobs.put(f"{request_folder(request)}/ended", b"")
