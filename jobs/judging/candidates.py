"""Makes the folder a judge works in: both outputs under neutral names, scrubbed alike.

Only regular files are copied, with fresh times and no permissions, so that nothing but
names and content crosses over. Text files are scrubbed, other files are copied byte for
byte. The originals are never touched: checks by machine need them as they are.
"""

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from jobs.judging.blind import ARM_TITLES, CANDIDATE_NAMES, get_arms, get_other_arm
from jobs.judging.image_words import read_image
from jobs.judging.office import read_office
from jobs.judging.pdf_text import read_pdf
from jobs.judging.scrub import Scrubbers
from jobs.judging.text_files import decode_text, find_files
from jobs.readings import ScrubCount
from jobs.values import Arm, EvalCase, Skill

SEARCH_S = 60.0
"""How long the files of one output may take to be searched for what cannot be replaced: each of
500 could take as long as its reader lets it."""
_NAME_BYTES = 255
"""What a file system takes for one part of a path."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """A folder with `candidate_1/` and `candidate_2/`, and what was replaced in each arm."""

    folder: Path
    counts: ScrubCount
    remarks: tuple[str, ...] = ()
    """Give-aways seen where they cannot be replaced: in office documents, PDF, images."""


def prepare_candidates(  # noqa: PLR0913 -- two arms, what they were for, where to, how long
    outputs: dict[Arm, Path],
    case: EvalCase,
    skills: Sequence[Skill],
    target: Path,
    first: Arm,
    *,
    search_s: float = SEARCH_S,
) -> Candidates:
    """Copy both arms' outputs into `target`, scrubbed, `first` as `candidate_1`.

    Both are scrubbed of what gives away any of `skills`: two versions may differ in their name.
    Pass 2 is prepared in a folder of its own with the other arm as `first`: a judge's
    commands may write to its folder, and no reading may see another's traces.

    Raises `FileExistsError` if a candidate's folder is there already.
    """
    copier = _Copier(Scrubbers(skills, case), search_s)
    counts: dict[Arm, int] = {}
    remarks: list[str] = []
    for name, arm in zip(CANDIDATE_NAMES, (first, get_other_arm(first)), strict=True):
        folder = target / name
        folder.mkdir(parents=True)
        counts[arm] = copier.copy(outputs[arm], folder)
        remarks += [f"In {ARM_TITLES[arm]}, {remark}" for remark in copier.take_remarks()]
    tested, other = get_arms(first)
    return Candidates(
        folder=target,
        counts=ScrubCount(with_skill=counts[tested], without_skill=counts[other]),
        remarks=tuple(remarks),
    )


class _Copier:
    """Copies outputs under scrubbed names, with scrubbed text."""

    def __init__(self, scrubber: Scrubbers, search_s: float) -> None:
        self._scrubber = scrubber
        self._search_s = search_s
        self._remarks: list[str] = []
        self._searched_s = 0.0
        self._unsearched = 0

    def take_remarks(self) -> list[str]:
        """What was noticed since the last call."""
        remarks, self._remarks = self._remarks, []
        return remarks

    def copy(self, source: Path, target: Path) -> int:
        """Copy the files of one output; gives the number of replacements."""
        count = 0
        renamed: list[tuple[str, Path]] = []
        taken = _Names()
        for name, path in find_files(source):
            neutral, replaced = self._scrubber.scrub(name)
            count += replaced
            if replaced:
                renamed.append((neutral, path))
            else:
                taken.add(name)
                count += self._copy_file(path, target / name)
        for neutral, path in renamed:
            count += self._copy_file(path, target / taken.find_free(neutral))
        if self._unsearched:
            files = "1 file was" if self._unsearched == 1 else f"{self._unsearched} files were"
            self._remarks.append(f"{files} not searched for words about a skill: out of time.")
        self._searched_s, self._unsearched = 0.0, 0
        return count

    def _copy_file(self, source: Path, target: Path) -> int:
        target.parent.mkdir(parents=True, exist_ok=True)
        content = source.read_bytes()
        decoded = decode_text(content)
        if decoded is None:
            shutil.copyfile(source, target)
            self._search_in_time(target.name, content)
            return 0
        text, encoding = decoded
        scrubbed, count = self._scrubber.scrub(text)
        target.write_bytes(scrubbed.encode(encoding))
        return count

    def _search_in_time(self, name: str, content: bytes) -> None:
        if self._searched_s >= self._search_s:
            self._unsearched += 1
            return
        began = time.monotonic()
        self._note_give_aways(name, content)
        self._searched_s += time.monotonic() - began

    def _note_give_aways(self, name: str, content: bytes) -> None:
        texts = [*read_office(name, content), *read_image(content)]
        if content.startswith(b"%PDF-"):
            read = read_pdf(content)
            if read is None:
                self._remarks.append(f"{name} could not be searched for words about a skill.")
            texts.append(read or "")
        left = sum(self._scrubber.scrub(text)[1] for text in texts)
        if left:
            times = "1 time" if left == 1 else f"{left} times"
            self._remarks.append(
                f"{name} speaks of a skill ({times}), which the judge may have read."
            )


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
