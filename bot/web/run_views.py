"""What a page shows of a file that a session left: text, a table, a picture, or nothing.

Files are hostile. HTML and SVG are text here, and a picture is what its first bytes say, whatever
its name is. Only the beginning of a file is looked at. It blocks: call it in a thread.
"""

import codecs
import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

from jobs.judging.text_files import decode_text
from jobs.reporting.numbers import plural

PICTURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
LARGEST_PICTURE = 5_000_000
"""Bytes of a picture that is shown; larger ones are downloaded."""
_TABLES = {".csv": ",;", ".tsv": "\t", ".tab": "\t"}
"""What may stand between the cells, by suffix."""
_JSON = frozenset({".json", ".geojson", ".ipynb"})
MOST_COLUMNS = 20
LONGEST_CELL = 200
LONGEST_LINE = 2_000


class Room(NamedTuple):
    """How much of a file is shown."""

    size: int
    """Bytes that are read."""
    lines: int
    rows: int


HEAD = Room(size=16_384, lines=24, rows=8)
"""On the page of a run."""
WHOLE = Room(size=400_000, lines=4_000, rows=500)
"""On a page of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileView:
    """The part of a file that is shown."""

    kind: Literal["text", "table", "picture", "none"]
    text: str = ""
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    left_out: str = ""
    """What is not shown, in words; empty: all is."""


NOTHING = FileView(kind="none")


def view_file(path: str, content: bytes, size: int, room: Room) -> FileView:
    """A view of a file of `size` bytes that begins with `content`."""
    if sniff_picture(content) is not None:
        return FileView(kind="picture") if size <= LARGEST_PICTURE else NOTHING
    is_whole = len(content) >= size
    text = read_text(content, is_whole=is_whole)
    if text is None:
        return NOTHING
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in _TABLES and (table := _view_table(text, _TABLES[suffix], room, is_whole=is_whole)):
        return table
    if suffix in _JSON and is_whole:
        text = _pretty(text)
    return _view_text(text, room, is_whole=is_whole)


def sniff_picture(content: bytes) -> str | None:
    """The media type of a picture that every browser shows, by how it begins."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in PICTURES if content.startswith(start)), None)


def read_text(content: bytes, *, is_whole: bool) -> str | None:
    """The text of a file, or of its beginning; None for what is no text."""
    if not is_whole and not content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:  # a character that is cut at the end is no sign of anything else
            kept = codecs.getincrementaldecoder("utf-8")().decode(content)
            content = kept.encode()
        except UnicodeDecodeError:
            pass
    elif not is_whole:
        content = content[: len(content) // 2 * 2]
    found = decode_text(content)
    return found[0] if found else None


def _view_text(text: str, room: Room, *, is_whole: bool) -> FileView:
    lines = text.split("\n", room.lines)
    shown = lines[: room.lines]
    rest = len(lines) > room.lines and lines[-1] != ""
    cut = any(len(line) > LONGEST_LINE for line in shown)
    shown = [_clip(line, LONGEST_LINE) for line in shown]
    notes = [f"Cut after {plural(len(shown), 'line')}."] if rest or not is_whole else []
    notes += [f"Lines are cut at {LONGEST_LINE:,} characters."] if cut else []
    text = "\n".join(shown).rstrip("\n")
    return FileView(kind="text", text=text, left_out=" ".join(notes))


def _view_table(text: str, between: str, room: Room, *, is_whole: bool) -> FileView | None:
    """The first rows; None for what reads as no table."""
    first = text.partition("\n")[0]
    delimiter = max(between, key=first.count)
    rows: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            if row:
                rows.append(row)
            if len(rows) > room.rows + 1:
                break
    except csv.Error:  # a field without end
        return None
    if len(rows) < 2 or len(rows[0]) < 2:
        return None
    more_rows = len(rows) > room.rows + 1 or not is_whole
    shown = rows[: room.rows + 1]
    widest = max(len(row) for row in shown)
    notes = [f"the first {len(shown) - 1:,} rows"] if more_rows else []
    notes += [f"{MOST_COLUMNS} of {widest:,} columns"] if widest > MOST_COLUMNS else []
    width = min(widest, MOST_COLUMNS)
    cells = [_fit(row, width) for row in shown]
    left_out = f"Only {' and '.join(notes)} are shown." if notes else ""
    return FileView(kind="table", head=cells[0], rows=cells[1:], left_out=left_out)


def _fit(row: Sequence[str], width: int) -> list[str]:
    """A row of so many cells, none of them long."""
    cells = [_clip(cell, LONGEST_CELL) for cell in row[:width]]
    return cells + [""] * (width - len(cells))


def _clip(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _pretty(text: str) -> str:
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):  # no JSON, or a number of thousands of digits
        return text
