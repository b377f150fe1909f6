"""What a judge is shown of a folder: every file with its size, and the text of text files.

Both candidates get the same room, whatever they hold; what does not fit is cut with a
note, and what is not text is named by kind, so that a judge can open it with its tools or
say that it could not. Names and text are hostile: names are shown on one line each,
text stands inside the delimiters of `jobs.judging.prompt`.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from jobs.judging.text_files import decode_text, find_files

FILE_CHARACTERS = 20_000
"""How much of one text file is shown; about 5,000 tokens."""
FOLDER_CHARACTERS = 60_000
"""How much text of one folder is shown in all: two candidates stay near 30,000 tokens."""
LISTED_FILES = 500
"""As many files as are collected from a session."""

_KINDS = {
    ".docx": "Word document",
    ".xlsx": "Excel workbook",
    ".pptx": "PowerPoint presentation",
    ".odt": "OpenDocument text",
    ".pdf": "PDF",
    ".png": "PNG image",
    ".jpg": "JPEG image",
    ".jpeg": "JPEG image",
    ".gif": "GIF image",
    ".webp": "WebP image",
    ".zip": "ZIP archive",
    ".gz": "gzip archive",
    ".rds": "R object",
    ".rda": "R objects",
    ".parquet": "Parquet table",
    ".sqlite": "SQLite database",
}
_FIRST = "response.md"
"""The session's last message; shown first, since it says what the other files are."""
_UNPRINTABLE = re.compile(r"[^\x20-\x7e\x80-\U0010ffff]|[\x80-\x9f\u2028\u2029\ud800-\udfff]")


def render_folder(
    folder: Path,
    *,
    file_characters: int = FILE_CHARACTERS,
    folder_characters: int = FOLDER_CHARACTERS,
) -> str:
    """A listing of the folder's files, then the text of each text file within the caps.

    Text is shown as it is, except that NUL and other control characters are left out.
    """
    files = _list_files(folder)
    if not files:
        return "(no files)"
    shown = _choose_shown(files, file_characters, folder_characters)
    return "\n\n".join([_render_listing(files), *(_render_file(*one) for one in shown)])


def measure_shown(folder: Path) -> tuple[int, int]:
    """How many characters of text a judge is shown of a folder, and how many files it lists."""
    files = _list_files(folder)
    shown = _choose_shown(files, FILE_CHARACTERS, FOLDER_CHARACTERS)
    return sum(one.cut for one in shown), len(files)


class _Shown(NamedTuple):
    """A text file, of which the first `cut` characters are shown."""

    name: str
    text: str
    cut: int


def _list_files(folder: Path) -> list[tuple[str, Path]]:
    return sorted(find_files(folder), key=lambda item: (item[0] != _FIRST, item[0]))


def _choose_shown(
    files: Sequence[tuple[str, Path]], file_characters: int, folder_characters: int
) -> Iterator[_Shown]:
    """The text files in order, each with what finds room of it."""
    room = folder_characters
    for name, path in files:
        decoded = decode_text(path.read_bytes())
        if decoded is None:
            continue
        text = keep_printable(decoded[0])
        cut = min(file_characters, room, len(text))
        room -= cut
        yield _Shown(name, text, cut)


def _render_listing(files: Sequence[tuple[str, Path]]) -> str:
    lines = [f"{len(files)} files:" if len(files) > 1 else "1 file:"]
    lines += [f"- {_describe(name, path)}" for name, path in files[:LISTED_FILES]]
    if len(files) > LISTED_FILES:
        lines.append(f"- … and {len(files) - LISTED_FILES} more files")
    return "\n".join(lines)


def _describe(name: str, path: Path) -> str:
    size = f"{show_name(name)} ({path.stat().st_size:,} bytes)"
    if decode_text(path.read_bytes()) is not None:
        return size
    kind = _KINDS.get(PurePosixPath(name).suffix.lower(), "binary file of unknown kind")
    return f"{size}: {kind}, not shown here"


def _render_file(name: str, text: str, cut: int) -> str:
    heading = f"--- {show_name(name)} ---"
    if cut == 0 and text:
        return f"{heading}\n(not shown for lack of room: {len(text):,} characters)"
    if cut < len(text):
        note = f"(cut here: {cut:,} of {len(text):,} characters are shown)"
        return f"{heading}\n{text[:cut]}\n{note}"
    return f"{heading}\n{text}"


def show_name(name: str) -> str:
    """A file's name on one line, whatever characters it was given."""
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", name)


def keep_printable(text: str) -> str:
    """Text without the control characters that a model API may refuse."""
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]", "", text)
