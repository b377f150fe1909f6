"""Tells the files an eval case attaches from the prose around them.

A file of the repository becomes an input under a neutral name, `input/input_001.csv`; where
prose mentions it, the neutral name takes its place. Everything else is prose and goes into
the task text whole and in order, code blocks included. An entry that names no file is no error.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jobs.content.markdown import code_lines
from jobs.content.marks import strip_marks
from jobs.content.paths import MENTION, find_named_file, is_utf8, looks_like_path
from jobs.content.sha import file_sha
from jobs.content.skill_tree import list_skill_files
from jobs.content.snapshot import Snapshot
from jobs.content.text import is_none, quoted, size_words, without_blank_edges
from jobs.errors import Refused
from jobs.values import InputFile

MAX_INPUTS = 200
MAX_REMARKS = 10
MAX_INPUT_BYTES = 100_000_000
"""Both arms get a copy of all inputs, and text inputs are quoted in the task besides."""

MAX_LINES = 2_000
MAX_MENTIONS = 2_000
"""Words of the prose that are looked up in the commit, since each costs a look at the disk."""

_NONE_LEAD = re.compile(
    r"""^[\s_*`(-]*(?:none|nothing|n/a|n\.\s?a\.?
          |(?:there\ (?:is|are)\ )?no\ (?:[\w-]+\ ){0,2}(?:files?|attachments?|inputs?))
        (?:\ (?:is\ |are\ )?(?:needed|required|necessary|attached|provided|given|applicable))?
        [\s_*`)]*(?:[,.;:(–—-]|$)""",
    re.IGNORECASE | re.VERBOSE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_IN_THE_TASK = re.compile(r"\b(?:query|prompt|above|task)\b", re.IGNORECASE)
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,10}$")


@dataclass(frozen=True, slots=True)
class Barred:
    """What no session may be given as an input, though the case attaches it."""

    paths: frozenset[str] = frozenset()
    """Repository paths of prompt, rubric, expected output, eval file."""
    skill_folders: frozenset[str] = frozenset()
    """Folders of the skills under test: their SKILL.md would reach the other arm."""

    def why(self, path: str) -> str | None:
        """Why a file is not given; None for one that may be."""
        if path in self.paths:
            return "no session may see the prompt's, the rubric's or the case's own file"
        folder, _, name = path.rpartition("/")
        if name == "SKILL.md" and (folder or ".") in self.skill_folders:
            return "it is the skill under test"
        return None


@dataclass(frozen=True, slots=True)
class Attached:
    """Inputs, prose for the task text, and what a reader should know."""

    inputs: tuple[InputFile, ...]
    notes: tuple[str, ...]
    remarks: tuple[str, ...]


def read_attachments(
    entries: Sequence[str], snapshot: Snapshot, folders: Sequence[str], barred: Barred
) -> Attached:
    """Sort the lines about attached files into inputs and prose.

    What is barred is neither input nor prose, and remarked upon. Raises `Refused`, naming the
    file and its size, for more than may be staged.
    """
    reader = _Reader(snapshot, folders, barred)
    lines = [line for entry in entries for line in entry.split("\n")]
    reader.read(lines[:MAX_LINES])
    if len(lines) > MAX_LINES:
        reader.prose += lines[MAX_LINES:]
        reader.remarks.insert(0, f"Only the first {MAX_LINES:,} lines about files were searched.")
    prose = without_blank_edges("\n".join(reader.prose))
    if not reader.inputs:
        prose = _without_none(prose, entries)
    notes = () if is_none(prose) else (prose,)
    return Attached(tuple(reader.inputs.values()), notes, tuple(reader.remarks[:MAX_REMARKS]))


@dataclass(slots=True)
class _Reader:
    snapshot: Snapshot
    folders: Sequence[str]
    barred: Barred
    inputs: dict[Path, InputFile] = field(default_factory=dict)
    prose: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    total_bytes: int = 0
    mentions: int = 0

    def read(self, lines: list[str]) -> None:
        code = code_lines("\n".join(lines))
        block: list[str] = []
        for number, line in enumerate(lines):
            if number in code:
                block.append(line)
                continue
            self._end_code(block)
            block = []
            self._read_line(line)
        self._end_code(block)

    def _end_code(self, block: list[str]) -> None:
        """A code block is prose, unless it is a mere list of files."""
        paths = [line.strip() for line in block if line.strip()[:3] not in {"", "```", "~~~"}]
        files = [find_named_file(path, self.snapshot, self.folders) for path in paths]
        if paths and all(files):
            for file in files:
                assert file is not None, "all of them were found"
                self._take(file)
        else:
            self.prose += block

    def _read_line(self, line: str) -> None:
        item = strip_marks(line)
        if not item or is_none(item):
            if not line.strip():
                self.prose.append("")
            return
        if (file := find_named_file(item, self.snapshot, self.folders)) is not None:
            self._take(file)
            return
        if self._take_folder(item):
            return
        found = False

        def alias(match: re.Match[str]) -> str:
            nonlocal found
            mention = match[0]
            self.mentions += 1
            if self.mentions > MAX_MENTIONS or not ("." in mention or "/" in mention):
                return mention
            file = find_named_file(mention, self.snapshot, self.folders)
            if file is None:
                return mention
            found = True
            tail = mention[len(mention.rstrip(".,;:")) :]
            return (self._take(file) or "") + tail

        shown = MENTION.sub(alias, line)
        left = re.sub(r"input/input_\d+\S*|\band\b|[\W_\d]", "", shown)
        if not found or left:
            self.prose.append(shown)
        if not found and looks_like_path(item.strip("`*")):
            self.remarks.append(
                f"{quoted(item)} looks like a path, but there is no such file at this commit; "
                "it was given to the sessions as text."
            )

    def _take_folder(self, item: str) -> bool:
        """A line that is only a folder's path stands for the files in it."""
        path = item.strip("`*\"' ").replace("\\", "/")
        real = self.snapshot.resolve(path) if "/" in path else None
        if real is None or not real.is_dir() or real == self.snapshot.root:
            return False
        folder = self.snapshot.path_of(real)
        if any(f"{skill}/".startswith(f"{folder}/") for skill in self.barred.skill_folders):
            self.remarks.append(f"{quoted(folder)} was not attached: it is the skill under test.")
            return True
        for file in list_skill_files(self.snapshot, folder):
            if is_utf8(file.real):
                self._take(Path(file.real))
            else:
                self.remarks.append(f"{quoted(file.path)} was not attached: its name is no UTF-8.")
        return True

    def _take(self, real: Path) -> str | None:
        """Stage a file and give its alias; None for a file that no session may see."""
        path = self.snapshot.path_of(real)
        if why := self.barred.why(path):
            self.remarks.append(f"{quoted(path)} was not attached: {why}.")
            return None
        if real in self.inputs:
            return self.inputs[real].alias
        size = real.stat().st_size
        self.total_bytes += size
        if self.total_bytes > MAX_INPUT_BYTES:
            raise Refused(
                f"The attached files have more than {size_words(MAX_INPUT_BYTES)} together; "
                f"{quoted(path)} alone has {size_words(size)}. Attach smaller ones."
            )
        if len(self.inputs) == MAX_INPUTS:
            raise Refused(f"More than {MAX_INPUTS} files are attached; {quoted(path)} is too many.")
        ending = _EXTENSION.search(real.name)
        alias = f"input/input_{len(self.inputs) + 1:03d}{ending[0].lower() if ending else ''}"
        self.inputs[real] = InputFile(
            source=path, alias=alias, sha256=file_sha(str(real)), size_bytes=size
        )
        return alias


def _without_none(prose: str, entries: Sequence[str]) -> str:
    """The prose without the sentence that says there are no files.

    JSON lists were often cut at commas; the sentence is put together again before it goes, so
    that no half of it is left. What follows is kept unless it only points to the task.
    """
    whole = [entry.strip() for entry in entries if entry.strip()]
    text = ", ".join(whole) if len(whole) > 1 and not any("```" in x for x in whole) else prose
    if not _NONE_LEAD.match(text):
        return prose
    first_line, _, rest = text.partition("\n")
    sentences = _SENTENCE_END.split(first_line)[1:]
    kept = [sentence for sentence in sentences if not _IN_THE_TASK.search(sentence)]
    return without_blank_edges("\n".join([" ".join(kept), rest]))
