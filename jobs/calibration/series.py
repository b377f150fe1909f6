"""Which runs may be put into one series: same model, same judge, same scoring prompt, as served.

A provider lets an alias answer with another snapshot from one day to the next, and a score moves
with the judge and with what it is told. So figures over several runs are kept apart by what
really answered, never by what was asked for.
"""

from collections.abc import Iterable

from jobs.readings import JudgePass
from jobs.results import RunRecord
from jobs.values import SessionResult

SENT = "sent:"
"""Begins the name of a model of which only is known that it was asked: no snapshot bears it."""
_SEVERAL = "+"


def series_key(record: RunRecord) -> tuple[str, str, str]:
    """The tested model's snapshot, the judge's snapshot and the digest of the scoring prompt.

    Where a record does not say who answered, what was sent stands in its place, marked, so that
    it is one series with nothing of which more is known.
    """
    return (
        record.served or f"{SENT}{record.model_identity}",
        record.judge_served or f"{SENT}{record.judge}",
        record.judge_prompt,
    )


def find_served(sessions: Iterable[SessionResult]) -> str:
    """The snapshot that answered in a run's sessions; empty where none says.

    A run with a score has one; of several every one is named.
    """
    return _SEVERAL.join(sorted({model for one in sessions for model in one.served_models}))


def find_judge_served(passes: Iterable[JudgePass]) -> str:
    """The snapshot that gave a run's verdicts, as above."""
    return _SEVERAL.join(sorted({one.served_model for one in passes if one.served_model}))
