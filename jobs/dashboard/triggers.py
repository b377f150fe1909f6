"""How often a skill's description is heeded, over its versions."""

from jobs.dashboard.values import TriggerPoint
from jobs.triggering.history import ListedBlobs, read_measurements
from jobs.triggering.record import TriggerRecord


async def find_trigger_history(
    repo: str, skill: str, blobs: ListedBlobs
) -> tuple[TriggerPoint, ...]:
    """Measurements of a skill's description, the oldest first.

    `repo` is `owner/name`, `skill` the path of its folder. Raises `Transient` where the store
    stays away.
    """
    return tuple(map(_make_point, await read_measurements(repo, skill, blobs)))


def _make_point(record: TriggerRecord) -> TriggerPoint:
    return TriggerPoint(
        run=record.run,
        sha=record.skill_sha,
        model=record.model,
        launcher=record.launcher,
        eval_set=record.eval_set,
        ended_at=record.ended_at,
        precision=record.scores.get("precision"),
        recall=record.scores.get("recall"),
        queries=record.queries,
        missing=record.missing,
        url=record.url,
    )
