"""What a report says of several trials: each by itself, means with their range, counts.

Trials of one eval case tell how steady its result is; they are no further eval cases. A
spread is given as the least and the most that was seen, with a standard error from four trials
on, and by no interval: a handful of trials holds none.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from statistics import fmean

from jobs.readings import WORTH, Verdict
from jobs.reporting import escape, numbers
from jobs.reporting.arm_words import words_of
from jobs.reporting.conclusion import sign
from jobs.results import SAME_SCORE, RunResult
from jobs.scores import ArmScore, TrialResult
from jobs.statistics.intervals import find_standard_error
from jobs.values import Arm, SessionResult

MOST_TRIALS = 20
"""Rows of the table; as many trials as a run can have."""
FEWEST_FOR_ERROR = 4
"""Trials from which the standard error of a mean says more than how lucky two or three were."""
_SIGNS = {1: "🟢", -1: "🔴", 0: "⚪"}


def count_whole(result: RunResult) -> str:
    """`3 trials`, or `2 of 3 trials` where some came to no score."""
    wanted = numbers.plural(result.trials_wanted, "trial")
    whole = len(result.whole_trials)
    return wanted if whole == result.trials_wanted else f"{whole} of {wanted}"


def render_trials(result: RunResult) -> str:
    """The table of a run's trials, one a row; empty where one was wanted."""
    if not result.trials:
        return ""
    tested, other = words_of(result.spec)
    rows = [_row(one) for one in result.trials[:MOST_TRIALS]]
    head = f"| Trial | {tested.title} | {other.title} | Difference |\n|:--|--:|--:|:--|"
    return "### Trials\n\n" + "\n".join([head, *rows])


def score_rows(result: RunResult) -> list[tuple[str, ...]]:
    """Rows of the scorecard on the score: means, with the least and the most."""
    if not result.graded or result.with_skill is None or result.without_skill is None:
        return []
    whole = result.whole_trials
    both = (
        (result.with_skill, [one.with_skill.score for one in whole if one.with_skill]),
        (result.without_skill, [one.without_skill.score for one in whole if one.without_skill]),
    )
    scores = [
        f"**{numbers.percent(mean.score)}**{_spread(each, numbers.percent, numbers.points)}"
        for mean, each in both
    ]
    counts = [_counts(mean) for mean, _ in both]
    return [("**Score** (mean)", *scores), ("Pass / partial / fail (mean)", *counts)]


def usage_rows(result: RunResult) -> list[tuple[str, ...]]:
    """Rows on time, tokens and money of a session: means, with the least and the most.

    Over the trials that have a score; over all sessions where none has.
    """
    each = [_sessions(result, arm) for arm in result.spec.arms]
    return [
        ("Time (mean)", *(_mean([one.wall_s for one in arm], numbers.duration) for arm in each)),
        (
            "Tokens (mean)",
            *(_mean([one.usage.total_tokens for one in arm], _tokens) for arm in each),
        ),
        ("Cost (mean)", *map(_cost, each)),
    ]


def count_verdicts(result: RunResult, assertion: str) -> tuple[str, str]:
    """In how many whole trials an assertion held, in each arm: `✅ 2 · ❌ 1`.

    A trial whose readings differ counts like a partial verdict.
    """
    rows = [
        row
        for trial in result.whole_trials
        for row in trial.assertions
        if row.assertion.id == assertion
    ]
    return (
        _count([row.with_skill for row in rows]),
        _count([row.without_skill for row in rows]),
    )


def direction_words(result: RunResult) -> str:
    """A sentence on how many trials point which way."""
    counts = Counter(sign(one.difference or 0) for one in result.whole_trials)
    tested, _ = words_of(result.spec)
    parts = [
        f"{word} in {counts[direction]}"
        for direction, word in ((1, "higher"), (-1, "lower"), (0, "the same"))
        if counts[direction]
    ]
    return f"By trial, the score {tested.phrase} is {', '.join(parts)}."


def _row(trial: TrialResult) -> str:
    difference = trial.difference
    if difference is None or trial.with_skill is None or trial.without_skill is None:
        reason = escape.sentence(trial.ungraded_reason or "not scored", 200)
        return f"| {trial.number} | — | — | ⚠️ not scored: {reason} |"
    scores = (trial.with_skill.score, trial.without_skill.score)
    having, lacking = map(numbers.percent, scores)
    shown = f"{_SIGNS[sign(difference)]} {numbers.signed_points(difference)}"
    return f"| {trial.number} | {having} | {lacking} | {shown} |"


def _sessions(result: RunResult, arm: Arm) -> list[SessionResult]:
    whole = {one.number for one in result.whole_trials}
    return [one for one in result.sessions if one.arm is arm and (not whole or one.trial in whole)]


def _counts(score: ArmScore) -> str:
    return " / ".join(numbers.count(value) for value in (score.passes, score.partials, score.fails))


def _mean(values: Sequence[float], show: Callable[[float], str]) -> str:
    return f"{show(fmean(values))}{_spread(values, show, show)}" if values else "—"


def _spread(
    values: Sequence[float], show: Callable[[float], str], show_error: Callable[[float], str]
) -> str:
    """The least and the most in brackets, from `FEWEST_FOR_ERROR` trials on the standard error.

    Nothing where there is one value. Where all are alike the spread is unknown, which is not none.
    """
    if len(values) < 2:
        return ""
    low, high = min(values), max(values)
    if high - low < SAME_SCORE:
        return f" (all {len(values)} alike: spread unknown)"
    parts = [f"{show(low)} to {show(high)}"] if show(low) != show(high) else []
    error = find_standard_error(values) if len(values) >= FEWEST_FOR_ERROR else None
    if error is not None:
        parts.append(f"s.e. {show_error(error)}")
    return f" ({', '.join(parts)})" if parts else ""


def _tokens(number: float) -> str:
    return numbers.tokens(round(number))


def _dollars(amount: float) -> str:
    return numbers.usd(Decimal(str(round(amount, 9))))


def _cost(sessions: Sequence[SessionResult]) -> str:
    known = [one.usage.cost_usd for one in sessions if one.usage.cost_usd is not None]
    if not known or len(known) < len(sessions):
        return numbers.UNKNOWN
    return _mean([float(one) for one in known], _dollars)


def _count(trials: Sequence[Sequence[Verdict]]) -> str:
    counts = Counter(_icon(verdicts) for verdicts in trials)
    return " · ".join(f"{icon} {counts[icon]}" for icon in "✅🟡❌❔" if counts[icon]) or "—"


def _icon(verdicts: Sequence[Verdict]) -> str:
    worths = [one.worth for one in verdicts if one.worth is not None]
    if not worths:
        return "❔"
    worth = fmean(worths)
    return "✅" if worth == WORTH["pass"] else "❌" if worth == WORTH["fail"] else "🟡"
