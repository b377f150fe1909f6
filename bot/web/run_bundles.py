"""What a session left, read straight out of its bundle, or out of its folder in an archive.

Nothing is unpacked. Names, sizes and digests are those that the run's result tells of, checked as
`jobs.sessions.bundle.read_bundle` checks them; whatever else lies in the zip is not there. All of
it blocks: call it in a thread.
"""

import hashlib
import os
import zipfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import IO, BinaryIO

from jobs.broken_zip import BROKEN_ZIP
from jobs.sessions.bundle import OUTPUT, TRANSCRIPT
from jobs.sessions.transcript import MAX_BYTES as LARGEST_TRANSCRIPT
from jobs.values import OutputFile, SessionResult

CHUNK = 256 * 1024
MOST_REMEMBERED = 1_000
_UNREADABLE = (OSError, KeyError, ValueError, *BROKEN_ZIP)


class Damaged(ValueError):  # noqa: N818 -- reads as the outcome it is
    """What is kept is not what the session left; the message is safe to show."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a session's files lie."""

    key: str
    """Blob of the zip."""
    inside: str = ""
    """Folder in it, with its slash; empty: the zip is the session's own bundle."""


class SessionFiles:
    """The files of one session in an open zip."""

    def __init__(self, archive: zipfile.ZipFile, inside: str, session: SessionResult) -> None:
        self._archive = archive
        self._inside = inside
        self._files = {one.path: one for one in session.outputs}

    def find(self, path: str) -> OutputFile | None:
        """A file that the session is known to have left."""
        return self._files.get(path)

    def check(self) -> None:
        """Raise `Damaged` unless each file is there and is what the session left."""
        for one in self._files.values():
            for _ in self.chunks(one):
                pass

    def read(self, file: OutputFile, most: int) -> bytes:
        """The beginning of a file, `most` bytes of it. Raises `Damaged`."""
        with self._open(file) as member:
            return member.read(most)

    def chunks(self, file: OutputFile) -> Iterator[bytes]:
        """All of a file, a little at a time; the last of it only once the digest is right.

        Raises `Damaged` before that where it is another's.
        """
        digest, held = hashlib.sha256(), b""
        with self._open(file) as member:
            while chunk := member.read(CHUNK):
                if held:
                    yield held
                digest.update(chunk)
                held = chunk
        if digest.hexdigest() != file.sha256:
            raise Damaged(f"{file.path} is not what its session left")
        if held:
            yield held

    def transcript(self) -> AbstractContextManager[IO[bytes]]:
        """The transcript, open. Raises `Damaged` where there is none, or one of no such size."""
        return self._member(TRANSCRIPT, 0, LARGEST_TRANSCRIPT)

    def _open(self, file: OutputFile) -> AbstractContextManager[IO[bytes]]:
        return self._member(f"{OUTPUT}/{file.path}", file.size_bytes, file.size_bytes)

    @contextmanager
    def _member(self, name: str, least: int, most: int) -> Iterator[IO[bytes]]:
        """A member of so many bytes; what goes wrong while it is read is `Damaged`."""
        try:
            entry = self._archive.getinfo(f"{self._inside}{name}")
            _check_size(entry, least, most)
            with self._archive.open(entry) as member:
                yield member
        except Damaged:
            raise
        except _UNREADABLE as problem:
            raise Damaged(f"{name} cannot be read") from problem


def _check_size(entry: zipfile.ZipInfo, least: int, most: int) -> None:
    if not least <= entry.file_size <= most:
        raise Damaged(f"{entry.filename} is not of the size that its session left")


@dataclass(slots=True)
class Checked:
    """Which zips were found whole, so that each is read through once."""

    _known: dict[tuple[int, int, int, str], None] = field(default_factory=dict)

    @contextmanager
    def open(self, file: BinaryIO, inside: str, session: SessionResult) -> Iterator[SessionFiles]:
        """The session's files; `file` is closed afterwards. Raises `Damaged`."""
        with file:
            about = os.fstat(file.fileno())
            known = (about.st_dev, about.st_ino, about.st_size, inside)
            try:
                archive = zipfile.ZipFile(file)
            except _UNREADABLE as problem:
                raise Damaged("the session's bundle cannot be read") from problem
            with archive:
                files = SessionFiles(archive, inside, session)
                if known not in self._known:
                    files.check()
                    while len(self._known) >= MOST_REMEMBERED:
                        self._known.pop(next(iter(self._known)), None)
                    self._known[known] = None
                yield files
