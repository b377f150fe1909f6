"""Recognises where a text is nothing but a path, and finds the file that it names.

A prompt or an assertion that is only a path stands for the file; a session must never be
given the bare path. Whether a text *is* a path is decided by the commit first and by its
looks only where no such file exists.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from jobs.content.markdown import link_targets, plain_text
from jobs.content.snapshot import Snapshot

PATH_CHARACTERS = 300

_LOOKS = re.compile(
    r"^[^\s`*|<>\"]+\.(?:md|markdown|txt|text|rst|json|ya?ml|rmd|qmd)$", re.IGNORECASE
)
_ONE_LINK = re.compile(r"^\[[^\[\]]*\]\([^()\s]*\)$")
_BLOB = re.compile(r"/(?:blob|raw|tree)/(?P<rest>[^?#]+)")


def find_path_only(text: str, snapshot: Snapshot, folders: Sequence[str]) -> Path | None:
    """The file that a text names and says nothing besides; None for any other text."""
    line = text.strip()
    if not line or "\n" in line or len(line) > PATH_CHARACTERS:
        return None
    return find_named_file(line, snapshot, folders)


def looks_like_path(text: str) -> bool:
    """Whether a text is shaped like the path of a text file, whether or not it exists."""
    line = text.strip().strip("`").removeprefix("- ")
    return len(line) <= PATH_CHARACTERS and bool(_LOOKS.match(line)) and "://" not in line


def find_named_file(written: str, snapshot: Snapshot, folders: Sequence[str]) -> Path | None:
    """The file meant by a path, a code span or a link, looked up in `folders` in order."""
    for spelling in _spellings(written):
        for folder in folders:
            path = spelling if folder == "." else f"{folder}/{spelling}"
            if (real := snapshot.find_file(path)) is not None:
                return real
    return None


def _spellings(written: str) -> Iterator[str]:
    bare = written.strip()
    yield bare
    tidy = bare.strip("`*\"'<> ").rstrip(".,;:")
    yield tidy
    if _ONE_LINK.match(bare):
        yield plain_text(bare).strip()
        for target in link_targets(bare):
            yield target
            yield from _blob_paths(target)
    yield from _blob_paths(tidy)


def _blob_paths(target: str) -> Iterator[str]:
    """Paths in a link to a file on GitHub; the branch in it may hold slashes."""
    if match := _BLOB.search(target):
        parts = match["rest"].split("/")
        for start in range(1, min(len(parts), 6)):
            yield "/".join(parts[start:])
