"""Carries out what somebody asks of a pull request: its head against its base, on every eval case
of the skills that it changes.

The request itself measures nothing. It decides which commit may be run and on what, keeps that,
and puts a benchmark for each eval case on the queue; the one that ends last says how it came out.
"""

import asyncio
from contextlib import AsyncExitStack

import structlog

from config.effective import make_effective
from config.repo_file import RepoFile
from jobs.answers import answer
from jobs.carrying_out import begin, carry_out_answered, find_head
from jobs.errors import Refused
from jobs.estimates import ahead_of_request, describe, estimate_all
from jobs.keeping import request_folder
from jobs.pull_requests.again import as_before
from jobs.pull_requests.plan import PullPlan, find_plan, keep_plan
from jobs.pull_requests.planning import make_plan, make_requests, open_sides
from jobs.pull_requests.pull import settle_head
from jobs.pull_requests.showing import show
from jobs.pull_requests.words import say_left_out
from jobs.requests import Request
from jobs.sequential.planning import say_trials
from jobs.world import World

log = structlog.get_logger(__name__)


async def carry_out(request: Request, world: World, *, last_try: bool) -> None:
    """Ask for the benchmarks of a pull request, or say why there are none.

    Raises `Transient` where it is worth carrying out again and `last_try` is False; the commit
    and the list that an earlier try settled are taken as they are.
    """
    await carry_out_answered(lambda: _carry_out(request, world), request, world, last_try=last_try)


async def _carry_out(request: Request, world: World) -> None:
    if await _is_taken_back(request, world) or not await begin(request, world):
        return
    plan = await find_plan(request, world.runs.blobs)
    if plan is None:
        plan = await _settle(request, world)
        if not plan.rows:
            await answer(request, _say_nothing_to_do(plan), world, good=False)
            await world.runs.blobs.put(f"{request_folder(request)}/ended", b"")
            return
        await keep_plan(plan, world.runs.blobs)
        log.info("pull_request_planned", head=plan.request.head, base=plan.base)
    await show(plan, world)
    for further in make_requests(plan):
        await world.requests.enqueue(further)


async def _is_taken_back(request: Request, world: World) -> bool:
    """Whether a label that asked is gone: it asked twice, or somebody took it off meanwhile."""
    if request.origin != "label":
        return False
    labels = {name.casefold() for name in (await world.github.issue(request.issue)).labels}
    if request.label.casefold() in labels:
        return False
    log.info("label_is_gone", key=request.key)
    return True


async def _settle(request: Request, world: World) -> PullPlan:
    """Which commits, and what is measured. Raises `Refused` where nobody may run the head."""
    if request.run is not None:
        raise Refused(
            "one run of a pull request cannot be repeated by itself: its head may be another one. "
            f"Ask for its eval case: `{world.runs.settings.mention} run --eval ID --force`"
        )
    pull = await world.github.pull_request(request.issue)
    head = settle_head(request, pull, mention=world.runs.settings.mention)
    pinned = request.model_copy(update={"head": head})
    if request.only_failed:
        comments = await world.github.comments(request.issue)
        mention = world.runs.settings.mention
        pinned = await as_before(pinned, comments, world.runs.blobs, mention=mention)
    base = await world.github.merge_base(pull.base_branch, head)
    rules = await find_head(world)
    async with AsyncExitStack() as stack:
        sides = await open_sides(pinned, (rules, base, head), world, stack)
        plan = await make_plan(pinned, sides, base, world, is_from_fork=pull.is_from_fork)
        expected = await _expect(plan, sides.repo_file, world)
    return plan.model_copy(update={"expected": expected})


async def _expect(plan: PullPlan, repo_file: RepoFile, world: World) -> str:
    """What past runs let expect of these; no limit is promised, since prices are not known yet."""
    effective = make_effective(repo_file, world.runs.settings, plan.request)
    asked = [
        say_trials(one, effective.how_often).model_copy(update={"models": effective.models.value})
        for one in make_requests(plan)
    ]
    launcher = effective.launcher.value
    # what is until sure loads statistics
    ahead = await asyncio.to_thread(
        lambda: [run for one in asked for run in ahead_of_request(one, model="", launcher=launcher)]
    )
    records = await world.ledger.records(plan.request.repo.full_name)
    return describe(estimate_all(ahead, records, None))


def _say_nothing_to_do(plan: PullPlan) -> str:
    if not plan.changed and plan.broken:
        return f"🚫 There is nothing to compare.\n\n{say_left_out(plan)}"
    if not plan.changed:
        return (
            "🤷 This pull request changes no skill, so there is nothing to compare. A skill counts "
            "as changed when the files that a session is given are other ones."
        )
    return (
        "🤷 There is nothing to measure this pull request with.\n\n"
        f"{say_left_out(plan)}\n\nWrite an eval "
        "case for it as an issue with the label `benchmark`, or in a file of the default branch, "
        "and ask again."
    )
