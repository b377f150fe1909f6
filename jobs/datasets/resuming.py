"""Finds the run that is to be carried on, or whose ungraded cases are to be run again."""

from collections.abc import Callable
from datetime import datetime

from jobs.datasets.keeping import DatasetKeeping
from jobs.datasets.loading import Dataset
from jobs.datasets.plan import RunPlan, Wanted, carry_on, check_unchanged, plan_again
from jobs.errors import Refused

MOST_LOOKED_AT = 500
"""Runs, the newest first, among which one is looked for."""


async def resume(
    wanted: Wanted, dataset: Dataset, keeping: DatasetKeeping, *, run_id: str = ""
) -> RunPlan:
    """The plan of the newest unfinished run of this dataset and target, or of the named one.

    Raises `Refused` where there is none, where the file has changed, and where something is
    asked for that the run did not begin with.
    """
    plan = await _find(wanted, dataset, keeping, run_id, lambda state: state != "complete")
    if plan is None:
        raise Refused(
            f"there is no unfinished run of {_describe(wanted, dataset)} to carry on; leave out "
            "`--resume` to begin one, or repeat what was ungraded with `--rerun-errors`."
        )
    check_unchanged(plan, dataset)
    return carry_on(wanted, plan)


async def rerun_errors(
    wanted: Wanted,
    dataset: Dataset,
    keeping: DatasetKeeping,
    now: datetime,
    *,
    run_id: str = "",
) -> RunPlan:
    """The plan of a run that repeats only the ungraded cases of the newest finished one.

    Raises `Refused` as `resume` does, and where nothing was ungraded.
    """
    plan = await _find(wanted, dataset, keeping, run_id, lambda state: state is not None)
    if plan is None:
        raise Refused(f"there is no finished run of {_describe(wanted, dataset)}.")
    check_unchanged(plan, dataset)
    plan = carry_on(wanted, plan)
    graded = 0
    async for one in keeping.cases(plan):
        graded += one.grade.outcome != "ungraded"
    if graded == len(plan.cases):
        raise Refused(f"the run `{plan.run_id}` has a grade for each of its {graded} cases.")
    return plan_again(plan, now)


async def _find(
    wanted: Wanted,
    dataset: Dataset,
    keeping: DatasetKeeping,
    run_id: str,
    fits: Callable[[str | None], bool],
) -> RunPlan | None:
    if run_id:
        plan = await keeping.get_plan(run_id) if _is_run_id(run_id) else None
        if plan is None:
            raise Refused(f"there is no run `{run_id[:40]}` in this store.")
        if (plan.benchmark, plan.dataset) != (dataset.benchmark, dataset.name):
            raise Refused(f"the run `{run_id}` is one of {plan.benchmark}/{plan.dataset}.")
        if not fits(state := await keeping.get_state(run_id)):
            ended = "has not ended yet" if state is None else "is complete"
            raise Refused(f"the run `{run_id}` {ended}.")
        return plan
    for name in (await keeping.runs())[:MOST_LOOKED_AT]:
        plan = await keeping.get_plan(name)
        if plan is None or (plan.benchmark, plan.dataset) != (dataset.benchmark, dataset.name):
            continue
        if wanted.target_type is not None and plan.target_type != wanted.target_type:
            continue
        if fits(await keeping.get_state(name)):
            return plan
    return None


def _is_run_id(name: str) -> bool:
    return len(name) == 12 and set(name) <= set("0123456789abcdef")


def _describe(wanted: Wanted, dataset: Dataset) -> str:
    target = f" with the target `{wanted.target_type}`" if wanted.target_type else ""
    return f"{dataset.benchmark}/{dataset.name}{target}"
