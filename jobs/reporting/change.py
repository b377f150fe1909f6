"""How a result compares with the one before it: score, tokens and time, with arrows.

▲ is more and ▼ is less; whether that is good, the reader knows: of a score more is, of tokens
and time less.
"""

from collections.abc import Callable

from jobs.reporting import escape, numbers
from jobs.results import SAME_SCORE, RunRecord

UP, DOWN, SAME = "▲", "▼", "="
ARM = "with_skill"
"""Whose figures are compared: the arm that has the skill."""


def score_of(record: RunRecord | None) -> float | None:
    """The score with the skill; None where there is none, or where two versions were compared."""
    return None if record is None or record.score is None else record.score.get(ARM)


def compare_scores(now: float, before: float) -> str:
    """`▲ 17 points`, `▼ 5 points`, `=`."""
    difference = now - before
    if abs(difference) < SAME_SCORE:
        return SAME
    return f"{UP if difference > 0 else DOWN} {numbers.points(difference)}"


def compare_amounts(now: float, before: float) -> str:
    """`▲ 12%`, `▼ 8%`, `=`; empty where there was nothing to be a part of."""
    if before <= 0:
        return ""
    part = round((now - before) / before * 100)
    return f"{UP if part > 0 else DOWN} {abs(part)}%" if part else SAME


def render_amount(
    now: RunRecord, before: RunRecord | None, field: str, show: Callable[[float], str]
) -> str:
    """Tokens or seconds of the arm with the skill, and how they changed; a dash for unknown."""
    amount = _amount(now, field)
    if amount is None:
        return "—"
    earlier = None if before is None else _amount(before, field)
    change = "" if earlier is None else compare_amounts(amount, earlier)
    return f"{show(amount)} {change}".strip()


def render_tokens(now: RunRecord, before: RunRecord | None) -> str:
    return render_amount(now, before, "tokens", lambda amount: numbers.tokens(round(amount)))


def render_time(now: RunRecord, before: RunRecord | None) -> str:
    return render_amount(now, before, "wall_s", numbers.duration)


def render_change(now: RunRecord, before: RunRecord | None) -> str:
    """One line for a report: against which version, and what has changed; empty if nothing fits."""
    score, earlier = score_of(now), score_of(before)
    if before is None or score is None or earlier is None:
        return ""
    version = escape.code(before.skill_sha[:12])
    url = escape.address(before.url)
    against = f"[{version}]({url})" if url else version
    scores = f"{numbers.percent(earlier)} → {numbers.percent(score)}"
    parts = [
        f"score {scores} {compare_scores(score, earlier)}",
        f"tokens {render_tokens(now, before)}",
        f"time {render_time(now, before)}",
    ]
    return f"**With the skill, against its previous version** {against}: {' · '.join(parts)}"


def _amount(record: RunRecord, field: str) -> float | None:
    amounts: dict[str, float] | None = getattr(record, field)
    return None if amounts is None else amounts.get(ARM)
