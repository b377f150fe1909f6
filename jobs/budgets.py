"""A request within the budgets of its repository, which stand below the operator's limits.

The repository's file can only lower what the operator allows. A request that is over a budget is
refused with the numbers before anything is spent; each run sets its own ceiling aside besides,
as it begins, since what is free changes while others run.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal

from config.repo_file import RepoFile
from config.settings import Settings
from jobs.baselines.kept import find_kept
from jobs.content.text import quoted
from jobs.day_budget import over_bot, over_repository
from jobs.errors import OverBudget
from jobs.estimates import Estimate, ahead_of_specs, estimate_all
from jobs.leaks.guesser import guess_limits, may_be_guessed
from jobs.ports import Budget
from jobs.reporting import numbers
from jobs.requests import Request
from jobs.sessions.run_limits import judge_limits, session_limits
from jobs.values import RunSpec
from jobs.weak_evals.canaries import count_unread
from jobs.world import RunWorld, World


def within_budgets(request: Request, repo_file: RepoFile, world: World) -> World:
    """The world of a request, its limits lowered to those of the repository's file.

    Where a maintainer lets it pass the repository's budgets, the operator's alone hold.
    """
    runs = world.runs
    settings, budget = lower_limits(request, repo_file, runs.settings, runs.budget)
    return replace(world, runs=replace(runs, settings=settings, budget=budget))


def lower_limits(
    request: Request, repo_file: RepoFile, settings: Settings, budget: Budget
) -> tuple[Settings, Budget]:
    """The same for settings and money by themselves."""
    if request.override_budget:
        return settings, budget
    budgets = repo_file.budgets
    per_run = min(settings.max_usd_per_run, budgets.per_run or settings.max_usd_per_run)
    lowered = settings.model_copy(update={"max_usd_per_run": per_run})
    return lowered, budget.within(budgets.per_day)


async def estimate_runs(
    specs: Iterable[RunSpec], world: World, *, unpriced: Sequence[str] = ()
) -> Estimate:
    """What planned runs of one repository are expected to take together.

    `unpriced` are models among them whose price is not known.
    """
    planned = list(specs)
    most_usd = None if unpriced else world.runs.settings.max_usd_per_run
    repo = planned[0].repo.full_name if planned else ""
    records = await world.ledger.records(repo) if planned else ()
    kept = [await _count_kept(spec, world.runs) for spec in planned]
    # what is until sure loads statistics
    ahead = await asyncio.to_thread(ahead_of_specs, planned, kept)
    estimate = estimate_all(ahead, records, most_usd)
    canaries = await count_unread(planned, world.runs.blobs)
    settings = world.runs.settings
    share = judge_limits(settings).cost_usd
    guessed = any(map(may_be_guessed, planned))
    return estimate.model_copy(
        update={
            "canaries": canaries,
            "canaries_usd": None if most_usd is None else share * canaries,
            "guesser_share": settings.guesser_share if guessed else 0,
            "guess_usd": guess_limits(settings).cost_usd if guessed else None,
        }
    )


async def _count_kept(spec: RunSpec, world: RunWorld) -> int:
    return len(await find_kept(spec, session_limits(world.settings, spec.shares), world))


async def refuse_over_budget(specs: Iterable[RunSpec], world: World) -> None:
    """Raise `OverBudget` with the numbers where these runs are more than may be spent.

    So they are where a run is expected to cost more than its limit, or where the day has no room
    for the ceiling of a run, or for what all together are expected to cost. What nobody can
    expect is not held against them: each run sets its ceiling aside before it begins.
    """
    planned = list(specs)
    if not planned:
        return
    repo, most = planned[0].repo, world.runs.settings.max_usd_per_run
    for spec in planned:
        _refuse_dear(spec, await estimate_runs([at_least(spec)], world))
    expected = (await estimate_runs(planned, world)).expected_usd or Decimal(0)
    day = await world.runs.budget.day(repo)
    for spending, over in ((day.bot, over_bot), (day.repository, over_repository)):
        if not spending.holds(most):
            raise over(spending, most, f"a run needs up to {most:.2f} USD", repo.full_name)
        if not spending.holds(expected):
            runs = numbers.plural(len(planned), "run")
            needs = f"{runs} are expected to need {expected:.2f} USD"
            raise over(spending, expected, needs, repo.full_name)


def at_least(spec: RunSpec) -> RunSpec:
    """The run with the fewest trials that it can do with: until sure, those that can be enough."""
    return spec.model_copy(update={"trials": spec.shares, "until_sure": None})


def is_too_dear(estimate: Estimate) -> bool:
    """Whether a run is expected to pass its limit: its score would then tell of the limit."""
    expected, most = estimate.expected_usd, estimate.most_usd
    return expected is not None and most is not None and expected > most


def _refuse_dear(spec: RunSpec, estimate: Estimate) -> None:
    if not is_too_dear(estimate):
        return
    trials = f" with {spec.shares} trials" if spec.shares > 1 else ""
    trials += ", the fewest that can be enough to be sure," if spec.until_sure == "trials" else ""
    raise OverBudget(
        f"a run of {quoted(spec.eval_case.id)}{trials} is expected to cost "
        f"{estimate.expected_usd:.2f} USD, "
        f"from {numbers.plural(len(estimate.rests_on), 'past run')}, and the limit of one run is "
        f"{estimate.most_usd:.2f} USD. Ask for fewer trials or a cheaper model, raise "
        "`budgets.per_run` in `.github/skillbench.yml`, or have a maintainer add "
        "`--override-budget`; the operator's `SKILLBENCH_MAX_USD_PER_RUN` holds in any case."
    )
