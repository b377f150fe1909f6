"""Which files a folder holds and which of them are text: one answer for the whole package.

Nothing here follows a link or guesses: a file whose bytes do not read as text as a whole is
not text.
"""

import codecs
import re
from collections.abc import Iterator
from pathlib import Path

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NOT_TEXT = re.compile(rb"[\x00-\x07\x0e-\x1a\x1c-\x1f]")
"""Control characters that no text file holds; escape (1b) colours terminal output."""
_BINARY_STARTS = (b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"\x89PNG", b"\xff\xd8\xff", b"GIF8")


def find_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """The regular files below a folder by POSIX path, in order; links are not followed."""
    if not folder.is_dir():
        return
    for path in sorted(folder.rglob("*"), key=lambda found: found.parts):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(folder).as_posix(), path


def decode_text(content: bytes) -> tuple[str, str] | None:
    """The text of a file and its encoding, such that encoding it gives the file back.

    None for anything that is not text: office documents, PDF, images, archives.
    """
    if content.startswith(_BINARY_STARTS):
        return None
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return _decode(content, encoding)
    if _NOT_TEXT.search(content):
        return None
    return _decode(content, "utf-8") or _decode(content, "latin-1")


def _decode(content: bytes, encoding: str) -> tuple[str, str] | None:
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return None
    return text, encoding
