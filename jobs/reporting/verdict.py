"""What a report says of one eval case in a sentence or two, and how many assertions say so.

One eval case is one observation: what was better, worse and the same is counted and named, and
nothing here speaks of significance.
"""

from collections.abc import Sequence

from jobs.reporting import escape, numbers
from jobs.reporting.arm_words import words_of
from jobs.reporting.conclusion import Conclusion
from jobs.reporting.trials import direction_words
from jobs.results import RunResult
from jobs.scores import ArmScore, AssertionScore

MOST_NAMED = 10
"""Assertions that a sentence names; the rest is counted."""


def render_verdict(result: RunResult, conclusion: Conclusion) -> str:
    """The paragraph, as Markdown; empty for a run without a score."""
    if result.with_skill is None or result.without_skill is None:
        return ""
    if conclusion.word == "nothing":
        return (
            "Neither session left a file or an answer, so every assertion fails for both and "
            "this says nothing about the skill. The transcripts in the archive show what the "
            "sessions did instead."
        )
    having, lacking = _achieved(result.with_skill), _achieved(result.without_skill)
    tested, other = (words.phrase for words in words_of(result.spec))
    sentences = [
        f"{tested.capitalize()} {having}; {other} {lacking}.",
        f"{_count_changes(result, conclusion)}.",
    ]
    if conclusion.split:
        readings = "The readings" if result.spec.other_judges else "The two readings"
        sentences.append(f"{readings} differ on {_ids(conclusion.split)}.")
    if result.trials:
        sentences.append(direction_words(result))
    trials = numbers.plural(len(result.whole_trials) or result.spec.trials, "trial")
    sentences.append(f"*One eval case, {trials}: an observation, not a proof.*")
    return " ".join(sentences)


def _count_changes(result: RunResult, conclusion: Conclusion) -> str:
    """How many assertions are better, worse and the same, and which."""
    better, worse = len(conclusion.better), len(conclusion.worse)
    unknown = [row for row in result.assertions if not row.counted]
    parts = [
        f"better on {better}" + (f" ({_ids(conclusion.better)})" if better else ""),
        f"worse on {worse}" + (f" ({_ids(conclusion.worse)})" if worse else ""),
        f"the same on {len(result.assertions) - better - worse - len(unknown)}",
    ]
    if unknown:
        parts.append(f"not to be verified on {len(unknown)} ({_ids(unknown)})")
    total = numbers.plural(len(result.assertions), "assertion")
    return f"Of {total}, {', '.join(parts)}"


def _achieved(score: ArmScore) -> str:
    total = numbers.count(score.passes + score.partials + score.fails)
    partly = f", {numbers.count(score.partials)} in part" if score.partials else ""
    return f"{numbers.count(score.passes)} of {total} assertions hold{partly}"


def _ids(rows: Sequence[AssertionScore]) -> str:
    shown = [f"**{escape.inline(row.assertion.id, 12)}**" for row in rows[:MOST_NAMED]]
    more = [f"{len(rows) - MOST_NAMED} more"] if len(rows) > MOST_NAMED else []
    return ", ".join([*shown, *more])
