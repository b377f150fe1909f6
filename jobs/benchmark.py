"""Carries out a request: content, plan, runs, answer. Its steps in order, and nothing else.

A request may be carried out again after a crash, by another worker: the plan is stored
before the first run starts, every finished step of a run too, and whatever is written to
GitHub is found again instead of being written twice.
"""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack

import structlog

from jobs.again.attempts import find_wanted
from jobs.alongside import all_ended
from jobs.answers import finish, reply_nothing_to_do
from jobs.budgets import estimate_runs, refuse_over_budget, within_budgets
from jobs.carrying_out import begin, carry_out_answered, find_head, refuse_locked
from jobs.changed_text import refuse_changed_text, refuse_unseen_text
from jobs.choosing.evals import find_issue_number
from jobs.commits import Commits
from jobs.conclusions.telling import find_request_lines
from jobs.content.repo_file import load_repo_file
from jobs.content.skills import find_skills
from jobs.content.snapshot import Snapshot
from jobs.errors import Gone, IssueMoved, Refused, Suspended
from jobs.estimates import describe
from jobs.keeping import request_folder
from jobs.living_comment import living_comment
from jobs.planning.dedup import Known
from jobs.planning.joining import join_evals, join_plans
from jobs.planning.plan import Plan, PlanInput, RefusedRun, make_plan
from jobs.planning.rows import find_unpriced, make_progress
from jobs.planning.versus import Versions
from jobs.ports import Comment, Issue
from jobs.publishing import publish_ended
from jobs.requests import ALL_EVALS, Request
from jobs.run_runner import RunRunner
from jobs.sequential.all_evals import find_all_evals
from jobs.sequential.evals import find_lines
from jobs.sequential.running import run_line
from jobs.values import RunSpec
from jobs.world import World

RUNS_AT_ONCE = 2
"""Runs of one request that go on together; each has two sessions of its own."""

log = structlog.get_logger()


async def carry_out(request: Request, world: World, *, last_try: bool) -> None:
    """Carry out a request and answer whoever asked, also where something breaks.

    Raises `Transient` where it is worth carrying out again and `last_try` is False; nothing
    that was finished is done or paid for a second time.
    """
    await carry_out_answered(lambda: _carry_out(request, world), request, world, last_try=last_try)


async def _carry_out(request: Request, world: World) -> None:
    try:
        issue = await world.github.issue(request.issue)
    except IssueMoved:
        await publish_ended(request, world)  # what an attempt before this one had paid for
        raise
    labels = {label.casefold() for label in issue.labels}  # one name to GitHub in any case
    if request.origin == "label" and request.label.casefold() not in labels:
        log.info("label_is_gone", key=request.key)  # asked twice, or taken back meanwhile
        return
    if issue.is_locked:
        await _remember_paid(request, world)
    refuse_locked(request, issue)
    if not await begin(request, world):
        return
    kept = request_folder(request)
    stored = await world.runs.blobs.get(f"{kept}/plan.json")
    plan = Plan.model_validate_json(stored) if stored else None
    commit = plan.commit if plan else request.after or await find_head(world)
    async with AsyncExitStack() as stack:
        commits = Commits(request, world, stack)
        snapshot = await commits.get(commit)
        rules = await commits.get(request.rules or commit)
        world = within_budgets(request, await asyncio.to_thread(load_repo_file, rules), world)
        if plan is None:
            plan = await plan_request(request, issue, snapshot, commits, world)
            await refuse_over_budget(plan.runs, world)
            await world.runs.blobs.put(f"{kept}/plan.json", plan.model_dump_json().encode())
        if plan.runs:
            await _run_plan(plan, commits, world, carried_on=stored is not None)
        else:
            await reply_nothing_to_do(plan, world)
    await world.runs.blobs.put(f"{kept}/ended", b"")


async def _remember_paid(request: Request, world: World) -> None:
    """Keep what an attempt before the lock had paid for, so that nobody pays for it again."""
    try:
        await publish_ended(request, world)
    except Suspended:
        raise
    except Gone as gone:
        log.info("told_nobody", key=request.key, reason=str(gone))


