"""What a report says of sessions without a skill that another run had paid for.

One line tells which they are, how old, and what they saved; a sign marks each figure of theirs.
What it costs the comparison is said with it: the arms did not run side by side.
"""

from collections.abc import Mapping
from decimal import Decimal

from jobs.reporting import escape, numbers
from jobs.results import RunResult
from jobs.values import SessionResult

SIGN = "♻️"
MOST_RUNS = 5
_HOUR_S, _DAY_S = 3600.0, 86_400.0


def render_reused(result: RunResult, urls: Mapping[str, str]) -> str:
    """The line; empty where every session ran for this run. `urls` are reports by run."""
    reused = result.reused
    if not reused:
        return ""
    runs = list(dict.fromkeys(one.reused_from for one in reused))
    named = [_name(run, urls) for run in runs[:MOST_RUNS]]
    if len(runs) > MOST_RUNS:
        named.append(f"{len(runs) - MOST_RUNS} more")
    wanted = result.trials_wanted
    which = (
        "the session without the skill was that"
        if wanted == 1
        else f"{len(reused)} of {wanted} sessions without the skill were those"
    )
    judged = " They met the same world, and both outputs were judged anew." if result.graded else ""
    return (
        f"**Baseline** {SIGN} {which} of {', '.join(named)}, {_ages(result)}: the arms did not run "
        f"side by side.{judged} Saved: {_saved(reused)}. `--force --fresh` runs both together."
    )


def mark_reused(result: RunResult, shown: str) -> str:
    """A figure of the other arm, with the sign where a session of that arm was used again."""
    return f"{shown} {SIGN}" if result.reused else shown


def _name(run: str, urls: Mapping[str, str]) -> str:
    shown, url = f"run {escape.code(run, 20)}", escape.address(urls.get(run, ""))
    return f"[{shown}]({url})" if url else shown


def _ages(result: RunResult) -> str:
    """How old they were as this run began: `3 days old`, `2 to 5 days old`."""
    ages = [max((result.started_at - one.started_at).total_seconds(), 0.0) for one in result.reused]
    least, most = _age(min(ages)), _age(max(ages))
    return f"{most} old" if least == most else f"{least} to {most} old"


def _age(seconds: float) -> str:
    if seconds >= _DAY_S:
        return numbers.plural(int(seconds // _DAY_S), "day")
    if seconds >= _HOUR_S:
        return numbers.plural(int(seconds // _HOUR_S), "hour")
    return numbers.plural(int(seconds // 60), "minute") if seconds >= 60 else "under a minute"


def _saved(reused: tuple[SessionResult, ...]) -> str:
    costs = [one.usage.cost_usd for one in reused if one.usage.cost_usd is not None]
    tokens = f"{numbers.tokens(sum(one.usage.total_tokens for one in reused))} tokens"
    if len(costs) < len(reused):
        return f"{tokens}, at a price not known"
    return f"{numbers.usd(sum(costs, Decimal(0)))}, {tokens}"
