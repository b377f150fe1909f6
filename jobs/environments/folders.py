"""The prepared folders of a worker: found by digest, kept whole, swept when long unused.

A folder appears under its digest by one rename, after everything in it is in place, so that
a half-built one is never found; of two processes that build the same, the first one's stays.
What a killed process leaves is known by its lock, which died with it.
"""

import asyncio
import fcntl
import json
import os
import re
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from jobs.environments.fingerprint import fingerprint
from jobs.sessions.workspace import remove_tree

UNUSED_FOR = timedelta(days=30)
"""After which a folder is swept; no request lasts nearly as long."""

_DIGEST = re.compile(r"[0-9a-f]{64}")
_BUILDING = "building-"
_SWEPT = "swept-"
_FOLDER = "environment"
_RECORD = "record.json"
"""Beside the folder, never in it. Its time of change is when the folder was last asked for."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A prepared folder."""

    path: Path
    content: str
    """SHA-256 over everything in it."""


class Folders:
    """All prepared folders below one folder of the worker's own."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def find(self, digest: str) -> Folder | None:
        """The folder prepared for an environment, marked as used now; None if there is none."""
        home = self._home(digest)
        try:
            content = json.loads((home / _RECORD).read_bytes())["content"]
            os.utime(home / _RECORD)
        except FileNotFoundError:
            return None
        return Folder(home / _FOLDER, str(content))

    @asynccontextmanager
    async def building(self) -> AsyncIterator[Path]:
        """A new folder to build in, removed at the end with whatever is left in it."""
        path, lock = await asyncio.to_thread(self._claim)
        try:
            yield path
        finally:
            await asyncio.to_thread(remove_tree, path)
            os.close(lock)

    def keep(self, digest: str, built: Path, building: Path) -> Folder:
        """Take a built folder, on the same disk as `building`, under its digest.

        Raises `TooLarge` for a tree that goes on and on, `OSError` where the disk fails.
        """
        content = fingerprint(built)
        finished = building / "finished"
        finished.mkdir(mode=0o700)
        built.rename(finished / _FOLDER)
        (finished / _RECORD).write_text(json.dumps({"content": content}), encoding="ascii")
        with suppress(OSError):  # another process was first
            finished.rename(self._home(digest))
        found = self.find(digest)
        if found is None:
            raise OSError(f"nothing can be kept at {self._home(digest)}")
        return found

    def sweep(self) -> None:
        """Remove what nobody has asked for in a long time, and what the killed have left."""
        with suppress(FileNotFoundError):
            for path in sorted(self._root.iterdir()):
                if path.name.startswith((_BUILDING, _SWEPT)):
                    _remove_unlocked(path)
                elif _DIGEST.fullmatch(path.name) and _unused_s(path) > UNUSED_FOR.total_seconds():
                    swept = self._root / f"{_SWEPT}{path.name}"
                    path.rename(swept)  # from here on nobody finds a part of it
                    remove_tree(swept)

    def _home(self, digest: str) -> Path:
        if not _DIGEST.fullmatch(digest):
            raise ValueError("the digest of an environment has 64 hexadecimal digits")
        return self._root / digest

    def _claim(self) -> tuple[Path, int]:
        """A folder of a new name, and the lock that says that somebody is at work in it."""
        self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
        while True:
            path = Path(tempfile.mkdtemp(prefix=_BUILDING, dir=self._root))
            lock = _lock(path)
            if lock is not None:
                return path, lock


def _lock(path: Path) -> int | None:
    """Lock a folder for as long as the descriptor is open; None if others have, or it is gone."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.stat()
    except (BlockingIOError, FileNotFoundError):
        os.close(fd)
        return None
    return fd


def _remove_unlocked(path: Path) -> None:
    lock = _lock(path)
    if lock is not None:
        remove_tree(path)
        os.close(lock)


def _unused_s(home: Path) -> float:
    try:
        return time.time() - (home / _RECORD).stat().st_mtime
    except FileNotFoundError:
        return float("inf")
