"""`comparison.json`: both outputs of a run side by side, with the one that met more.

That format has marks for content and structure, too. Nobody gave such marks here, so they are
left out; each output's score is what the verdicts come to.
"""

from typing import Any

from jobs.interchange.gradings import find_expectations, make_summary
from jobs.judging.blind import unblind_text
from jobs.results import SAME_SCORE, RunResult


def make_comparison(result: RunResult, trial: int) -> dict[str, Any] | None:
    """The whole file for one trial, `A` being the arm under test; None without a score."""
    sessions = {one.arm: one for one in result.sessions if one.trial == trial}
    difference = result.difference
    if result.trials:
        own = next((one for one in result.trials if one.number == trial), None)
        difference = own.difference if own else None
    if difference is None or not all(arm in sessions for arm in result.spec.arms):
        return None
    tested, other = (find_expectations(result, sessions[arm]) for arm in result.spec.arms)
    winner = "TIE" if abs(difference) < SAME_SCORE else "A" if difference > 0 else "B"
    readings = [one for one in result.passes if one.trial == trial]
    return {
        "winner": winner,
        "reasoning": " ".join(
            unblind_text(text, one.number, result.candidate_1_is)
            for one in readings
            for text in one.observations
        ),
        "expectation_results": {
            letter: {
                **make_summary(own),
                "details": [{"text": one.text, "passed": one.passed} for one in own],
            }
            for letter, own in (("A", tested), ("B", other))
        },
        "difference": round(difference, 4),
    }
