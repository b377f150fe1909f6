"""What the same runs would take by each tier, side by side."""

from collections.abc import Sequence
from decimal import Decimal

from config.tiers import MAX_TRIALS, TIERS, HowOften, Tier
from jobs.budgets import at_least, estimate_runs, is_too_dear
from jobs.estimates import Estimate
from jobs.inquiries.words import in_code
from jobs.reporting import escape, numbers
from jobs.sequential.planning import leave_too_few, plan_trials
from jobs.values import RunSpec
from jobs.world import World

HEAD = "| Tier | What it is | Expected | At most |\n|:--|:--|:--|--:|\n"


async def compare_tiers(
    specs: Sequence[RunSpec], world: World, *, is_of_several: bool, unpriced: Sequence[str]
) -> list[str]:
    """A row of Markdown for each tier; `specs` are measured anew, whatever is known of them.

    `is_of_several` where eval cases of a set are added, and not trials of one.
    """
    rows = []
    for name, tier in TIERS.items():
        planned = _by_tier(specs, tier, is_of_several=is_of_several)
        total = await estimate_runs(planned, world, unpriced=unpriced)
        dear = [
            is_too_dear(await estimate_runs([at_least(one)], world, unpriced=unpriced))
            for one in planned
        ]
        cells = (in_code(name), _meaning(tier, planned), _expected(total, dear), _most(total))
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def _by_tier(specs: Sequence[RunSpec], tier: Tier, *, is_of_several: bool) -> list[RunSpec]:
    often = HowOften(tier.trials, tier.until_sure, MAX_TRIALS)
    trials = plan_trials(often, is_one_of_several=is_of_several)
    said = {"trials": trials.number, "until_sure": trials.until_sure}
    planned, _ = leave_too_few([one.model_copy(update=said) for one in specs], ())
    return planned


def _meaning(tier: Tier, planned: Sequence[RunSpec]) -> str:
    if not tier.until_sure:
        return tier.meaning
    if any(one.until_sure == "trials" for one in planned):
        return tier.meaning
    if any(one.until_sure == "evals" for one in planned):
        return "eval cases until it is sure, one trial of each"
    return "one trial of each eval case: too few to be sure"


def _expected(total: Estimate, dear: Sequence[bool]) -> str:
    if total.tokens is None:
        return ", ".join(["no past runs to go by", *filter(None, [total.until_sure])])
    parts = [numbers.usd(Decimal(str(total.usd.median)))] if total.usd else []
    parts.append(f"{numbers.tokens(round(total.tokens.median))} tokens")
    if total.wall_s:
        parts.append(numbers.duration(total.wall_s.median))
    if total.until_sure:
        parts.append(escape.sentence(total.until_sure, 100))
    if any(dear):
        parts.append("🚫 more than the limit of one run")
    return ", ".join(parts)


def _most(total: Estimate) -> str:
    return "—" if total.most_usd is None else numbers.usd(total.most_usd)