async def plan_request(
    request: Request, issue: Issue, snapshot: Snapshot, commits: Commits, world: World
) -> Plan:
    """What a request means at a commit; nothing is begun by it. Raises as `make_plan` does."""
    comments = await world.github.comments(request.issue)
    wanted = await find_wanted(request, comments, world)
    if request.eval_id == ALL_EVALS and not request.is_pull_request:
        wanted = await find_all_evals(wanted[0], issue, snapshot, world)
    elif not request.only_failed:
        return await _plan_one(wanted[0], issue, comments, snapshot, commits, world)
    plans: list[Plan] = []
    refused: list[RefusedRun] = []
    for one in wanted:
        try:
            plans.append(
                await _plan_one(
                    *(one, issue, comments, snapshot, commits, world),
                    is_one_of_several=not request.only_failed,
                )
            )
        except Refused as error:  # an eval case that is not there any more, say
            refused.append(RefusedRun(title=one.eval_id or "", reason=str(error)))
    join = join_plans if request.only_failed else join_evals
    return join(request, plans, refused)


async def _plan_one(  # noqa: PLR0913, PLR0917 -- a request, and all that it is read against
    request: Request,
    issue: Issue,
    comments: Sequence[Comment],
    snapshot: Snapshot,
    commits: Commits,
    world: World,
    *,
    is_one_of_several: bool = False,
) -> Plan:
    eval_issue = await _find_eval_issue(request, issue, world)
    await refuse_changed_text(request, eval_issue, world)
    rules = await commits.get(request.rules or snapshot.commit)
    repo_file = await asyncio.to_thread(load_repo_file, rules)
    shelf = await asyncio.to_thread(find_skills, snapshot, repo_file)
    tested = None
    if request.head and request.head != snapshot.commit:  # eval case and rules stay the base's
        head = await commits.get(request.head)
        tested = await asyncio.to_thread(find_skills, head, repo_file)
    known = Known(
        comments=comments,
        permission=world.github.permission,
        ledger=world.ledger,
    )
    given = PlanInput(
        request=request,
        issue=eval_issue,
        snapshot=snapshot,
        shelf=shelf,
        known=known,
        check=world.runs.launchers.check,
        versions=Versions(history=world.github, open=commits.get, head=rules.commit),
        rules=rules,
        tested=tested,
        is_one_of_several=is_one_of_several,
    )
    plan = await make_plan(given, world.runs.catalog, world.runs.settings)
    is_named = not is_one_of_several or eval_issue.number == issue.number
    await refuse_unseen_text(plan, eval_issue, world, is_named=is_named)
    return plan


async def _find_eval_issue(request: Request, issue: Issue, world: World) -> Issue:
    """The issue that may hold the eval case: the one that the case's id names, if it is another."""
    number = find_issue_number(request.eval_id or "")
    if number in {0, issue.number}:
        return issue
    try:
        return await world.github.issue(number)
    except Suspended:
        raise
    except Gone:
        return issue


async def _run_plan(plan: Plan, commits: Commits, world: World, *, carried_on: bool) -> None:
    """Every run of the plan, a few at a time, then the end: reactions and labels."""
    unpriced = await asyncio.to_thread(find_unpriced, plan, world.runs.catalog.price_known)
    estimate = await estimate_runs(plan.runs, world, unpriced=unpriced)
    state = make_progress(
        plan,
        world.runs.settings,
        unpriced=unpriced,
        carried_on=carried_on,
        expected=describe(estimate),
    )
    slots = asyncio.Semaphore(RUNS_AT_ONCE)
    async with living_comment(world.github, plan.request, state) as living:
        runner = RunRunner(plan, commits, living, world)

        gone = asyncio.Event()

        async def run(row: int, spec: RunSpec) -> None:
            async with slots:
                if gone.is_set():
                    return  # nobody is left to be told what it would cost to find out
                try:
                    await runner.run(row, spec)
                except Gone:
                    gone.set()
                    raise

        await all_ended(run_line(line, run, living, world) for line in find_lines(plan))
        records = await world.ledger.records(plan.request.repo.full_name)
        living.conclude(await find_request_lines(plan.runs, records, world.runs.settings))
    await finish(plan.request, living.state, world)
