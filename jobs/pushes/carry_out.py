"""Carries out what a push means for its skills: compare, plan, put the runs on the queue, show.

Whether there is anything to do stands in files and results that no handler reads. Nobody has
asked, so nothing is said where nothing is to be done; what is measured stands in the check
run of the commit.
"""

import asyncio

import structlog

from config.repo_file import RepoFile
from jobs.carrying_out import begin, carry_out_answered, open_snapshot
from jobs.content.repo_file import load_repo_file
from jobs.content.shelf import SkillShelf
from jobs.content.skills import find_skills
from jobs.errors import Gone, Refused
from jobs.keeping import request_folder
from jobs.pull_requests.merged import settle_merged
from jobs.pushes.changed import find_changed_skills
from jobs.pushes.plan import PushPlan, find_plan, keep_plan
from jobs.pushes.planning import PushPlanner, make_requests
from jobs.pushes.showing import show_push
from jobs.requests import Request
from jobs.world import World

log = structlog.get_logger(__name__)


async def carry_out(request: Request, world: World, *, last_try: bool) -> None:
    """Ask for what a push is to have measured.

    Raises `Transient` where it is worth carrying out again and `last_try` is False; the list
    that an earlier try made is taken as it is.
    """
    await carry_out_answered(lambda: _carry_out(request, world), request, world, last_try=last_try)


async def _carry_out(request: Request, world: World) -> None:
    if not await begin(request, world):
        return
    plan = await find_plan(request, world.runs.blobs)
    if plan is None:
        try:
            plan = await _make_plan(request, world)
        except Refused as refusal:  # the repository's file, or one of the states, is of no use
            log.info("push_passed_over", key=request.key, reason=str(refusal))
            plan = None
        if plan is not None:
            await keep_plan(plan, world.runs.blobs)
    if plan is not None:
        # shown first: a run that has ended finds the check run there
        await show_push(plan, world)
        for further in make_requests(plan, request):
            await world.requests.enqueue(further)
    await world.runs.blobs.put(f"{request_folder(request)}/ended", b"")


async def _make_plan(request: Request, world: World) -> PushPlan | None:
    """The list; None where no skill changed, or nobody has shown that they want to know."""
    records = await world.ledger.records(request.repo.full_name)
    if not records and not (await world.github.repo_file()).models:
        log.info("push_passed_over", key=request.key, reason="nothing was ever measured")
        return None
    async with open_snapshot(request, request.after, world) as after:
        repo_file = await asyncio.to_thread(load_repo_file, after)
        shelf = await asyncio.to_thread(find_skills, after, repo_file)
        before = await _skills_before(request, repo_file, world)
        if before is None:
            return None
        changed = find_changed_skills(before, shelf)
        log.info("push_compared", key=request.key, changed=[skill.path for skill in changed])
        if not changed:
            return None
        await settle_merged(records, shelf.skills, world.ledger)
        planner = PushPlanner(
            request=request, after=after, shelf=shelf, repo_file=repo_file, world=world
        )
        plan = await planner.make_plan(changed)
    return plan if plan.rows or plan.left_out else None


async def _skills_before(request: Request, repo_file: RepoFile, world: World) -> SkillShelf | None:
    """The skills before the push, by what is a skill now; None where that is not to be had."""
    try:
        async with open_snapshot(request, request.before or "", world) as before:
            return await asyncio.to_thread(find_skills, before, repo_file)
    except Gone as gone:
        await world.github.default_commit()  # where the repository is gone itself, this says so
        log.info("push_passed_over", key=request.key, reason=str(gone))
        return None
