"""Checks by code that what a judge quotes stands in the candidate it quotes.

The search forgives what quoting changes (white space, Markdown, typographic marks, an
ellipsis for what was left out) and nothing else: digits, signs and words must be there.
Text of PDF files and images is not read here, so a quotation from one stays unverified.
"""

import re
import unicodedata
from pathlib import Path

from jobs.judging.office import read_office
from jobs.judging.text_files import decode_text, find_files

_LEAST_CHARACTERS = 3
"""A shorter quotation is found anywhere and proves nothing, unless it is all a file says."""
_TEXT_CHARACTERS = 10_000_000
"""How much of one text file is searched."""
_ALL_CHARACTERS = 60_000_000
"""How much of a candidate is searched, once its forms are made alike: some letters become
eighteen, and 500 small documents could unpack to 8 MB each."""
_BLOCK = 500_000
"""Characters whose forms are made alike at a time."""
_MARKS = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′", "'"),  # noqa: RUF001
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),  # noqa: RUF001
        **dict.fromkeys("*_`#|~\\>\u200b\u200c\u200d\ufeff\u00ad"),
    }
)
_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:…|\.\.\.)\s*\]|…|\.{3,})\s*")


class Quotations:
    """The text of one candidate, to look quotations up in. Read once, before a judge works."""

    def __init__(self, folder: Path, *, most: int = _ALL_CHARACTERS) -> None:
        names: list[str] = []
        self._texts: list[str] = []
        self._has_content = False
        room = most
        for name, path in find_files(folder):
            names.append(name)
            content = path.read_bytes()
            decoded = decode_text(content)
            texts = [decoded[0]] if decoded else read_office(name, content) if room > 0 else ()
            for text in texts:
                normal = _normalize_long(text[:_TEXT_CHARACTERS], room)
                self._texts.append(normal)
                room -= len(normal)
            self._has_content |= decoded is None or any(map(str.isalnum, decoded[0]))
        self._texts += [_normalize(name) for name in names]

    @property
    def is_empty(self) -> bool:
        """Whether the candidate holds nothing at all: no file, or none with a letter or digit."""
        return not self._has_content

    def has(self, quotation: str) -> bool:
        """Whether the quotation stands in one file, or names one."""
        pieces = [_normalize(piece) for piece in _ELLIPSIS.split(quotation)]
        pieces = [piece for piece in (_strip_quotes(piece) for piece in pieces) if piece]
        if sum(map(_count_signs, pieces)) < _LEAST_CHARACTERS:
            return bool(pieces) and pieces[0] in self._texts
        return any(_holds_in_order(text, pieces) for text in self._texts)


def _holds_in_order(text: str, pieces: list[str]) -> bool:
    position = 0
    for piece in pieces:
        position = _find_whole(text, piece, position)
        if position < 0:
            return False
    return True


def _find_whole(text: str, piece: str, start: int) -> int:
    """Where the text goes on after the piece; -1 unless it stands there in whole words."""
    while (at := text.find(piece, start)) >= 0:
        end = at + len(piece)
        cuts_before = at > 0 and piece[0].isalnum() and text[at - 1].isalnum()
        cuts_after = end < len(text) and piece[-1].isalnum() and text[end].isalnum()
        if not cuts_before and not cuts_after:
            return end
        start = at + 1
    return -1


def _normalize(text: str) -> str:
    """Case, white space, Markdown and typography made alike.

    A greater-than sign goes with the Markdown only at the start of a line, where it quotes.
    """
    text = unicodedata.normalize("NFKC", text)
    text = re.sub(r"(?<=[^\s>])([ \t]*)>", "\\1\N{FULLWIDTH GREATER-THAN SIGN}", text)
    return " ".join(text.translate(_MARKS).casefold().split())


def _normalize_long(text: str, room: int) -> str:
    """A text's forms made alike, block by block, as far as there is room."""
    blocks: list[str] = []
    start = 0
    while start < len(text) and room > 0:
        end = text.find("\n", start + _BLOCK, start + 2 * _BLOCK)
        end = start + 2 * _BLOCK if end < 0 else end
        blocks.append(_normalize(text[start:end])[:room])
        room -= len(blocks[-1])
        start = end
    return " ".join(blocks)


def _strip_quotes(piece: str) -> str:
    return piece.strip("\"' ")


def _count_signs(piece: str) -> int:
    return sum(map(str.isalnum, piece))
