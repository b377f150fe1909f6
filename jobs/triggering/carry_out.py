"""Carries out a request to measure descriptions: content, plan, measurements, answer.

It may be carried out again after a crash, by another worker: the plan is stored before
anything is spent, every observation as soon as it is made, and whatever is written to GitHub
is found again instead of being written twice.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from uuid import uuid4

from config.effective import make_effective
from config.repo_file import RepoFile
from jobs.answers import answer, react_to_end
from jobs.budgets import lower_limits
from jobs.carrying_out import begin, carry_out_answered, find_head, open_snapshot, refuse_locked
from jobs.changed_text import refuse_later_edit
from jobs.content.repo_file import load_repo_file
from jobs.content.skills import find_skills
from jobs.content.snapshot import Snapshot
from jobs.errors import IssueMoved, OverBudget
from jobs.keeping import request_folder
from jobs.living_comment import LivingText, living_text
from jobs.planning.rows import CARRIED_ON
from jobs.ports import Comment, Issue
from jobs.requests import Request
from jobs.sessions.workspace import remove_tree
from jobs.triggering.choosing import reads_queries
from jobs.triggering.plan import TriggerPlan
from jobs.triggering.planning import TriggerPlanner
from jobs.triggering.progress import TriggerProgress, TriggerRow, make_progress, render_progress
from jobs.triggering.replies import render_confirmation, render_known
from jobs.triggering.report_frame import render_command
from jobs.triggering.runner import TriggerRunner, publish_found, settle_unfinished
from jobs.triggering.world import TriggerRequestWorld

REST_S = 5.0
"""Between two edits of the living comment: sessions end by the second."""


async def carry_out(request: Request, world: TriggerRequestWorld, *, last_try: bool) -> None:
    """Carry out a request and answer whoever asked, as `jobs.benchmark.carry_out` does."""
    await carry_out_answered(
        lambda: _carry_out(request, world), request, world.place, last_try=last_try
    )
    await settle_unfinished(request, world)


async def _carry_out(request: Request, world: TriggerRequestWorld) -> None:
    place = world.place
    is_push = request.origin == "push"
    try:
        issue = None if is_push else await place.github.issue(request.issue)
    except IssueMoved:
        await publish_found(request, world)
        raise
    if issue is not None:
        refuse_locked(request, issue)
    if not await begin(request, place):
        return
    kept = request_folder(request)
    stored = await place.runs.blobs.get(f"{kept}/plan.json")
    plan = TriggerPlan.model_validate_json(stored) if stored else None
    commit = plan.commit if plan else request.after or await find_head(place)
    async with open_snapshot(request, commit, place) as snapshot:
        repo_file = await asyncio.to_thread(load_repo_file, snapshot)
        world = _within_budgets(request, repo_file, world)
        if plan is None:
            try:
                plan = await _make_plan(request, issue, snapshot, repo_file, world)
            except OverBudget as over:
                await _ask_for_yes(request, over, world)
                await place.runs.blobs.put(f"{kept}/ended", b"")
                return
            await place.runs.blobs.put(f"{kept}/plan.json", plan.model_dump_json().encode())
        if plan.runs:
            await _run_plan(plan, snapshot, world, carried_on=stored is not None)
        elif not plan.is_empty:
            settings = world.triggers.settings
            body = render_known(plan, mention=settings.mention)
            good = bool(plan.known) and not plan.refused
            await answer(request, body, place, good=good)
    await place.runs.blobs.put(f"{kept}/ended", b"")


def _within_budgets(
    request: Request, repo_file: RepoFile, world: TriggerRequestWorld
) -> TriggerRequestWorld:
    """The world with the budgets of the repository's file."""
    triggers = world.triggers
    settings, budget = lower_limits(request, repo_file, triggers.settings, triggers.budget)
    return replace(world, triggers=replace(triggers, settings=settings, budget=budget))


async def _make_plan(
    request: Request,
    issue: Issue | None,
    snapshot: Snapshot,
    repo_file: RepoFile,
    world: TriggerRequestWorld,
) -> TriggerPlan:
    comments: Sequence[Comment] = ()
    if issue is not None:
        if reads_queries(request, issue):
            await refuse_later_edit(request, issue, world.place)
        comments = await world.place.github.comments(request.issue)
    scratch = world.triggers.scratch / f"planning-{uuid4().hex[:12]}"
    scratch.mkdir(parents=True)
    try:
        planner = TriggerPlanner(
            request=request,
            issue=issue,
            snapshot=snapshot,
            shelf=await asyncio.to_thread(find_skills, snapshot, repo_file),
            comments=comments,
            effective=make_effective(repo_file, world.triggers.settings, request),
            world=world,
            scratch=scratch,
        )
        return await planner.make_plan()
    finally:
        await asyncio.to_thread(remove_tree, scratch)


async def _ask_for_yes(request: Request, over: OverBudget, world: TriggerRequestWorld) -> None:
    mention = world.triggers.settings.mention
    line = render_command(request, mention, more="--yes")
    body = render_confirmation(str(over), line, mention=mention)
    await answer(request, body, world.place, good=False)


async def _run_plan(
    plan: TriggerPlan, snapshot: Snapshot, world: TriggerRequestWorld, *, carried_on: bool
) -> None:
    """Every measurement of the plan, one after the other, then the end."""
    notes = (CARRIED_ON,) if carried_on else ()
    state = make_progress(plan, world.triggers.settings.mention, notes)
    runner = TriggerRunner(plan=plan, snapshot=snapshot, world=world)
    async with _following(plan.request, state, world) as rows:
        for number, run in enumerate(plan.runs):
            await runner.run(run, lambda number=number, **changes: rows.change(number, **changes))
    await react_to_end(plan.request, world.place, good=rows.state.is_good)


class _Rows:
    """The rows of the living comment; of a push there is no comment that lives."""

    def __init__(self, state: TriggerProgress, living: LivingText | None) -> None:
        self.state = state
        self._living = living

    def change(self, number: int, **changes: object) -> None:
        rows = list(self.state.rows)
        rows[number] = TriggerRow.model_validate({**rows[number].model_dump(), **changes})
        self.state = self.state.model_copy(update={"rows": tuple(rows)})
        if self._living is not None:
            self._living.show(render_progress(self.state))


@asynccontextmanager
async def _following(
    request: Request, state: TriggerProgress, world: TriggerRequestWorld
) -> AsyncIterator[_Rows]:
    if request.origin == "push":
        rows = _Rows(state, None)
        yield rows
        if not rows.state.is_good:
            await answer(request, render_progress(rows.state), world.place, good=False)
        return
    text = render_progress(state)
    async with living_text(world.place.github, request, text, rest_s=REST_S) as living:
        rows = _Rows(state, living)
        yield rows
    if rows.state.is_told_elsewhere:
        await living.fold()
