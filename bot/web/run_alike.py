"""What two runs have alike and what not: lines by their names, assertions by their texts."""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bot.web.run_values import AssertionView, RunDetails, Said

NEVER_THE_SAME = frozenset({"Run"})


class Pair(NamedTuple):
    """A line of both runs; a dash where one does not have it."""

    name: str
    this: str
    other: str

    @property
    def differs(self) -> bool:
        return self.this != self.other and self.name not in NEVER_THE_SAME


class AssertionChange(NamedTuple):
    """An assertion with the verdicts of both runs, for each arm; empty where one lacks it."""

    id: str
    text: str
    tested: tuple[str, str]
    other: tuple[str, str]
    """This run's words, and the other run's."""

    @property
    def differs(self) -> bool:
        return self.tested[0] != self.tested[1] or self.other[0] != self.other[1]


def compare_lines(this: Mapping[str, str], other: Mapping[str, str]) -> list[Pair]:
    """The lines of both, in the order of the first."""
    names = dict.fromkeys((*this, *other))
    return [Pair(name, this.get(name, "—"), other.get(name, "—")) for name in names]


def compare_assertions(this: RunDetails, other: RunDetails) -> Sequence[AssertionChange]:
    """The assertions of both: an id means the same only where the text does."""
    found: dict[str, deque[AssertionView]] = {}
    for one in other.assertions:
        found.setdefault(one.text, deque()).append(one)
    changes = []
    for one in this.assertions:
        alike = found.get(one.text)
        changes.append(_change(one, alike.popleft() if alike else None))
    return [*changes, *(_change(None, one) for left in found.values() for one in left)]


def _change(this: AssertionView | None, other: AssertionView | None) -> AssertionChange:
    known = this or other
    if known is None:
        raise ValueError("an assertion of neither run")
    return AssertionChange(
        id=known.id,
        text=known.text,
        tested=(_words(this.tested if this else ()), _words(other.tested if other else ())),
        other=(_words(this.other if this else ()), _words(other.other if other else ())),
    )


def _words(said: Sequence[Said]) -> str:
    """What was said of an output, once where all readings agree."""
    return " / ".join(dict.fromkeys(one.verdict.replace("_", " ") for one in said)) or "—"
