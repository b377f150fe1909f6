"""A run as a row of a list."""

from collections.abc import Iterable
from datetime import datetime

from jobs.dashboard.values import RunRow, RunState
from jobs.reporting.arm_words import get_scores
from jobs.results import RunRecord


def make_run_row(record: RunRecord) -> RunRow:
    """A run as a list shows it; scores and difference are None unless it came to a score.

    A run that counts in no set keeps its scores: they were measured. `counts` says so.
    """
    scores = get_scores(record.score) if record.state == "complete" else None
    tested, other = scores or (None, None)
    return RunRow(
        run=record.run,
        repo=record.repo,
        skill=record.skill,
        sha=record.skill_sha,
        eval_id=record.eval_id,
        issue=record.issue,
        pull=record.pull,
        model=record.model,
        vs=record.vs,
        launcher=record.launcher,
        trials=record.trials,
        state=find_state(record),
        with_skill=tested,
        without_skill=other,
        difference=scores[0] - scores[1] if scores else None,
        counts=scores is not None and record.should_load and not record.canary_passed,
        cost_usd=record.cost_usd,
        ended_at=record.finished_at,
        url=record.url,
    )


def find_state(record: RunRecord) -> RunState:
    """How a run ended, in a word."""
    return "invalid" if record.invalid else record.state


def find_end(records: Iterable[RunRecord]) -> datetime | None:
    """When the last of them ended; None where none says."""
    return max((one.finished_at for one in records if one.finished_at), default=None)
