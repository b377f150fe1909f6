"""Whether whoever reads a report must act, and how: one line below the conclusion.

It follows from what was found in this one eval case, and advises nothing beyond it.
"""

from collections.abc import Sequence

from jobs.reporting import escape
from jobs.reporting.conclusion import Conclusion
from jobs.reporting.loaded import advise_dormant
from jobs.results import RunResult
from jobs.scores import AssertionScore
from jobs.weak_evals.soundness import find_flagged, is_passed_by_canary

MOST_NAMED = 5
_NOTHING = "Nothing."


def render_what_to_do(result: RunResult, conclusion: Conclusion) -> str:
    """The line, as Markdown."""
    advice = _advice(result, conclusion)
    flagged = find_flagged(result)
    if flagged and not is_passed_by_canary(result):
        sharpen = f"Sharpen {_ids(flagged)}: a false answer passes there."
        advice = sharpen if advice == _NOTHING else f"{advice} {sharpen}"
    return f"**To do** {advice}"


def _advice(result: RunResult, conclusion: Conclusion) -> str:
    if conclusion.word == "nothing":
        return "Read the transcripts in the archive: neither session knew what to hand in."
    if is_passed_by_canary(result):
        return "Mend the eval case first: a false answer passes all of it."
    if not result.spec.eval_case.should_load:
        return advise_dormant(result, conclusion)
    if any(one.skill_loaded is False for one in result.sessions):
        return (
            "First let the skill be found: a session that had it never loaded it. The command "
            "`trigger` measures its description."
        )
    tested = "this version" if result.spec.other is not None else "the skill"
    worse = _ids(conclusion.worse)
    return {
        "higher": f"Nothing urgent; {tested} was worse on {worse}." if worse else _NOTHING,
        "lower": f"Look at {worse} before {tested} goes out: worse there.",
        "mixed": _look_closer(conclusion),
        "same": _same(result, tested),
    }[conclusion.word]


def _look_closer(conclusion: Conclusion) -> str:
    sides = [("better", conclusion.better), ("worse", conclusion.worse)]
    seen = " and ".join(f"{word} on {_ids(rows)}" for word, rows in sides if rows)
    return f"Look closer: {seen or 'the readings point both ways'}."


def _same(result: RunResult, tested: str) -> str:
    if _all_met(result):
        return "Nothing; but all was met either way, so harder assertions would tell more."
    return f"Nothing; but {tested} made no difference here, so see whether it is about this task."


def _all_met(result: RunResult) -> bool:
    scores = (result.with_skill, result.without_skill)
    return all(score is not None and score.score == 1 for score in scores)


def _ids(rows: Sequence[AssertionScore]) -> str:
    shown = [f"**{escape.inline(row.assertion.id, 12)}**" for row in rows[:MOST_NAMED]]
    more = [f"{len(rows) - MOST_NAMED} more"] if len(rows) > MOST_NAMED else []
    return ", ".join([*shown, *more])
