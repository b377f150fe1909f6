"""Words of reports as plain text, for pages that escape them in their own way."""

import re
from html import unescape

_SPAN = re.compile(r"`([^`]+)`")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_ELEMENT = re.compile(r"<(/?)(\w+)[^>]*>")
_OURS = re.compile(r"\*|\u200b|^#+ ", re.MULTILINE)


def plain(markdown: str) -> str:
    """A line of a report without its marks.

    What others wrote stands in it as entities, or within code spans: each mark is one of ours.
    """
    parts = _SPAN.split(markdown)
    return "".join(part if index % 2 else _bare(part) for index, part in enumerate(parts)).strip()


def without_sign(line: str) -> str:
    """A line without the sign that it begins with: pages have signs of their own."""
    first, blank, rest = line.partition(" ")
    return line if not blank or any(letter.isalnum() for letter in first) else rest


def _bare(text: str) -> str:
    linked = _LINK.sub(r"\1", text)
    return unescape(_OURS.sub("", _ELEMENT.sub(_as_text, linked)))


def _as_text(element: re.Match[str]) -> str:
    return "; " if element[2] == "br" else ""
