"""The result that a new one may be held against: the same question about another version."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import PurePosixPath

from jobs.calibration.series import series_key
from jobs.results import RunRecord, leave_out_pulls


def find_previous(record: RunRecord, records: Iterable[RunRecord]) -> RunRecord | None:
    """The newest finished run before this one that differs in nothing but the skill's version.

    A pull request's head is the previous version of nothing but its own next head.
    Scores of another series (`jobs.calibration.series`) or of another eval text belong in
    another trend, so none of them is a previous result. What counts nowhere
    is held against nothing.
    """
    if record.canary_passed:
        return None
    ended = record.finished_at or datetime.max.replace(tzinfo=UTC)
    fitting = [
        one
        for one in leave_out_pulls(records, but=record.pull)
        if one.score is not None
        and not one.canary_passed
        and one.run != record.run
        and one.skill_sha != record.skill_sha
        and _question(one) == _question(record)
        and one.ended_at <= ended
    ]
    return max(fitting, key=lambda one: (one.ended_at, one.run), default=None)


def _question(record: RunRecord) -> tuple[str, ...]:
    return (
        # a folder that was moved keeps its name, and no case is about two skills of one name
        *(record.eval_id, record.eval_digest, PurePosixPath(record.skill).name),
        *(record.model_identity, record.launcher, record.mode, record.vs, record.environment),
        *(*series_key(record), str(record.trials)),
    )
