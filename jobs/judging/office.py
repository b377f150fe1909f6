"""The text inside office documents, as far as plain unpacking gives it.

Only used to look things up, never to judge by: layout, formulas and pictures are lost.
Archives are hostile, so sizes are bounded and no XML reader is involved that could expand
entities or fetch anything.
"""

import html
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath

from jobs.broken_zip import BROKEN_ZIP

_OFFICE_PARTS = {
    ".docx": re.compile(r"word/(?:document|header\d*|footer\d*|footnotes|endnotes)\.xml"),
    ".xlsx": re.compile(r"xl/(?:sharedStrings|workbook|worksheets/sheet\d+)\.xml"),
    ".pptx": re.compile(r"ppt/(?:slides/slide|notesSlides/notesSlide)\d+\.xml"),
    ".odt": re.compile(r"content\.xml"),
}
_OFFICE_BYTES = 8_000_000
"""How much of an office document is unpacked: a packed bomb ends here."""
_PACKINGS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""How office programs pack. The others unpack a few bytes to gigabytes before a limit is asked,
and fail in ways of their own."""


def read_office(name: str, content: bytes) -> Iterator[str]:
    """The text of an office document, part by part; nothing where it cannot be unpacked."""
    wanted = _OFFICE_PARTS.get(PurePosixPath(name).suffix.lower())
    if wanted is None:
        return
    room = _OFFICE_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for part in archive.infolist():
                is_wanted = wanted.fullmatch(part.filename) and part.compress_type in _PACKINGS
                if room > 0 and is_wanted:
                    with archive.open(part) as stream:
                        raw = stream.read(room)
                    room -= len(raw)
                    yield _strip_tags(raw.decode("utf-8", "replace"))
    except (OSError, ValueError, *BROKEN_ZIP):
        return


def _strip_tags(xml: str) -> str:
    """The text of office XML: paragraphs, cells, tabs and breaks become white space."""
    apart = re.sub(r"</(?:w:p|a:p|text:p|text:h|si|c|v|t)>|<(?:w:tab|w:br|a:br)\b[^<>]*>", " ", xml)
    return html.unescape(re.sub(r"<[^<>]*>", "", apart))
