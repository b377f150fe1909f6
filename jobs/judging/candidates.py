"""Makes the folder a judge works in: both outputs under neutral names, scrubbed alike.

Only regular files are copied, with fresh times and no permissions, so that nothing but
names and content crosses over. Text files are scrubbed, other files are copied byte for
byte. The originals are never touched: checks by machine need them as they are.
"""

import codecs
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from jobs.judging.blind import CANDIDATE_NAMES, get_other_arm
from jobs.judging.scrub import Scrubber
from jobs.values import Arm, EvalCase, ScrubCount, Skill

_NAME_BYTES = 255
"""What a file system takes for one part of a path."""
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NOT_TEXT = re.compile(rb"[\x00-\x07\x0e-\x1a\x1c-\x1f]")
"""Control characters that no text file holds; escape (1b) colours terminal output."""
_BINARY_STARTS = (b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"\x89PNG", b"\xff\xd8\xff", b"GIF8")


@dataclass(frozen=True, slots=True)
class Candidates:
    """A folder with `candidate_1/` and `candidate_2/`, and what was replaced in each arm."""

    folder: Path
    counts: ScrubCount


def prepare_candidates(
    outputs: dict[Arm, Path], case: EvalCase, skill: Skill, target: Path, first: Arm
) -> Candidates:
    """Copy both arms' outputs into `target`, scrubbed, `first` as `candidate_1`.

    Pass 2 is prepared in a folder of its own with the other arm as `first`: a judge's
    commands may write to its folder, and no reading may see another's traces.

    Raises `FileExistsError` if a candidate's folder is there already.
    """
    scrubber = Scrubber(skill, case)
    counts: dict[Arm, int] = {}
    for name, arm in zip(CANDIDATE_NAMES, (first, get_other_arm(first)), strict=True):
        folder = target / name
        folder.mkdir(parents=True)
        counts[arm] = _copy_scrubbed(outputs[arm], folder, scrubber)
    return Candidates(
        folder=target,
        counts=ScrubCount(
            with_skill=counts[Arm.WITH_SKILL], without_skill=counts[Arm.WITHOUT_SKILL]
        ),
    )


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


def _copy_scrubbed(source: Path, target: Path, scrubber: Scrubber) -> int:
    """Copy the files of one output under scrubbed names; gives the number of replacements."""
    count = 0
    renamed: list[tuple[str, Path]] = []
    taken = _Names()
    for name, path in find_files(source):
        neutral, replaced = scrubber.scrub(name)
        count += replaced
        if replaced:
            renamed.append((neutral, path))
        else:
            taken.add(name)
            count += _copy_file(path, target / name, scrubber)
    for neutral, path in renamed:
        count += _copy_file(path, target / taken.find_free(neutral), scrubber)
    return count


def _copy_file(source: Path, target: Path, scrubber: Scrubber) -> int:
    target.parent.mkdir(parents=True, exist_ok=True)
    decoded = decode_text(source.read_bytes())
    if decoded is None:
        shutil.copyfile(source, target)
        return 0
    text, encoding = decoded
    scrubbed, count = scrubber.scrub(text)
    target.write_bytes(scrubbed.encode(encoding))
    return count


class _Names:
    """The paths in use: two files can get one name, or one the name of the other's folder."""

    def __init__(self) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def add(self, name: str) -> None:
        self._files.add(name)
        self._folders.update(_get_folders(name))

    def find_free(self, name: str) -> str:
        """The name itself or, where it is taken, its first part with a number; adds it."""
        first, *rest = (_shorten(part) for part in name.split("/"))
        free, number = "/".join([first, *rest]), 1
        while free in self._files | self._folders or self._files & _get_folders(free):
            number += 1
            stem, dot, suffix = first.rpartition(".") if not rest else (first, "", "")
            numbered = f"{stem}-{number}{dot}{suffix}" if stem else f"{first}-{number}"
            free = "/".join([_shorten(numbered, keep_end=True), *rest])
        self.add(free)
        return free


def _get_folders(name: str) -> set[str]:
    return {parent.as_posix() for parent in PurePosixPath(name).parents} - {"."}


def _shorten(part: str, *, keep_end: bool = False) -> str:
    """A part of a path within what a file system takes."""
    raw = part.encode("utf-8", "surrogateescape")
    kept = raw[-_NAME_BYTES:] if keep_end else raw[:_NAME_BYTES]
    return kept.decode("utf-8", "surrogateescape")
