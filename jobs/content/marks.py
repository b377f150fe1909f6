"""The marks people put before the items of a list: bullets, numbers, letters, check boxes.

Markdown knows some of them, readers know more. Nothing here decides what an item means.
"""

import re

_LIST_MARKS = re.compile(
    r"""^(?: [-*+•‣◦▪●○–—·・]\s+ | -?\.\s+ | \(?\d{1,3}[.):]\s+ | \(\d{1,3}\)\s*
           | \[[\ xX✓✔~-]?\](?![(\[])\s* | [☐☑✅✔✓]\ufe0f?\s+ )""",
    re.VERBOSE,
)
"""What stands before an item's text; taken away as often as it is there."""
_MARKED_LINE = re.compile(
    r"""^(?: [-*+][^\S\n\t ]\s* | [•‣◦▪●○–—·・]\s* | -?\.\s+ | \(?\d{1,3}[.):]\s+ | \(\d{1,3}\)\s*
           | \d{1,3}[.)](?=[A-Za-z`]) | [-*](?=[A-Za-z`"']) | \[[\ xX✓✔~-]?\](?![(\[])\s+
           | [☐☑✅✔✓]\ufe0f?\s* )(?=\S)""",
    re.VERBOSE,
)
"""Items that Markdown does not know as such, but readers do."""
_BY_HAND = re.compile(
    r"""^(?: \(?(?:[A-Za-z]\d{0,3}|[ivx]{1,4})[.)]\s+ | [A-Za-z]{1,2}\d{1,3}:\s+
           | \#\d{1,3}[.):]?\s+ | \d{1,3}\s[-–—]\s+ | \d{1,3}\\[.)]\s+ | [①-⑳]\s* )(?=\S)""",
    re.VERBOSE,
)
"""Marks that are words as well: only two of them or more make a list."""
_HAND_NUMBER = re.compile(r"^\d{1,3}[.)]\s+")
_MARKS_ALONE = frozenset({"-", "*", "+", "."})


def strip_marks(text: str) -> str:
    """An item's text without bullets, numbers, lone dots and check boxes before it."""
    text = text.strip()
    while match := _LIST_MARKS.match(text):
        text = text[match.end() :].lstrip()
    return "" if text in _MARKS_ALONE else text


def is_marked(line: str) -> bool:
    """Whether a line outside Markdown's lists begins like an item."""
    return bool(_MARKED_LINE.match(line))


def without_mark(line: str) -> str:
    """A line without the mark that `is_marked` saw."""
    match = _MARKED_LINE.match(line)
    return line[match.end() :] if match else line


def with_bullets(lines: list[str]) -> list[str]:
    """Lines marked by hand (`a) …`, `#2 …`) with bullets instead; a lone one is no list."""
    marked = [bool(_BY_HAND.match(line)) for line in lines]
    if sum(marked) < 2:
        return lines
    return [
        f"• {_BY_HAND.sub('', line)}" if has_mark else line
        for line, has_mark in zip(lines, marked, strict=True)
    ]


def is_hand_numbered(text: str) -> bool:
    """Whether a string still bears the number it had in a list."""
    return bool(_HAND_NUMBER.match(text))
