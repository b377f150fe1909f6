"""Fits a report under GitHub's limit for a comment, cutting only where a block ends.

GitHub refuses bodies over 65,536 characters. The cap here counts UTF-8 bytes and stays
below that number, so it holds in whatever unit the limit is counted. What must be read (the
decision, the markers) is never cut; every other part knows how to render itself into the
room it is given, whole or shorter with a visible note. Nothing here slices rendered text,
so no fence, tag or `<details>` can be left open.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from jobs.reporting import escape

CAP = 60_000
"""Most bytes of a comment; the rest up to GitHub's 65,536 is for what posting adds."""

EVERYTHING = 10**9
"""Room without a bound."""


class Part(Protocol):
    """A piece of a report that can be made shorter."""

    def render(self, room: int) -> str:
        """At most `room` bytes of whole blocks; empty if not even a note has room."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """A list of finished blocks under an optional heading; the last ones are dropped first."""

    blocks: Sequence[str]
    note: str
    """Stands in for what was dropped; escaped already."""
    before: str = ""
    """Heading or table head, kept with the first block."""
    after: str = ""
    """What closes the list, such as `</details>`."""
    between: str = "\n"

    def render(self, room: int) -> str:
        if not self.blocks:
            return ""
        whole = self._joined(self.blocks, "")
        if size(whole) <= room:
            return whole
        left = room - size(self._joined((), self.note))
        if left < 0:
            return ""
        kept: list[str] = []
        for block in self.blocks:
            left -= size(block) + size(self.between)
            if left < 0:
                break
            kept.append(block)
        return self._joined(kept, self.note)

    def _joined(self, blocks: Sequence[str], note: str) -> str:
        body = self.between.join(blocks)
        return self.before + body + (f"\n\n{note}" if note else "") + self.after


def details(title: str) -> tuple[str, str]:
    """What stands before and after a folded section's Markdown; `title` is escaped here."""
    return (
        f"<details>\n<summary>{escape.inline(title)}</summary>\n\n",
        "\n\n</details>",
    )


def fit(top: Sequence[str], parts: Sequence[Part], bottom: Sequence[str], cap: int = CAP) -> str:
    """Top, parts and bottom as one Markdown text of at most `cap` bytes.

    Short parts come whole; the room they leave is shared equally by the long ones.
    """
    room = cap - sum(size(block) + 2 for block in (*top, *bottom) if block)
    middle = share(room, parts)
    return "\n\n".join(block for block in (*top, *middle, *bottom) if block)


def share(room: int, parts: Sequence[Part]) -> list[str]:
    """Each part rendered, in order; together, with two bytes between them, at most `room`."""
    needs = sorted(range(len(parts)), key=lambda index: size(parts[index].render(EVERYTHING)))
    shown = [""] * len(parts)
    for waiting, index in zip(range(len(parts), 0, -1), needs, strict=True):
        shown[index] = parts[index].render(room // waiting - 2)
        room -= size(shown[index]) + 2
    return shown


def size(text: str) -> int:
    """Bytes of the text in UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))
