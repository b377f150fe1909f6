"""Carries out a request for a run of a dataset: find it, plan it, put its chunks on the queue.

All that can be refused is refused here, before anything is spent. Doing it again finds the plan
and puts on the queue what has not ended.
"""

from decimal import Decimal

import structlog

from jobs.budgets import within_budgets
from jobs.carrying_out import begin, carry_out_answered
from jobs.datasets.ending import end_if_all_ended
from jobs.datasets.loading import Dataset
from jobs.datasets.opening import MODEL_ALONE, check_target, find_dataset, opened
from jobs.datasets.plan import RunPlan, Wanted, make_run_plan, plan_again
from jobs.datasets.progress import describe_estimate, render_progress
from jobs.datasets.ready import Ready
from jobs.datasets.request_world import DatasetRequestWorld
from jobs.datasets.run_state import RunState, chunk_key, divide, keep_run_of
from jobs.day_budget import over_bot, over_repository
from jobs.errors import OverBudget, Refused
from jobs.keeping import find_planned, request_folder
from jobs.living_comment import comment_tag
from jobs.requests import Request
from jobs.world import World

log = structlog.get_logger(__name__)


async def carry_out(request: Request, world: DatasetRequestWorld, *, last_try: bool) -> None:
    """Plan a run and ask for its chunks; end it, where all of them have ended.

    Raises `Transient` where it is worth carrying out again and `last_try` is False.
    """
    await carry_out_answered(
        lambda: _carry_out(request, world, last_try=last_try),
        request,
        world.place,
        last_try=last_try,
    )


async def _carry_out(request: Request, world: DatasetRequestWorld, *, last_try: bool) -> None:
    if not await begin(request, world.place):
        return
    plan = await find_plan(request, world)
    if plan is None:
        plan = await _plan(request, world)
    await world.live.begin(plan)
    await ask_for_chunks(request, plan, world)
    await end_if_all_ended(request, plan, world, last_try=last_try)


async def ask_for_chunks(request: Request, plan: RunPlan, world: DatasetRequestWorld) -> None:
    """Put every chunk on the queue that has not ended."""
    state = RunState(world.keeping.blobs, plan.run_id)
    for number in range(len(divide(plan, await state.get_workers()).ids)):
        if not await state.has_ended(number):
            await world.place.requests.enqueue(_make_chunk_request(request, plan, number))


async def find_plan(request: Request, world: DatasetRequestWorld) -> RunPlan | None:
    """The plan that an earlier try has made."""
    planned = await find_planned(request_folder(request), world.keeping.blobs)
    return await world.keeping.get_plan(planned.runs[0].run_id) if planned else None


def _make_chunk_request(request: Request, plan: RunPlan, number: int) -> Request:
    options = request.dataset.model_copy(update={"chunk": number})
    return request.model_copy(
        update={
            "key": chunk_key(request, plan.run_id, number),
            "kind": "dataset_chunk",
            "run": plan.run_id,
            "dataset": options,
        }
    )


async def _plan(request: Request, world: DatasetRequestWorld) -> RunPlan:
    place = within_budgets(request, await world.place.github.repo_file(), world.place)
    plan, packed = await _choose(request, world, place)
    check_target(plan, packed)
    async with opened(plan, packed, world) as (ready, _):
        await _refuse_over_budget(ready, request, world)
        plan = ready.plan
    state = RunState(world.keeping.blobs, plan.run_id)
    if request.dataset.resume:  # only now that nothing can be refused any more
        await state.reopen(len(divide(plan, await state.get_workers()).ids))
        await world.live.reopen(plan.run_id, place.runs.clock())
    if packed is not None:
        await state.put_suite(packed)
    await state.put_request(request, place.runs.settings.max_requests_per_repository)
    await world.keeping.put_plan(plan)
    await keep_run_of(request, plan.run_id, world.keeping.blobs)
    if request.issue:
        mention = place.runs.settings.mention
        expected = describe_estimate(ready.estimate, plan)
        text = render_progress(plan, None, mention=mention, expected=expected)
        comment = await place.github.comment(request.issue, text, tag=comment_tag(request))
        await state.put_comment(comment.id)
    log.info("dataset_planned", key=request.key, run=plan.run_id, cases=len(plan.cases))
    return plan


