"""Recognises where a text is nothing but a path, and finds the file that it names.

A prompt or an assertion that is only a path stands for the file; a session must never be
given the bare path. Whether a text *is* a path is decided by the commit first and by its
looks only where no such file exists.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

from jobs.content.markdown import fence_content, link_targets, plain_text
from jobs.content.marks import strip_marks
from jobs.content.snapshot import Snapshot

PATH_CHARACTERS = 1_000
"""A link with its text may be this long; what is longer is no path."""

MENTION = re.compile(r"\[[^\[\]\n]{0,300}\]\([^()\n]{1,300}\)|`[^`\n]{1,300}`|[^\s,;()<>\"'`\[\]]+")
"""A place in a text where a file may be named: a link, a code span, or a word."""

_LOOKS = re.compile(
    r"[^\s`*|<>\"]+\.(?:md|markdown|txt|text|rst|adoc|org|json|ya?ml|rmd|qmd|docx|pdf)",
    re.IGNORECASE,
)
_ONE_LINK = re.compile(r"\[[^\[\]]*\]\([^()\s]*\)")
_BLOB = re.compile(
    r"(?:/(?:blob|raw|tree)/|^https?://raw\.githubusercontent\.com/[^/]+/[^/]+/)(?P<rest>[^?#]+)"
)
_WRAPPING = "`*_\"'<> "


def find_path_only(text: str, snapshot: Snapshot, folders: Sequence[str]) -> Path | None:
    """The file that a text names and says nothing besides; None for any other text."""
    line = _only_line(text)
    return find_named_file(line, snapshot, folders) if line else None


def looks_like_path(text: str) -> bool:
    """Whether a text is shaped like the path of a text file, whether or not it exists."""
    return any(
        bool(_LOOKS.fullmatch(spelling)) and ("://" not in spelling or bool(_BLOB.search(spelling)))
        for spelling in _tidy_spellings(_only_line(text))
    )


def find_named_file(written: str, snapshot: Snapshot, folders: Sequence[str]) -> Path | None:
    """The file meant by a path, a code span or a link, looked up in `folders` in order.

    A file whose name is not UTF-8 is not found: nothing could name it in a report.
    """
    if len(written) > PATH_CHARACTERS:
        return None
    for spelling in _spellings(written):
        for folder in folders:
            path = spelling if folder == "." else f"{folder}/{spelling}"
            real = snapshot.find_file(path)
            if real is not None and is_utf8(str(real)):
                return real
    return None


def is_utf8(path: str) -> bool:
    """Whether a path can be written into a report."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def paths_in_link(target: str) -> Iterator[str]:
    """Paths in a link to a file or folder on GitHub; the branch in it may hold slashes."""
    if match := _BLOB.search(target):
        parts = match["rest"].split("/")
        first = 0 if "raw.githubusercontent.com" in target else 1
        for start in range(first, min(len(parts), 6)):
            yield "/".join(parts[start:])


def _only_line(text: str) -> str:
    """The one line of a text, out of its fence and without a bullet; empty if there are more."""
    if len(text) > 2 * PATH_CHARACTERS:
        return ""
    inner = fence_content(text)
    line = strip_marks(inner if inner is not None else text)
    return "" if "\n" in line or len(line) > PATH_CHARACTERS else line


def _spellings(written: str) -> Iterator[str]:
    seen: set[str] = set()
    for spelling in _tidy_spellings(written):
        for path in (spelling, *paths_in_link(spelling)):
            for variant in (path, unquote(path), path.replace("\\", "/")):
                if variant and "\0" not in variant and variant not in seen:
                    seen.add(variant)
                    yield variant


def _tidy_spellings(written: str) -> Iterator[str]:
    """The text, the text without what wraps it, and what the link says that it is."""
    bare = written.strip()
    yield bare
    tidy = bare.rstrip(".,;: ").strip(_WRAPPING).rstrip(".,;: ")
    yield tidy
    if _ONE_LINK.fullmatch(tidy):
        yield plain_text(tidy).strip()
        yield from link_targets(tidy)
