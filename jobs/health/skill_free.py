"""Whether the arm without a skill is free of it: its folder, its inputs, its words.

Looked for are files that are byte for byte the skill's, folders where skills are found, and
passages of SKILL.md. The eval case may attach a data file of the skill on purpose; both arms
have it then, which is said and is no fault.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Self

from jobs.values import InputFile

SKILL_FILE = "SKILL.md"
PASSAGE = 120
"""Letters and digits in a row, some twenty-five words: shorter ones may stand in any text."""
SHORT_PASSAGE = 40
"""The same of all that a SKILL.md says below its front matter, where that is less."""
_SHOWN = 80
_MOST_NAMED = 5
_FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n.*?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_LETTERS = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillMark:
    """What would show that a session has met a skill which it must not have."""

    name: str
    files: Mapping[str, str]
    """The skill's files that are not empty: SHA-256 of each, to its path in the skill."""
    sizes: frozenset[int]
    text: str
    """What its SKILL.md says."""
    attached: frozenset[str] = field(default_factory=frozenset)
    """SHA-256 of what the eval case attaches, which both arms are given."""

    @classmethod
    def read(cls, name: str, folder: Path, text: str, inputs: Sequence[InputFile]) -> Self:
        """Of the skill that is staged in `folder`. Blocks."""
        files, sizes = {}, set()
        for path in _walk(folder):
            if size := path.stat().st_size:
                sizes.add(size)
                files[_digest(path)] = path.relative_to(folder).as_posix()
        attached = frozenset(one.sha256 for one in inputs)
        return cls(name=name, files=files, sizes=frozenset(sizes), text=text, attached=attached)


def find_attached(mark: SkillMark, inputs: Sequence[InputFile]) -> Iterator[tuple[InputFile, str]]:
    """The inputs that are files of the skill, each with its path there."""
    for one in inputs:
        if path := mark.files.get(one.sha256):
            yield one, path


def find_traces(mark: SkillMark, work: Path, told: str) -> tuple[str, ...]:
    """What a session is given of the skill, in its working folder or in words; none is right.

    Each a clause. Blocks: it reads what may be a file of the skill.
    """
    traces = [
        f"its folder holds `{path.relative_to(work).as_posix()}`, which is the skill's "
        f"`{mark.files[digest]}`"
        for path in _walk(work)
        if path.stat().st_size in mark.sizes
        and (digest := _digest(path)) in mark.files
        and digest not in mark.attached
    ]
    traces += [f"its folder holds `{folder}`, where skills are found" for folder in _places(work)]
    if passage := find_passage(mark.text, told):
        traces.append(f"it is told a passage of SKILL.md (“{passage}”)")
    return tuple(traces[:_MOST_NAMED])


def find_passage(skill_text: str, told: str) -> str:
    """The beginning of the first passage of SKILL.md that stands in another text; else empty.

    Compared are letters and digits alone, whatever their case and what stands between them. Of a
    skill whose instructions are shorter than a passage, all of them are one.
    """
    skill, places = _letters(skill_text)
    other, _ = _letters(told)
    if (begin := next(_find_common(skill, other), None)) is not None:
        return _show(skill_text[places[begin] :])
    short = _find_short(skill_text, other)
    return _show(short) if short else ""


def find_share(skill_text: str, told: str) -> float:
    """How much of SKILL.md stands in another text, in passages: the share of its letters."""
    skill, _ = _letters(skill_text)
    other, _ = _letters(told)
    if _find_short(skill_text, other):
        return 1
    covered = end = 0
    for at in _find_common(skill, other):
        covered += at + PASSAGE - max(at, end)
        end = at + PASSAGE
    return covered / len(skill) if skill else 0


def _find_short(skill_text: str, other: str) -> str:
    """Instructions that are shorter than a passage, where the letters of a text hold them all."""
    body = _FRONT_MATTER.sub("", skill_text, count=1)
    instructions, _ = _letters(body)
    is_short = SHORT_PASSAGE <= len(instructions) < PASSAGE
    return body if is_short and instructions in other else ""


def _find_common(skill: str, other: str) -> Iterator[int]:
    """Where passages begin that stand in another text, too, in order.

    By their hashes, so that texts made for it are not gone through again and again, and a long
    one is not kept piece by piece.
    """
    starts = range(len(skill) - PASSAGE + 1)
    known = {hash(skill[at : at + PASSAGE]) for at in starts}
    others = (hash(other[at : at + PASSAGE]) for at in range(len(other) - PASSAGE + 1))
    common = known.intersection(others) if known else known
    return (at for at in starts if common and hash(skill[at : at + PASSAGE]) in common)


def _show(text: str) -> str:
    return " ".join(text[:_SHOWN].split()) + "…"


def _letters(text: str) -> tuple[str, list[int]]:
    """The letters and digits of a text in lower case, and where each stood."""
    letters: list[str] = []
    places: list[int] = []
    for word in _LETTERS.finditer(text):
        for offset, letter in enumerate(word[0]):
            low = letter.lower()
            letters.append(low)
            places += [word.start() + offset] * len(low)
    return "".join(letters), places


def _places(work: Path) -> Iterator[str]:
    """Folders that a session without a skill must not have."""
    if (work / "skill").exists():
        yield "skill/"
    installed = work / ".claude" / "skills"
    if installed.is_dir():
        yield from (f".claude/skills/{one.name}/" for one in sorted(installed.iterdir()))


def _walk(folder: Path) -> Iterator[Path]:
    yield from (path for path in sorted(folder.rglob("*")) if path.is_file())


def _digest(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def is_instructions(path: str) -> bool:
    """Whether a file of a skill is a SKILL.md: what makes it a skill."""
    return PurePosixPath(path).name == SKILL_FILE
