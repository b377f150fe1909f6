"""Finds the files of the repository that commands of an eval case name.

They are put beside the candidate's files for the command alone: no session may see what decides
about its work. What a skill is made of to be used, and what the case attaches, stays with the
sessions all the same.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from jobs.checks.check import Check, CheckFile
from jobs.content.lookup import RESOURCE_FOLDERS, Lookup
from jobs.content.paths import is_utf8
from jobs.content.sha import file_sha
from jobs.content.skill_tree import list_skill_files
from jobs.content.text import quoted, size_words
from jobs.errors import Refused

MAX_FILES = 200
MAX_BYTES = 20_000_000
"""All that one command names; it is copied for each candidate."""
GIVEN_FOLDERS = frozenset({"output", "input"})
"""What a command finds beside the files it names: the candidate's, and those of the case."""

_WORD = re.compile(r"[^\s\"'`;|&<>()=$,\[\]{}*?#]+")
_PROGRAM = re.compile(r"\.(?:py|sh|bash|r|js|mjs|ts|rb|pl|jl|sql|awk|jq)$", re.IGNORECASE)


def read_checks(lookup: Lookup, inputs: frozenset[str]) -> tuple[Check, ...]:
    """The checks of a case with the files that they name, which are withheld from sessions.

    `inputs` are the repository paths that the sessions are given. Raises `Refused` where a
    command names more than may be put beside it, or two name what cannot lie side by side.
    """
    checks = []
    for number, written in enumerate(lookup.draft.checks, start=1):
        files = _find_files(f"C{number}", written.command, lookup)
        lookup.withheld |= {
            file.source
            for file in files
            if file.source not in inputs and not _is_resource(file.source)
        }
        checks.append(
            Check(id=f"C{number}", command=written.command, name=written.name, files=files)
        )
    _refuse_clash({file.path: file.source for check in checks for file in check.files})
    return tuple(checks)


def _refuse_clash(sources: Mapping[str, str]) -> None:
    """Raise `Refused` where one name is a file beside a skill and a folder of the repository."""
    for path, source in sources.items():
        for above in PurePosixPath(path).parents:
            if (file := sources.get(str(above))) is not None:
                raise Refused(
                    f"The checks name {quoted(str(above))} as a file ({quoted(file)}) and as a "
                    f"folder (of {quoted(source)}), and cannot be given both. Rename one."
                )


def _find_files(check: str, command: str, lookup: Lookup) -> tuple[CheckFile, ...]:
    found: dict[str, CheckFile] = {}
    total = 0
    words = {posixpath.normpath(match[0]): match[0] for match in _WORD.finditer(command)}
    for path, word in words.items():
        if not _may_be_ours(word, path):
            continue
        named = list(_look_up(path, lookup, with_folders="/" in word.removeprefix("./")))
        if not named and "/" in path and _PROGRAM.search(path):
            lookup.remarks.append(
                f"{quoted(word)} in check {check} is no file at this commit; the command will find "
                "it only where it makes it itself."
            )
        for place, real in named:
            total += real.stat().st_size
            found[place] = CheckFile(
                source=lookup.snapshot.path_of(real), path=place, sha256=file_sha(str(real))
            )
            if total > MAX_BYTES or len(found) > MAX_FILES:
                raise Refused(
                    f"The check {check} names more than {MAX_FILES} files or "
                    f"{size_words(MAX_BYTES)} of the repository (at {quoted(place)}). Name fewer."
                )
    return tuple(found[place] for place in sorted(found))


def _may_be_ours(word: str, path: str) -> bool:
    """Whether a word can be a path in the repository that a command would find."""
    first = path.split("/", 1)[0]
    has_shape = "/" in word or "." in word.strip(".")
    return (
        has_shape and not path.startswith(("/", "-")) and first not in {"..", ".", *GIVEN_FOLDERS}
    )


def _look_up(path: str, lookup: Lookup, *, with_folders: bool) -> Iterator[tuple[str, Path]]:
    """The files that a path names, each with where the command finds it: one, or a folder's."""
    snapshot = lookup.snapshot
    for folder in lookup.draft.folders:
        inside = path if folder == "." else f"{folder}/{path}"
        real = snapshot.resolve(inside)
        if real is None or not is_utf8(str(real)):
            continue
        if real.is_file():
            yield path, real
            return
        if with_folders and real.is_dir() and real != snapshot.root:
            files = list_skill_files(snapshot, snapshot.path_of(real))
            if any(posixpath.basename(file.path) == "SKILL.md" for file in files):
                return  # a skill is what is measured, no part of how
            for file in files:
                if is_utf8(file.real):
                    yield f"{path}/{file.path}", Path(file.real)
            return


def _is_resource(source: str) -> bool:
    """Whether a file is what a skill is made of to be used."""
    parts = source.split("/")
    return parts[-1] == "SKILL.md" or bool(RESOURCE_FOLDERS.intersection(parts[:-1]))
