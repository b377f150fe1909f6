"""Carries out a request: content, plan, runs, answer. Its steps in order, and nothing else.

A request may be carried out again after a crash, by another worker: the plan is stored
before the first run starts, every finished step of a run too, and whatever is written to
GitHub is found again instead of being written twice.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import structlog

from jobs.answers import fail, finish, refuse, reply_nothing_to_do
from jobs.content.skills import find_skills
from jobs.content.snapshot import Snapshot
from jobs.content.tarball import extract_tarball
from jobs.errors import Gone, IssueMoved, Transient, UserError
from jobs.keeping import request_folder
from jobs.late import forget_late, has_results, put_off
from jobs.living_comment import living_comment
from jobs.planning.dedup import Known
from jobs.planning.plan import Plan, PlanInput, make_plan
from jobs.planning.rows import make_progress
from jobs.ports import Issue
from jobs.publishing import publish_ended
from jobs.requests import NEEDS_BENCHMARK, Request
from jobs.run_runner import RunRunner
from jobs.sessions.workspace import remove_tree
from jobs.values import RunSpec
from jobs.world import World

RUNS_AT_ONCE = 2
"""Runs of one request that go on together; each has two sessions of its own."""

log = structlog.get_logger()


async def carry_out(request: Request, world: World, *, last_try: bool) -> None:
    """Carry out a request and answer whoever asked, also where something breaks.

    Raises `Transient` where it is worth carrying out again and `last_try` is False; nothing
    that was finished is done or paid for a second time. What could not be told on the last
    try is kept for later.
    """
    try:
        await _carry_out_or_refuse(request, world)
        await forget_late(request, world)
    except Gone as gone:
        log.info("nowhere_to_answer", key=request.key, reason=str(gone))
        await world.runs.blobs.put(f"{request_folder(request)}/ended", str(gone).encode())
        await forget_late(request, world)
    except Transient as trouble:
        if not last_try:
            raise
        await _fail_or_put_off(request, str(trouble), world)
    except Exception:
        log.exception("request_failed", key=request.key)
        if not await fail(request, world, last_try=last_try):
            await put_off(request, "something of ours broke, and nobody could be told", world)


async def _fail_or_put_off(request: Request, trouble: str, world: World) -> None:
    """Say that it failed, unless there is a result to say, or nobody to hear it for now."""
    if await has_results(request, world) and await put_off(request, trouble, world):
        return
    if not await fail(request, world, last_try=True, platform=trouble):
        await put_off(request, trouble, world)


async def _carry_out_or_refuse(request: Request, world: World) -> None:
    try:
        await _carry_out(request, world)
    except UserError as refusal:
        await refuse(request, str(refusal), world)


async def _carry_out(request: Request, world: World) -> None:
    try:
        issue = await world.github.issue(request.issue)
    except IssueMoved:
        await publish_ended(request, world)  # what an attempt before this one had paid for
        raise
    labels = {label.casefold() for label in issue.labels}  # one name to GitHub in any case
    if request.origin == "label" and NEEDS_BENCHMARK not in labels:
        log.info("label_is_gone", key=request.key)  # asked twice, or taken back meanwhile
        return
    kept = request_folder(request)
    if await world.runs.blobs.exists(f"{kept}/ended"):
        log.info("ended_before", key=request.key)
        return
    await world.github.react(request.issue, request.comment_id, "eyes")
    stored = await world.runs.blobs.get(f"{kept}/plan.json")
    plan = Plan.model_validate_json(stored) if stored else None
    commit = plan.commit if plan else await world.github.default_commit()
    async with _open_snapshot(request, commit, world) as snapshot:
        if plan is None:
            plan = await _make_plan(request, issue, snapshot, world)
            await world.runs.blobs.put(f"{kept}/plan.json", plan.model_dump_json().encode())
        if plan.runs:
            await _run_plan(plan, snapshot, world, carried_on=stored is not None)
        else:
            await reply_nothing_to_do(plan, world)
    await world.runs.blobs.put(f"{kept}/ended", b"")


@asynccontextmanager
async def _open_snapshot(request: Request, commit: str, world: World) -> AsyncIterator[Snapshot]:
    """The files of a commit, on disk while the block runs: one download for the request."""
    folder = world.runs.scratch / f"snapshot-{uuid4().hex[:12]}"
    folder.mkdir(parents=True)
    try:
        archive = folder / "commit.tar.gz"
        await world.github.download_tarball(commit, archive)
        root = folder / "tree"
        await asyncio.to_thread(extract_tarball, archive, root)
        yield Snapshot(root, commit, request.repo.name)
    finally:
        await asyncio.to_thread(remove_tree, folder)


async def _make_plan(request: Request, issue: Issue, snapshot: Snapshot, world: World) -> Plan:
    shelf = await asyncio.to_thread(find_skills, snapshot)
    known = Known(
        comments=await world.github.comments(request.issue),
        permission=world.github.permission,
        ledger=world.ledger,
    )
    given = PlanInput(
        request=request,
        issue=issue,
        snapshot=snapshot,
        shelf=shelf,
        known=known,
        check=world.runs.launchers.check,
    )
    return await make_plan(given, world.runs.catalog, world.runs.settings)


async def _run_plan(plan: Plan, snapshot: Snapshot, world: World, *, carried_on: bool) -> None:
    """Every run of the plan, a few at a time, then the end: reactions and labels."""
    state = make_progress(plan, world.runs.settings, carried_on=carried_on)
    slots = asyncio.Semaphore(RUNS_AT_ONCE)
    async with living_comment(world.github, plan.request, state) as living:
        runner = RunRunner(plan, snapshot, living, world)

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

        endings = await asyncio.gather(
            *(run(row, spec) for row, spec in enumerate(plan.runs)),
            return_exceptions=True,  # one that breaks lets the others end
        )
        for ending in endings:
            if isinstance(ending, BaseException):
                raise ending
    await finish(plan.request, living.state, world)
