"""Records of runs for sets: one an eval case, by how far the skill is ahead."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from jobs.conclusions.sets import EvalSet, find_sets
from jobs.results import RunRecord
from tests.builders import NOON, a_run_record

SNAPSHOTS = {"served": "claude-sonnet-4-6", "judge_served": "claude-opus-4-7", "judge_prompt": "p1"}


def scored(eval_id: str, having: float, lacking: float, **changes: Any) -> RunRecord:
    """A run with a score; its id follows from the eval case unless it is given."""
    defaults = {
        "run": f"run of {eval_id}",
        "eval_id": eval_id,
        "score": {"with_skill": having, "without_skill": lacking},
        "finished_at": NOON,
        **SNAPSHOTS,
    }
    return a_run_record(**(defaults | changes))


def unscored(eval_id: str, **changes: Any) -> RunRecord:
    """A run that came to no score, so that no judge answered in it."""
    defaults = {"run": f"lost {eval_id}", "score": None, "state": "ungraded", "judge_served": ""}
    return scored(eval_id, 0, 0, **(defaults | {"judge_prompt": ""} | changes))


def versions_scored(eval_id: str, having: float, lacking: float, **changes: Any) -> RunRecord:
    """A comparison of two versions, or of one with itself."""
    score = {"candidate_skill": having, "base_skill": lacking}
    return scored(eval_id, having, lacking, **({"score": score} | changes))


def results(wins: int, ties: int, losses: int, **changes: Any) -> list[RunRecord]:
    """So many eval cases won by half of the assertions, tied and lost."""
    steps = [0.5] * wins + [0.0] * ties + [-0.5] * losses
    return [
        scored(f"e{number:02}", 0.5 + step / 2, 0.5 - step / 2, **changes)
        for number, step in enumerate(steps)
    ]


def against_itself(steps: Sequence[float], *, later: int = 0, **changes: Any) -> list[RunRecord]:
    """A round of A/A runs, one an eval case, that differ by these steps."""
    defaults = {"vs": "self", "finished_at": NOON + timedelta(hours=later)}
    return [
        versions_scored(
            f"e{number:02}",
            0.5 + step / 2,
            0.5 - step / 2,
            run=f"self {later} {number}",
            **(defaults | changes),
        )
        for number, step in enumerate(steps)
    ]


def only_set(records: Sequence[RunRecord]) -> EvalSet:
    [found] = find_sets(records)
    return found
