"""What a run's record says of its health, for whoever puts several runs together."""

from typing import TypedDict

from jobs.health.counts import INVALID
from jobs.health.loading import find_loading
from jobs.health.weighing import count_lost, find_due
from jobs.results import RunResult


class RecordedHealth(TypedDict):
    """The fields of `RunRecord` of these names."""

    should_load: bool
    loaded: dict[str, int] | None
    lost: dict[str, int]
    invalid: bool


def health_of(result: RunResult) -> RecordedHealth:
    """The fields of a run that has ended."""
    loading = find_loading(result)
    lost = count_lost(result.spec, find_due(result), result.sessions)
    return RecordedHealth(
        should_load=result.spec.eval_case.should_load,
        loaded={"loaded": loading.loaded, "all": loading.all} if loading else None,
        lost={arm: count for arm, count in lost.items() if count},
        invalid=(result.ungraded_reason or "").startswith(INVALID),
    )
