"""A run as a row of a list."""

from jobs.dashboard.values import RunRow, RunState
from jobs.reporting.arm_words import get_scores
from jobs.results import RunRecord


def find_state(record: RunRecord) -> RunState:
    """How a run ended, in a word."""
    return "invalid" if record.invalid else record.state


def make_run_row(record: RunRecord) -> RunRow:
    """The row of a run; of two versions, `with_skill` is the score of the one under test."""
    scores = get_scores(record.score)
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
        cost_usd=record.cost_usd,
        ended_at=record.finished_at,
        url=record.url,
    )
