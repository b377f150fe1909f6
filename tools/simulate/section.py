"""What a simulation found: a table, and whether what we promise was kept."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import NamedTuple

CLOSE = 3.0
"""Standard errors by which chance may take a single figure past its promise: hundreds are looked
at."""


class Promise(NamedTuple):
    """Something that documents and reports say of their figures."""

    text: str
    figure: str
    """What was found, in words."""
    kept: bool


@dataclass(frozen=True, slots=True)
class Section:
    """A table with a heading, and the promises that it shows."""

    title: str
    text: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    promises: Sequence[Promise] = field(default=())


def render(section: Section) -> str:
    """The section as Markdown."""
    lines = [f"### {section.title}", "", section.text, ""]
    lines.append(f"| {' | '.join(section.header)} |")
    lines.append(f"|---{'|--:' * (len(section.header) - 1)}|")
    lines += [f"| {' | '.join(row)} |" for row in section.rows]
    if section.promises:
        lines.append("")
        lines += [
            f"- {'✅' if one.kept else '❌'} {one.text}: {one.figure}" for one in section.promises
        ]
    return "\n".join(lines)


def percent(share: float, digits: int = 1) -> str:
    """A share as it stands in a table."""
    return f"{100 * share:.{digits}f} %"


def allowance(share: float, count: int) -> float:
    """How far chance may take a share that was counted so many times."""
    return CLOSE * sqrt(share * (1 - share) / count)
