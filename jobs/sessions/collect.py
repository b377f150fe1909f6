"""Takes what a session left in `output/`, and nothing else.

The folder was written by untrusted code. Every step goes through an open folder and
refuses links, so no path can lead out of it, not even one that changes meanwhile. Links,
special files and whatever goes over a cap are left out and named, never followed, opened
or waited for.
"""

import asyncio
import errno
import hashlib
import os
import stat
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from jobs.values import OutputFile

MAX_BYTES = 64 * 1024 * 1024
MAX_FILES = 500
MAX_ENTRIES = 20_000
"""Names looked at, so that a folder of a million empty files costs no minutes."""
MAX_DEPTH = 40
MAX_NAMED = 100
"""Left-out entries that are named; the rest is counted."""
_CHUNK = 1024 * 1024
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
"""Not blocking: to open a fifo must not wait for somebody to write into it."""


@dataclass(frozen=True, slots=True)
class Collected:
    """What was taken, sorted by path, and what was left out, each with its reason."""

    files: tuple[OutputFile, ...]
    left_out: tuple[str, ...]


class _Stopped(Exception):  # noqa: N818
    """Nobody waits for the result any more."""


async def collect_output(
    output: Path, target: Path, *, max_bytes: int = MAX_BYTES, max_files: int = MAX_FILES
) -> Collected:
    r"""Copy the regular files of `output` to the new folder `target`.

    Names are kept; only what is not UTF-8 in them is written as `\xNN`. A missing
    `output`, or one that is no folder, is an empty collection. Runs in a thread that
    stops soon after its caller was cancelled. Raises `FileExistsError` if `target` exists.
    """
    stop = threading.Event()
    collector = _Collector(max_bytes, max_files, stop)
    try:
        return await asyncio.to_thread(collector.run, output, target)
    finally:
        stop.set()


@dataclass(slots=True)
class _Collector:
    max_bytes: int
    max_files: int
    stop: threading.Event
    files: list[OutputFile] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    unnamed: int = 0
    entries: int = 0
    taken_bytes: int = 0

    def run(self, output: Path, target: Path) -> Collected:
        target.mkdir(mode=0o700)
        try:
            top = os.open(output, _FOLDER)
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                self._leave("output", "is no folder")
            return self._result()
        try:
            self._walk(top, target, "", 0)
        finally:
            os.close(top)
        return self._result()

    def _result(self) -> Collected:
        if self.unnamed:
            self.left_out.append(f"{self.unnamed} more")
        self.files.sort(key=lambda file: file.path.encode())
        return Collected(tuple(self.files), tuple(self.left_out))

    def _leave(self, path: str, reason: str) -> None:
        if len(self.left_out) < MAX_NAMED:
            self.left_out.append(f"{path}: {reason}")
        else:
            self.unnamed += 1

    def _walk(self, folder: int, target: Path, prefix: str, depth: int) -> None:
        """Take a folder's entries in the order of their bytes."""
        for raw, name in self._names(folder, prefix):
            path = prefix + name
            try:
                kind = os.stat(raw, dir_fd=folder, follow_symlinks=False).st_mode
                if stat.S_ISDIR(kind):
                    self._enter(folder, raw, target / name, path, depth)
                elif stat.S_ISREG(kind):
                    self._take(folder, raw, target / name, path)
                else:
                    self._leave(path, _special(kind))
            except OSError as error:
                if error.errno in {errno.ENOSPC, errno.EDQUOT}:  # our own disk, not its file
                    raise
                self._leave(path, f"could not be read ({os.strerror(error.errno or 0)})")

    def _names(self, folder: int, prefix: str) -> Iterator[tuple[bytes, str]]:
        raws = []
        with os.scandir(folder) as found:
            for entry in found:
                self.entries += 1
                if self.entries > MAX_ENTRIES:
                    self._leave(prefix or "output", f"holds more than {MAX_ENTRIES} entries")
                    break
                raws.append(os.fsencode(entry.name))
        shown: set[str] = set()
        for raw in sorted(raws):
            name = _readable(raw, shown)
            shown.add(name)
            yield raw, name

    def _enter(self, folder: int, raw: bytes, target: Path, path: str, depth: int) -> None:
        if depth >= MAX_DEPTH:
            self._leave(path, f"lies more than {MAX_DEPTH} folders deep")
            return
        inner = os.open(raw, _FOLDER, dir_fd=folder)
        try:
            self._walk(inner, target, f"{path}/", depth + 1)
        finally:
            os.close(inner)

    def _take(self, folder: int, raw: bytes, target: Path, path: str) -> None:
        if len(self.files) >= self.max_files:
            self._leave(path, f"more than {self.max_files} files")
            return
        source = os.open(raw, _FILE, dir_fd=folder)
        try:
            # asked of the open file: what the name stands for may have changed since
            status = os.fstat(source)
            if not stat.S_ISREG(status.st_mode):
                self._leave(path, _special(status.st_mode))
            elif status.st_nlink > 1:
                self._leave(path, "a hard link")
            elif status.st_size > self.max_bytes - self.taken_bytes:
                self._leave(path, self._too_large())
            else:
                self._copy(source, target, path)
        finally:
            os.close(source)

    def _too_large(self) -> str:
        return f"over the limit of {self.max_bytes // 1024**2} MB in all"

    def _copy(self, source: int, target: Path, path: str) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        digest, size = hashlib.sha256(), 0
        room = self.max_bytes - self.taken_bytes
        with target.open("xb") as copy:
            while size <= room and (chunk := os.read(source, _CHUNK)):
                if self.stop.is_set():
                    raise _Stopped
                size += len(chunk)
                digest.update(chunk)
                copy.write(chunk)
        if size > room:  # it grew while it was copied
            target.unlink()
            self._leave(path, self._too_large())
            return
        self.taken_bytes += size
        self.files.append(OutputFile(path=path, size_bytes=size, sha256=digest.hexdigest()))


def _special(mode: int) -> str:
    kinds = {
        stat.S_IFLNK: "a link",
        stat.S_IFIFO: "a fifo",
        stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
    }
    return kinds.get(stat.S_IFMT(mode), "no regular file")


def _readable(raw: bytes, taken: set[str]) -> str:
    r"""A name that UTF-8 can hold; bytes that cannot be read become `\xNN`."""
    name = raw.decode("utf-8", "backslashreplace")
    if len(name.encode()) > 255 or name in taken:  # longer only where bytes were rewritten
        name = (
            f"{name.encode()[:200].decode(errors='ignore')}-{hashlib.sha256(raw).hexdigest()[:12]}"
        )
    return name
