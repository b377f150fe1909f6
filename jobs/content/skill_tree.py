"""Which files make up a skill: the one list that is hashed, staged and measured.

Nested skills belong to the skill around them. `evals/` at any depth does not, nor does version
control, nor what a link outside the tree leads to. A link inside the tree counts as what it
leads to, also for folders, except back to a folder it lies in.
"""

import os
from dataclasses import dataclass, field

from jobs.content.snapshot import IGNORED_FOLDERS, Snapshot
from jobs.content.text import quoted, size_words
from jobs.errors import Refused

EVALS_FOLDER = "evals"


@dataclass(frozen=True, slots=True)
class SkillCaps:
    """How large a skill may be: a bundle with fonts passes, a data base does not."""

    files: int = 10_000
    total_bytes: int = 100_000_000
    depth: int = 64


DEFAULT_SKILL_CAPS = SkillCaps()


@dataclass(frozen=True, slots=True)
class SkillFile:
    """A file of a skill: its path in the skill folder and where its bytes lie."""

    path: str
    real: str
    size_bytes: int
    executable: bool


def list_skill_files(
    snapshot: Snapshot, folder: str, caps: SkillCaps = DEFAULT_SKILL_CAPS
) -> list[SkillFile]:
    """All files of the skill in `folder`, in the order of the UTF-8 bytes of their paths.

    Raises `Refused`, naming the largest file and its size, beyond the caps.
    """
    real = snapshot.resolve(folder)
    if real is None or not real.is_dir():
        raise Refused(f"{quoted(folder)} is no folder at commit {snapshot.commit[:12]}.")
    walk = _Walk(snapshot, folder, str(real), caps)
    walk.enter(str(real), "", (str(real),))
    return sorted(walk.files, key=lambda file: path_bytes(file.path))


def path_bytes(path: str) -> bytes:
    """A path as the bytes it has on disk, also where they are not UTF-8."""
    return path.encode("utf-8", "surrogateescape")


@dataclass(slots=True)
class _Walk:
    snapshot: Snapshot
    folder: str
    root: str
    caps: SkillCaps
    files: list[SkillFile] = field(default_factory=list)
    folders: int = 0
    total_bytes: int = 0

    def enter(self, place: str, prefix: str, trail: tuple[str, ...]) -> None:
        """Take in one folder; `trail` holds the folders it lies in, so that no link goes round."""
        if len(trail) > self.caps.depth:
            raise Refused(f"{quoted(f'{self.folder}/{prefix}')} lies too deep in its skill.")
        self.folders += 1
        if self.folders > self.caps.files:  # links between folders multiply without any file
            raise Refused(
                f"The skill {quoted(self.folder)} leads through more than {self.caps.files:,} "
                f"folders, links followed; {quoted(prefix)} is one too many."
            )
        with os.scandir(place) as listing:
            entries = list(listing)
        for entry in entries:
            if entry.name in IGNORED_FOLDERS:
                continue
            real = self._real(entry)
            if real is None:
                continue
            path = f"{prefix}{entry.name}"
            if os.path.isdir(real):  # noqa: PTH112 -- hot path
                if entry.name != EVALS_FOLDER and not self._leads_back(real, trail):
                    self.enter(real, f"{path}/", (*trail, real))
            elif os.path.isfile(real):  # noqa: PTH113 -- hot path
                self._take(path, real)

    def _real(self, entry: "os.DirEntry[str]") -> str | None:
        """Where the entry's bytes lie; None if outside the tree or among what is left out."""
        if not entry.is_symlink():
            return entry.path
        real = os.path.realpath(entry.path)
        if not self.snapshot.contains(real):
            return None
        passed = set(os.path.relpath(real, self.root).split("/"))
        return None if passed & (IGNORED_FOLDERS | {EVALS_FOLDER}) else real

    def _leads_back(self, real: str, trail: tuple[str, ...]) -> bool:
        return real in trail or self.root.startswith(real + "/")

    def _take(self, path: str, real: str) -> None:
        status = os.stat(real)  # noqa: PTH116 -- hot path
        self.files.append(SkillFile(path, real, status.st_size, bool(status.st_mode & 0o111)))
        self.total_bytes += status.st_size
        if self.total_bytes > self.caps.total_bytes:
            largest = max(self.files, key=lambda file: file.size_bytes)
            raise Refused(
                f"The skill {quoted(self.folder)} holds more than "
                f"{size_words(self.caps.total_bytes)}; its largest file is "
                f"{quoted(largest.path)} with {size_words(largest.size_bytes)}. "
                "Make it smaller, or load such files on demand."
            )
        if len(self.files) > self.caps.files:
            raise Refused(
                f"The skill {quoted(self.folder)} holds more than {self.caps.files:,} files; "
                f"{quoted(path)} is one too many."
            )