async def _choose(
    request: Request, world: DatasetRequestWorld, place: World
) -> tuple[RunPlan, bytes | None]:
    """Which run it is, with its suite's files where they are a repository's."""
    options, now = request.dataset, place.runs.clock()
    if options.resume or options.again_of:
        earlier_id = options.again_of or options.run_id
        plan = await world.keeping.get_plan(earlier_id)
        if plan is None:
            raise Refused(f"there is no run `{earlier_id[:40]}` to carry on.")
        earlier = RunState(world.keeping.blobs, earlier_id)
        packed = await earlier.get_suite()
        if options.again_of:
            plan = plan_again(plan, now)
            return plan.model_copy(update=_named(request)), packed
        if await world.keeping.get_state(plan.run_id) == "complete":
            raise Refused(f"the run `{plan.run_id}` is complete.")
        return plan, packed
    found = await find_dataset(request, world)
    wanted = _wanted(request, place.runs.settings.max_usd_per_run)
    plan = make_run_plan(wanted, found.dataset, now, salt=request.key)
    if plan.target_type == MODEL_ALONE and not _has_model(plan, found.dataset):
        usual = {"model": place.runs.settings.model} | plan.typed
        plan = plan.model_copy(update={"typed": usual})
    place_of = {"repo": request.repo, "issue": request.issue}
    return plan.model_copy(update=place_of | _named(request)), found.packed


def _has_model(plan: RunPlan, dataset: Dataset) -> bool:
    """Whether somebody says which model is asked: the command, or the suite."""
    choice = dataset.settings.choose_target(plan.target_type, (plan.target_type,))
    of_suite = choice.fields.get("model")
    return "model" in plan.typed or (of_suite is not None and of_suite.default is not None)


def _named(request: Request) -> dict[str, object]:
    """Under which id a run is kept, where that was said."""
    return {"run_id": request.dataset.run_id} if request.dataset.run_id else {}


def _wanted(request: Request, limit: Decimal) -> Wanted:
    """What is asked for, within the limit of one run."""
    options = request.dataset
    if len(request.models) > 1:
        raise Refused("a run of a dataset takes one model; ask for each by a command of its own.")
    typed = {"model": request.models[0]} if request.models else {}
    return Wanted(
        benchmark=options.benchmark,
        dataset=options.dataset,
        target_type=options.target_type,
        typed=dict(options.typed) | typed,
        ids=options.ids,
        limit=options.limit,
        parallel=options.parallel,
        judge=options.eval_model or "",
        user_model=options.user_model or "",
        max_usd=limit if options.max_usd is None else min(limit, options.max_usd),
        asker=request.asker,
    )


async def _refuse_over_budget(ready: Ready, request: Request, world: DatasetRequestWorld) -> None:
    """Raise `OverBudget` with the numbers, where past runs tell that it would cost too much."""
    estimate, limit = ready.estimate, ready.plan.max_usd
    if not estimate.rests_on:
        return  # a guess is held against nobody; the limit holds while it runs
    cases = len(ready.specs)
    if limit is not None and estimate.usd > limit:
        raise OverBudget(
            f"{cases:,} cases are expected to cost {estimate.usd:.2f} USD, from "
            f"{estimate.rests_on:,} past cases, and the limit of one run is {limit:.2f} USD. Ask "
            f"for fewer with `--limit`, or raise `budgets.per_run` in `.github/skillbench.yml`; "
            "the operator's `SKILLBENCH_MAX_USD_PER_RUN` holds in any case."
        )
    day = await world.place.runs.budget.day(request.repo)
    for spending, over in ((day.bot, over_bot), (day.repository, over_repository)):
        if not spending.holds(estimate.usd):
            needs = f"{cases:,} cases are expected to need {estimate.usd:.2f} USD"
            raise over(spending, estimate.usd, needs, request.repo.full_name)
