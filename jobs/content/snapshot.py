"""One commit's files, read by their path in the repository and never outside of it.

Every path that an issue, an eval case or a skill writes goes through `Snapshot.resolve`, which
follows links inside the tree and knows nothing beyond it. A folder of this machine becomes a
snapshot by being copied under the same rules; it is never read in place, so that a file that
changes during a run changes nothing.
"""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jobs.content.tarball import DEFAULT_CAPS, TarballCaps
from jobs.content.text import clean_text, quoted, size_words
from jobs.errors import Refused

IGNORED_FOLDERS = frozenset({".git", ".hg", ".svn", "__pycache__", ".pytest_cache", "node_modules"})
"""Never part of a skill: version control, caches and installed packages."""
LOCAL_FOLDERS = IGNORED_FOLDERS | {".venv", ".tox", ".mypy_cache", ".ruff_cache", ".DS_Store"}
"""What a working folder has besides, which a commit would not."""
PATH_CHARACTERS = 4_096
"""The longest path Linux opens; what is longer is no path."""
TEXT_BYTES = 1_000_000
"""Largest text that is read whole (SKILL.md, eval files, rubrics): a megabyte of prose."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files of one commit below `root`; `name` is the repository's, for a skill at its root."""

    root: Path
    commit: str
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", Path(os.path.realpath(self.root)))

    def resolve(self, path: str) -> Path | None:
        """Where a repository path really lies, links followed; None if nowhere in the tree."""
        if len(path) > PATH_CHARACTERS:
            return None
        try:
            real = os.path.realpath(f"{self.root}/{path}")
            if not self.contains(real) or not os.path.exists(real):  # noqa: PTH110 -- hot path
                return None
        except ValueError:  # NUL, or letters that no file name can have
            return None
        return Path(real)

    def contains(self, real: str) -> bool:
        """Whether a path without links lies in the tree."""
        return real == str(self.root) or real.startswith(f"{self.root}/")

    def find_file(self, path: str) -> Path | None:
        """As `resolve`, for regular files only."""
        real = self.resolve(path) if path.strip() else None
        return real if real is not None and real.is_file() else None

    def path_of(self, real: Path) -> str:
        """The repository path of a place that `resolve` gave."""
        return real.relative_to(self.root).as_posix()

    def exists(self, path: str) -> bool:
        return self.resolve(path) is not None

    def read_bytes(self, path: str, limit: int = TEXT_BYTES) -> bytes:
        """A file's bytes. Raises `Refused` if it is not there or has more than `limit`."""
        real = self.find_file(path)
        if real is None:
            raise Refused(f"{quoted(path)} is no file at commit {self.commit[:12]}.")
        size = real.stat().st_size
        if size > limit:
            raise Refused(
                f"{quoted(path)} has {size_words(size)}; at most {size_words(limit)} are read."
            )
        return real.read_bytes()

    def read_text(self, path: str, limit: int = TEXT_BYTES) -> str:
        """A file's text with LF line ends. Raises `Refused`, with the offset, if not UTF-8."""
        return decode(self.read_bytes(path, limit), path)

    def glob(self, pattern: str) -> list[str]:
        """Repository paths of the files that match, in the order of their names."""
        if pattern.startswith("/") or ".." in pattern.split("/") or not pattern:
            raise Refused(f"{quoted(pattern)} is no pattern for files of the repository.")
        found = (place.relative_to(self.root).as_posix() for place in self.root.glob(pattern))
        return sorted(path for path in found if self.find_file(path) is not None)


def decode(content: bytes, path: str) -> str:
    """UTF-8 with or without byte order mark, line ends as LF. Raises `Refused` with the offset."""
    try:
        return clean_text(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise Refused(
            f"{quoted(path)} is not UTF-8: byte 0x{content[error.start]:02x} at offset "
            f"{error.start}. Save it as UTF-8 and ask again."
        ) from error


def copy_folder(source: Path, target: Path, caps: TarballCaps = DEFAULT_CAPS) -> Snapshot:
    """Copy a folder of this machine into the empty folder `target`, as a snapshot.

    Left out: version control, caches, sockets and pipes, and links that lead outside. Raises
    `Refused` where `source` is no folder or is larger than `caps` allow.
    """
    if not source.is_dir():
        raise Refused(f"{quoted(str(source))} is no folder.")
    origin = Snapshot(source, "local", source.resolve().name)
    target.mkdir(parents=True, exist_ok=True)
    total = 0
    for members, (entry, path) in enumerate(_entries(origin.root, target.resolve()), start=1):
        place = target / path
        if entry.is_symlink():
            real = origin.resolve(path)
            if real is not None:
                copied = target / real.relative_to(origin.root)
                place.symlink_to(os.path.relpath(copied, place.parent))
        elif entry.is_dir():
            place.mkdir()
        elif entry.is_file():
            total += entry.stat().st_size
            _check_caps(caps, path, members, total)
            _copy_file(entry, place, path)
        _check_caps(caps, path, members, total)
    return Snapshot(target, origin.commit, origin.name)


def _entries(root: Path, target: Path) -> Iterator[tuple["os.DirEntry[str]", str]]:
    """Everything below a folder, parents first, links not followed, the target left alone."""
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        with os.scandir(root / folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
        for entry in entries:
            if entry.name in LOCAL_FOLDERS or Path(entry.path) == target:
                continue
            path = f"{folder}/{entry.name}" if folder else entry.name
            yield entry, path
            if entry.is_dir(follow_symlinks=False):
                waiting.append(path)


def _copy_file(entry: "os.DirEntry[str]", place: Path, path: str) -> None:
    try:
        shutil.copyfile(entry.path, place)
    except PermissionError as error:
        raise Refused(f"{quoted(path)} cannot be read: its permissions forbid it.") from error
    place.chmod(0o755 if entry.stat().st_mode & 0o100 else 0o644)


def _check_caps(caps: TarballCaps, path: str, members: int, total: int) -> None:
    if members > caps.members:
        raise Refused(f"The folder holds more than {caps.members:,} entries ({quoted(path)} …).")
    if total > caps.total_bytes:
        raise Refused(
            f"The folder holds more than {size_words(caps.total_bytes)}, reached at {quoted(path)}."
        )
