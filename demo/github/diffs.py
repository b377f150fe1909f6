"""What two commits differ in, line by line, for the pages that show it."""

import difflib
from dataclasses import dataclass
from typing import Literal

from demo.github.commits import Commit, Entry

_LARGEST_SHOWN = 500_000
_AROUND = 3
"""Lines shown around a change."""


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of a file, or where lines were left out."""

    kind: Literal["same", "added", "removed", "gap"]
    text: str
    old: int | None = None
    new: int | None = None
    """Its number before and after."""


@dataclass(frozen=True, slots=True)
class FileDiff:
    """A file that differs; without lines where it is no text."""

    path: str
    status: str
    lines: tuple[DiffLine, ...]

    def count(self, kind: str) -> int:
        return sum(line.kind == kind for line in self.lines)


def find_diffs(before: Commit | None, after: Commit) -> list[FileDiff]:
    """Every file that differs, by path."""
    changed = after.changed_since(before)
    found = []
    for status, paths in changed.items():
        for path in paths:
            old = before.entries.get(path) if before else None
            lines = _diff(_lines(old), _lines(after.entries.get(path)))
            found.append(FileDiff(path, status, tuple(lines)))
    return sorted(found, key=lambda diff: diff.path)


def _lines(entry: Entry | None) -> list[str]:
    if entry is None or b"\0" in entry.content or len(entry.content) > _LARGEST_SHOWN:
        return []
    return entry.content.decode(errors="replace").splitlines()


def _diff(old: list[str], new: list[str]) -> list[DiffLine]:
    lines: list[DiffLine] = []
    matcher = difflib.SequenceMatcher(a=old, b=new, autojunk=False)
    for number, group in enumerate(matcher.get_grouped_opcodes(_AROUND)):
        if number or group[0][1]:
            lines.append(DiffLine("gap", "…"))
        for kind, old_from, old_to, new_from, new_to in group:
            if kind == "equal":
                lines += [
                    DiffLine("same", old[at], at + 1, new_from + at - old_from + 1)
                    for at in range(old_from, old_to)
                ]
                continue
            lines += [DiffLine("removed", old[at], at + 1) for at in range(old_from, old_to)]
            lines += [DiffLine("added", new[at], None, at + 1) for at in range(new_from, new_to)]
    return lines
