"""Bundles and archives on the web process's own disk while their contents are looked at.

A zip is read from its end, so it must lie in a file. What was not used lately goes first; whoever
has a file open keeps it, though its name is gone.
"""

import asyncio
import hashlib
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO
from weakref import WeakValueDictionary

from bot.blobs import Blobs
from jobs.ports import LARGEST_ARCHIVE

MOST_BYTES = 1_000_000_000
UNUSED_S = 86_400.0
"""What nobody has looked at for so long goes as well, so that little outlives its sweep."""
_PART = "part-"


class WebCache:
    """A folder of blobs, bounded in bytes."""

    def __init__(
        self, folder: Path, *, most_bytes: int = MOST_BYTES, largest: int = LARGEST_ARCHIVE
    ) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._largest = largest
        self._fetching: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def open(self, key: str, blobs: Blobs) -> BinaryIO | None:
        """The blob as a file that the caller closes; None where nothing is stored.

        Raises `Transient` as `blobs` does, `ValueError` for a blob that is too large to be ours.
        """
        path = self._folder / hashlib.sha256(key.encode()).hexdigest()[:40]
        lock = self._fetching.setdefault(key, asyncio.Lock())
        async with lock:  # whoever comes second finds what the first has fetched
            file = await asyncio.to_thread(_open, path)
            if file is None and await self._fetch(key, path, blobs):
                file = await asyncio.to_thread(_open, path)
        return file

    async def _fetch(self, key: str, path: Path, blobs: Blobs) -> bool:
        pieces = await blobs.pieces(key)
        if pieces is None:
            return False
        await asyncio.to_thread(self._folder.mkdir, parents=True, exist_ok=True)
        part = self._folder / f"{_PART}{secrets.token_hex(8)}"
        try:
            size = 0
            with await asyncio.to_thread(part.open, "xb") as file:
                async for piece in pieces:
                    size += len(piece)
                    if size > self._largest:
                        raise ValueError(f"{key} is larger than {self._largest} bytes")
                    await asyncio.to_thread(file.write, piece)
            await asyncio.to_thread(part.replace, path)
        finally:
            await asyncio.to_thread(part.unlink, missing_ok=True)
        await asyncio.to_thread(_evict, self._folder, self._most_bytes, path)
        return True


def _open(path: Path) -> BinaryIO | None:
    """The file, marked as used now."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return None
    with suppress(OSError):  # another process has just removed it
        os.utime(path)
    return file


def _evict(folder: Path, most_bytes: int, newest: Path) -> None:
    """Remove what was used longest ago, until the rest fits; never what was just fetched."""
    found = []
    for entry in os.scandir(folder):
        with suppress(FileNotFoundError):
            about = entry.stat()
            found.append((about.st_mtime, about.st_size, entry.name))
    now = max((mtime for mtime, _, _ in found), default=0.0)
    left = sum(size for _, size, _ in found)
    for mtime, size, name in sorted(found):
        if name == newest.name or (left <= most_bytes and now - mtime <= UNUSED_S):
            continue
        if name.startswith(_PART) and now - mtime <= UNUSED_S:
            continue  # somebody is writing it
        (folder / name).unlink(missing_ok=True)
        left -= size
