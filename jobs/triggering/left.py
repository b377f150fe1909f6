"""Where observations lie of a measurement that was cancelled, or ran out of money.

They are paid for and belong to nobody, so whoever asks for the same takes them over. What a
measurement has found is in its report and is never taken over.
"""

from jobs.ports import BlobStore
from jobs.triggering.plan import TriggerRun


async def find_left(key: str, blobs: BlobStore) -> str | None:
    """Where the observations of an unfinished measurement with this key are kept."""
    stored = await blobs.get(_blob(key))
    return stored.decode() if stored else None


async def leave(run: TriggerRun, blobs: BlobStore) -> None:
    """Offer what a measurement has seen to the next one like it."""
    await blobs.put(_blob(run.key), run.prefix.encode())


async def take(run: TriggerRun, blobs: BlobStore) -> None:
    """A measurement has ended: its observations are nobody else's."""
    await blobs.delete(_blob(run.key))


def _blob(key: str) -> str:
    return f"triggering/left-{key}"
