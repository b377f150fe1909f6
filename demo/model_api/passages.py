"""Finds where a text comes closest to a statement, by the words and numbers they share."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

_WORD = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|[^\W\d_]+")
_STOP = set(
    """a an and are as at be by each for from has have in is it its of on or own that the
    their them there this to under was were which with
    heading headings list listed lists stand stands state stated states""".split()  # noqa: SIM905
)
"""Words that tell nothing, or only how a text says what it says."""
_NUMBER_WEIGHT = 2
_MOST_LINES = 3
_QUOTED_CHARACTERS = 280


@dataclass(frozen=True, slots=True)
class Passage:
    """A few lines of a text, and how much of a statement they share."""

    quotation: str
    """The lines as they stand, cut at the end of a word."""
    share: float
    """Of the statement's words and numbers, numbers counting double: 0 to 1."""
    word_share: float
    """Of its words alone."""
    missing_numbers: tuple[str, ...]


NOWHERE = Passage("", 0.0, 0.0, ())


def find_passage(statement: str, lines: Sequence[str]) -> Passage:
    """The closest passage of up to three lines that follow each other; the shortest of equals."""
    wanted = get_words(statement)
    tokens = [get_words(line) for line in lines]
    best: tuple[float, int, int, int] = (0.0, 0, 0, 0)
    for start in range(len(lines)):
        if not tokens[start] & wanted:
            continue
        found: set[str] = set()
        filled = 0
        for end in range(start, len(lines)):
            filled += bool(lines[end].strip())
            if filled > _MOST_LINES:
                break
            found |= tokens[end] & wanted
            best = max(best, (_weight(found), -filled, -start, end + 1))
    weight, _, start, end = best
    if not weight:
        return NOWHERE
    quoted = _cut("\n".join(lines[-start:end]).strip())
    found = get_words(quoted) & wanted
    words = {word for word in wanted if not word[0].isdigit()}
    return Passage(
        quotation=quoted,
        share=_weight(found) / _weight(wanted),
        word_share=len(found & words) / len(words) if words else 1.0,
        missing_numbers=tuple(sorted(wanted - words - found)),
    )


def get_words(text: str) -> set[str]:
    """The words that tell something, in lower case, and the numbers, each in one spelling."""
    words = (word.casefold() for word in _WORD.findall(text))
    return {_spell(word) for word in words if word not in _STOP}


def _spell(word: str) -> str:
    """`74.40` and `74.4` are one number, `1,000` and `1000` as well; `rows` and `row` one word."""
    if word[0].isdecimal() and word.isascii():
        return f"{Decimal(word.replace(',', '')).normalize():f}"
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def _weight(words: set[str]) -> float:
    return sum(_NUMBER_WEIGHT if word[0].isdigit() else 1 for word in words)


def _cut(text: str) -> str:
    if len(text) <= _QUOTED_CHARACTERS:
        return text
    return text[:_QUOTED_CHARACTERS].rsplit(maxsplit=1)[0]
