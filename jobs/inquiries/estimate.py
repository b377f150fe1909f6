"""What a `run` with these words would do and take; nothing is started by it.

The plan is the very one that the run would have, so that it names the same duplicates and refuses
the same things. Figures come from past runs (`jobs.estimates`).
"""

import asyncio
from contextlib import AsyncExitStack
from decimal import Decimal

from jobs.benchmark import plan_request
from jobs.budgets import estimate_runs, within_budgets
from jobs.carrying_out import find_head
from jobs.commits import Commits
from jobs.content.repo_file import load_repo_file
from jobs.estimates import Estimate, describe
from jobs.inquiries.tiers import HEAD, compare_tiers
from jobs.inquiries.words import in_code, tell_relatives
from jobs.inquiries.world import InquiryWorld
from jobs.judging.judges import judges_of
from jobs.planning.plan import Plan
from jobs.planning.rows import find_unpriced
from jobs.reporting import escape, numbers
from jobs.reporting.arm_words import score_words
from jobs.reporting.fit import Blocks, fit
from jobs.requests import ALL_EVALS, Request
from jobs.values import RunSpec
from jobs.world import World


async def answer_estimate(request: Request, world: InquiryWorld) -> str:
    """A row for each run that would be started, and what all of them are expected to take."""
    place = world.place
    issue = await place.github.issue(request.issue)
    async with AsyncExitStack() as stack:
        commits = Commits(request, place, stack)
        snapshot = await commits.get(await find_head(place))
        repo_file = await asyncio.to_thread(load_repo_file, snapshot)
        place = within_budgets(request, repo_file, place)
        plan = await plan_request(request, issue, snapshot, commits, place)
    price_known = place.runs.catalog.price_known
    unpriced = await asyncio.to_thread(find_unpriced, plan, price_known)
    rows = [await _row(spec, place, unpriced) for spec in plan.runs]
    total = await estimate_runs(plan.runs, place, unpriced=unpriced)
    asked = (*plan.runs, *(one.spec for one in plan.duplicates))
    anew = plan.model_copy(update={"runs": asked})
    unpriced = await asyncio.to_thread(find_unpriced, anew, price_known)
    is_of_several = request.eval_id == ALL_EVALS
    tiers = await compare_tiers(asked, place, is_of_several=is_of_several, unpriced=unpriced)
    return _render(plan, rows, tiers if asked else [], total, world.mention)


async def _row(spec: RunSpec, world: World, unpriced: list[str]) -> str:
    models = {model.sent for model in (spec.model, *judges_of(spec))}
    dear = [name for name in unpriced if name in models]
    estimate = await estimate_runs([spec], world, unpriced=dear)
    cells = (
        in_code(spec.eval_case.id, 80),
        in_code(spec.skill.name, 80),
        in_code(spec.model.sent, 80),
        in_code(spec.launcher),
        f"≤ {spec.trials}" if spec.until_sure == "trials" else str(spec.trials),
        _tokens(estimate),
        _time(estimate),
        _money(estimate),
    )
    return f"| {' | '.join(cells)} |"


def _tokens(estimate: Estimate) -> str:
    return numbers.tokens(round(estimate.tokens.median)) if estimate.tokens else "—"


def _time(estimate: Estimate) -> str:
    return numbers.duration(estimate.wall_s.median) if estimate.wall_s else "—"


def _money(estimate: Estimate) -> str:
    if estimate.usd is None:
        return "—"
    return numbers.usd(Decimal(str(estimate.usd.median)))


def _render(plan: Plan, rows: list[str], tiers: list[str], total: Estimate, mention: str) -> str:
    if rows:
        head = [f"### 🧮 Estimate: {numbers.plural(len(rows), 'run')}, {_expected(total)}"]
        head.append(f"Expected: {describe(total)}.")
    else:
        head = ["### 🧮 Estimate: nothing would be run"]
    table = "| Eval case | Skill | Model | Launcher | Trials | Tokens | Time | Cost |\n"
    table += "|:--|:--|:--|:--|--:|--:|--:|--:|\n"
    done = [
        f"- ⏭️ {in_code(one.spec.eval_case.id, 80)} on {in_code(one.model, 80)} was measured before"
        f"{_known(one.score, one.url)}"
        for one in plan.duplicates
    ]
    refused = [
        f"- 🚫 {in_code(one.title, 80)}: {escape.message(escape.clip(one.reason, 1_000))}"
        for one in plan.refused
    ]
    notes = [f"- {escape.sentence(note, 500)}" for note in plan.notes]
    judges = [judge.sent for spec in plan.runs[:1] for judge in judges_of(spec)]
    notes += [f"- {one}" for one in tell_relatives(judges, [spec.model.sent for spec in plan.runs])]
    parts = [
        Blocks(rows, "*Shortened.*", before=table),
        Blocks([*done, *refused, *notes], "*Shortened.*"),
        Blocks(tiers, "*Shortened.*", before=f"**By tier**, all measured anew:\n\n{HEAD}"),
    ]
    bottom = (
        "<sub>Nothing was started. Medians of past runs; time is that of the sessions. To start: "
        f"{escape.code(mention + ' run')} with the same words.</sub>"
    )
    return fit(head, parts, [bottom])


def _expected(total: Estimate) -> str:
    if total.usd is not None:
        return f"about {_money(total)}"
    if total.most_usd is not None:
        return f"{numbers.usd(total.most_usd)} at most"
    return "at an unknown price"


def _known(score: dict[str, float] | None, url: str) -> str:
    words, address = score_words(score), escape.address(url)
    shown = f": {words}" if words else ""
    return f"{shown} ([report]({address}))." if address else f"{shown}."
