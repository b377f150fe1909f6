"""The living comment of a dataset's run: what it is, how far it has come, how to stop it."""

from jobs.datasets.live import LiveRun
from jobs.datasets.plan import RunPlan
from jobs.datasets.ready import Estimate
from jobs.reporting import escape, numbers

BAR = 20
"""Squares of the bar."""
MOST_SHOWN = 10


def render_progress(plan: RunPlan, run: LiveRun | None, *, mention: str, expected: str) -> str:
    """As the run stands; `expected` is what it was expected to cost, in words."""
    done = run.done if run else 0
    total = len(plan.cases)
    filled = BAR * done // total
    average = numbers.percent(run.average) if run and run.average is not None else "none yet"
    graded = run.graded if run else 0
    ungraded = run.ungraded if run else 0
    cost = _describe_cost(run) if run else "none yet"
    lines = [
        f"### 👀 Measuring {name_of(plan)}",
        "",
        f"`{'█' * filled}{'░' * (BAR - filled)}` **{done:,} of {numbers.plural(total, 'case')}**",
        "",
        "| average so far | graded | ungraded | cost so far | expected |",
        "|---|---|---|---|---|",
        f"| {average} | {graded:,} | {ungraded:,} | {cost} | {expected} |",
    ]
    if run and run.in_flight:
        shown = ", ".join(escape.code(one.id, 60) for one in run.in_flight[:MOST_SHOWN])
        more = len(run.in_flight) - MOST_SHOWN
        lines += ["", f"In flight: {shown}{f' and {more:,} more' if more > 0 else ''}."]
    asked = f"Asked by {escape.inline(plan.asker, 60)}; run {escape.code(plan.run_id)}."
    stop = f"To stop it: {escape.code(f'{mention} cancel')}. What has ended is kept and reported."
    lines += ["", f"{asked} {stop}"]
    return "\n".join(lines) + "\n"


def render_ended(plan: RunPlan, state: str) -> str:
    """Once the report stands beside it."""
    words = {"complete": "ended", "cancelled": "was cancelled", "out_of_money": "ran out of money"}
    how = words.get(state, "failed")
    return f"### Run of {name_of(plan)} {how}\n\nIts report is below; run `{plan.run_id}`.\n"


def _describe_cost(run: LiveRun) -> str:
    """What was spent so far; where no price is known, that is no zero."""
    if not run.unpriced:
        return f"{run.cost_usd:.2f} USD"
    return f"at least {run.cost_usd:.2f} USD" if run.cost_usd else "not known"


def name_of(plan: RunPlan) -> str:
    """Which dataset is run against what."""
    model = plan.typed.get("model", "")
    target = f"{plan.target_type}{f' ({model})' if model else ''}"
    dataset = escape.code(f"{plan.benchmark}/{plan.dataset}", 200)
    return f"{dataset} against {escape.code(target, 120)}"


def describe_estimate(estimate: Estimate, plan: RunPlan) -> str:
    """What the run is expected to cost, in a few words."""
    limit = f", at most {plan.max_usd:.2f} USD" if plan.max_usd is not None else ""
    if not estimate.rests_on:
        return f"not known from past runs{limit}"
    rests = numbers.plural(estimate.rests_on, "past case")
    return f"{estimate.usd:.2f} USD, from {rests}{limit}"
