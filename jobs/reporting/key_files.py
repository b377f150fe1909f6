"""Chooses which of a session's files a report shows: the few texts a reader opens first.

Reads only the session's bundle; every file, shown or not, is in the archive.
"""

import asyncio
import zipfile
from pathlib import Path, PurePosixPath

from jobs.reporting.context import KeyFiles

MOST_FILES = 6
MOST_BYTES = 200_000
"""A longer file is no text for reading in a comment; only its beginning is taken."""

_PROSE = frozenset({".md", ".txt", ".rst", ".qmd", ".rmd"})
_CODE = frozenset({".py", ".r", ".sql", ".sas", ".sh", ".js", ".ts", ".jl", ".rs", ".tex"})
_OUTPUT = "output/"


async def find_key_files(bundle: Path) -> KeyFiles:
    """At most six UTF-8 texts below `output/`: prose, then code, then the rest.

    Raises `zipfile.BadZipFile` or `OSError` where the bundle cannot be read.
    """
    return await asyncio.to_thread(_find, bundle)


def _find(bundle: Path) -> KeyFiles:
    found: list[tuple[str, str]] = []
    with zipfile.ZipFile(bundle) as source:
        entries = [
            entry
            for entry in source.infolist()
            if entry.filename.startswith(_OUTPUT) and not entry.is_dir()
        ]
        for entry in sorted(entries, key=lambda one: _rank(one.filename)):
            with source.open(entry) as reading:
                text = _text(reading.read(MOST_BYTES))
            if text is not None:
                found.append((entry.filename.removeprefix(_OUTPUT), text))
            if len(found) == MOST_FILES:
                break
    return tuple(found)


def _rank(name: str) -> tuple[int, int, str]:
    path = PurePosixPath(name)
    suffix = path.suffix.lower()
    kind = 0 if suffix in _PROSE else 1 if suffix in _CODE else 2
    # the last message repeats what the files say, where there are files
    return kind, int(name == f"{_OUTPUT}response.md"), name


def _text(content: bytes) -> str | None:
    """The content as text; None for what is empty or binary."""
    if not content.strip() or b"\0" in content:
        return None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # a character cut at the end of what was read is no sign of a binary file
        cut = error.start >= len(content) - 3 and len(content) == MOST_BYTES
        return content[: error.start].decode("utf-8-sig") if cut else None
