"""The difference of two texts, as lines; bounded, since both are as their authors liked them.

It blocks: call it in a thread.
"""

import difflib
from typing import Literal, NamedTuple

MOST_LINES = 1_000
"""Lines of each text that are compared: what it takes grows faster than they do."""
MOST_SHOWN = 400
LONGEST_LINE = 1_000
AROUND = 3
"""Lines that stay the same around one that changes."""


class Line(NamedTuple):
    """A line of a difference."""

    kind: Literal["same", "added", "removed", "gap"]
    text: str

    @property
    def sign(self) -> str:
        return {"same": " ", "added": "+", "removed": "\N{MINUS SIGN}", "gap": "…"}[self.kind]


class Change(NamedTuple):
    """What differs between two texts."""

    lines: tuple[Line, ...]
    added: int
    removed: int
    left_out: str
    """What was not compared or not shown, in words; empty: all was."""


def find_change(before: str, after: str) -> Change:
    """The lines to take away from `before` and to add for `after`."""
    old, new = before.splitlines(), after.splitlines()
    notes = []
    if max(len(old), len(new)) > MOST_LINES:
        notes.append(f"Only the first {MOST_LINES:,} lines of each are compared.")
    old, new = _cut(old), _cut(new)
    lines: list[Line] = []
    for line in difflib.unified_diff(old, new, n=AROUND, lineterm=""):
        if not lines and line.startswith(("--- ", "+++ ")):
            continue
        lines.append(_read(line))
    added = sum(line.kind == "added" for line in lines)
    removed = sum(line.kind == "removed" for line in lines)
    if len(lines) > MOST_SHOWN:
        notes.append(f"Only the first {MOST_SHOWN:,} lines of the difference are shown.")
    return Change(tuple(lines[:MOST_SHOWN]), added, removed, " ".join(notes))


def _cut(lines: list[str]) -> list[str]:
    return [line[:LONGEST_LINE] for line in lines[:MOST_LINES]]


def _read(line: str) -> Line:
    sign, text = line[:1], line[1:]
    if sign == "@":
        return Line("gap", line.strip("@ "))
    kinds: dict[str, Literal["added", "removed", "same"]] = {"+": "added", "-": "removed"}
    return Line(kinds.get(sign, "same"), text)
