"""How much of a report stands open, as the repository's file has it.

The decision, what to do and the health of the measurement are open in any case.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from jobs.reporting.fit import Blocks, Part, details, share, size

Verbosity = Literal["short", "normal", "full"]

_FOLDED, _OPEN = "<details>", "<details open>"


def arrange(
    evidence: Sequence[str], loose: Sequence[Part], folded: Sequence[Part], verbosity: Verbosity
) -> tuple[list[str], list[Part]]:
    """The blocks that stand open below the decision, and the parts that follow them.

    `loose` parts stand open and `folded` ones do not, unless the verbosity says otherwise.
    """
    if verbosity == "short":
        inside = (Blocks(blocks=evidence, note="*Shortened.*", between="\n\n"), *loose)
        return [], [_Folded("Scorecard and verdict", inside), *folded]
    if verbosity == "full":
        return [*evidence], [*loose, *(_Opened(part) for part in folded)]
    return [*evidence], [*loose, *folded]


@dataclass(frozen=True, slots=True)
class _Opened:
    """A folded part that stands open; whoever reads it can fold it."""

    part: Part

    def render(self, room: int) -> str:
        text = self.part.render(room - (size(_OPEN) - size(_FOLDED)))
        is_folded = text.startswith(_FOLDED)
        return _OPEN + text.removeprefix(_FOLDED) if is_folded else text


@dataclass(frozen=True, slots=True)
class _Folded:
    """Several parts below one fold."""

    title: str
    parts: Sequence[Part]

    def render(self, room: int) -> str:
        before, after = details(self.title)
        shown = share(room - size(before) - size(after), self.parts)
        inside = "\n\n".join(text for text in shown if text)
        return before + inside + after if inside else ""
