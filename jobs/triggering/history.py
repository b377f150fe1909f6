"""How a skill's description did over time: each ended measurement of it, kept by skill.

What is known by its key answers whoever asks for the very same; this is for whoever looks back.
It is never swept, and `skillbench rebuild` puts it back from the markers in reports. A run is kept
under its id, so noting it twice is once.
"""

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Protocol

from jobs.planning.dedup import kept
from jobs.ports import BlobStore
from jobs.results import LONG_AGO
from jobs.triggering.record import TriggerRecord, read_record

HISTORY = "triggering/history"
"""What all of it lies below."""
MOST = 200
"""Measurements of a skill that are read, those that were noted last."""
AT_ONCE = 20
_RUN = re.compile(r"[0-9a-z]{1,64}")


class StoredBlob(Protocol):
    """What a listing says of a blob."""

    @property
    def key(self) -> str: ...
    @property
    def changed_at(self) -> datetime:
        """When it was put there last."""


class ListedBlobs(BlobStore, Protocol):
    """A blob store that can say what it holds."""

    def walk(self, folder: str) -> AsyncIterator[StoredBlob]:
        """Everything below a folder, in any order."""


async def note_measurement(record: TriggerRecord, blobs: BlobStore) -> None:
    """Keep a measurement of the description that the version has; one with gaps, too."""
    if _RUN.fullmatch(record.run):
        key = f"{_folder(record.repo, record.skill)}/{record.run}.json"
        await blobs.put(key, record.model_dump_json().encode())


async def read_measurements(repo: str, skill: str, blobs: ListedBlobs) -> list[TriggerRecord]:
    """Measurements of a skill's description in all its versions, the oldest first.

    Raises `Transient` where the store stays away.
    """
    listed = [blob async for blob in blobs.walk(_folder(repo, skill))]
    listed.sort(key=lambda blob: (blob.changed_at, blob.key), reverse=True)
    keys = [blob.key for blob in listed[:MOST]]
    found: list[TriggerRecord] = []
    for first in range(0, len(keys), AT_ONCE):
        read = await asyncio.gather(*(blobs.get(key) for key in keys[first : first + AT_ONCE]))
        records = [read_record(one.decode("utf-8", "replace")) for one in read if one is not None]
        found += [one for one in records if one is not None]
    return sorted(found, key=lambda one: (one.ended_at or LONG_AGO, one.run))


def _folder(repo: str, skill: str) -> str:
    """GitHub's names are the same in any case; long ones are kept shortened."""
    name = hashlib.sha256(f"{kept(repo).casefold()}\0{kept(skill)}".encode()).hexdigest()
    return f"{HISTORY}/{name[:32]}"
