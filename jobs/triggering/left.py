"""Where observations lie of a measurement that has not ended: cancelled, lost, without money.

They are paid for, so whoever asks for the same goes on with them. Who may go on is decided by
the hold on the measurement's key, not here. What a measurement has found is in its report and
is never taken over.
"""

from jobs.ports import BlobStore
from jobs.triggering.plan import TriggerRun


async def take_over(run: TriggerRun, blobs: BlobStore) -> str:
    """Where to keep a measurement's observations: where the unfinished one like it did."""
    stored = await blobs.get(_blob(run.key))
    if stored:
        return stored.decode()
    await blobs.put(_blob(run.key), run.prefix.encode())
    return run.prefix


async def forget_left(run: TriggerRun, blobs: BlobStore) -> None:
    """A measurement has ended: its observations are for nobody else."""
    await blobs.delete(_blob(run.key))


def _blob(key: str) -> str:
    return f"triggering/left-{key}"
