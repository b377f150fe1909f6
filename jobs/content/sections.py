"""Splits the body of an issue into the sections of the eval case template.

A section opens at a `##` or `###` heading whose title is known, and only there: an author's
own sub-headings, headings in code, quotes or lists, and a title that was already seen stay
text. What looks like a section and is none (another level, a typing slip, no blank after the
marks) is reported, so that a reply can say why a field counts as missing.
"""

import difflib
import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from markdown_it.token import Token

from jobs.content.markdown import parse_blocks, plain_text, without_comments
from jobs.content.text import clean_text, is_no_response, quoted, without_blank_edges

SectionName = Literal["skills", "language", "query", "expected_output", "files", "rubric"]

TITLES: dict[SectionName, str] = {
    "skills": "Skills",
    "language": "Language",
    "query": "Query",
    "expected_output": "Expected Output",
    "files": "Attached Files / Input Context",
    "rubric": "Rubric Criteria (Assertions)",
}
"""The template's titles, as replies write them."""

_KNOWN: dict[str, SectionName] = {
    "skills": "skills",
    "skill": "skills",
    "language": "language",
    "query": "query",
    "expected output": "expected_output",
    "attached files/input context": "files",
    "attached files": "files",
    "input context": "files",
    "rubric criteria (assertions)": "rubric",
    "rubric criteria": "rubric",
}
_NEARLY: dict[str, SectionName] = {
    **_KNOWN,
    "prompt": "query",
    "task": "query",
    "expected outputs": "expected_output",
    "expected result": "expected_output",
    "files": "files",
    "input files": "files",
    "rubric": "rubric",
    "assertions": "rubric",
    "criteria": "rubric",
}
"""Titles that are reported when they stand where a section could be meant."""

SIMILARITY = 0.8
"""`Rubrik Criteria` and `Expcted Output` are above it, other words of a task are below."""
TITLE_CHARACTERS = 80
MAX_REMARKS = 10
"""A reply tells what is near; it is no list of everything that a body holds."""
SECTION_LEVELS = frozenset({"##", "###"})

_OPTIONAL = re.compile(r"\((?:optional|required)\)")
_SHORTCODE = re.compile(r":[a-z0-9_+-]+:")
_NUMBER = re.compile(r"^\(?\d{1,2}[.)]\s+")
_UNSPACED = re.compile(r"^#{1,6}(?=[^#\s])")
_BOLD = re.compile(r"^(\*\*|__)(?P<title>[^*_\n]+)\1:?$")


@dataclass(frozen=True, slots=True)
class Sections:
    """The texts of the sections found, blank ones left out, and what nearly was one."""

    texts: dict[SectionName, str]
    near_misses: tuple[str, ...]

    def get(self, name: SectionName) -> str:
        """A section's Markdown source without blank edges; empty if it is missing or blank."""
        return self.texts.get(name, "")


def parse_sections(body: str) -> Sections:
    """Read an issue's body, typed by hand or made by an issue form. Raises nothing."""
    text = without_comments(clean_text(body))
    lines = text.split("\n")
    opened: list[tuple[SectionName, int, int]] = []
    near_misses: list[str] = []
    seen: set[SectionName] = set()
    for heading in _headings(parse_blocks(text)):
        name = _KNOWN.get(heading.title)
        if name is None or heading.marks not in SECTION_LEVELS or name in seen:
            if remark := _near_miss(heading, seen):
                near_misses.append(remark)
            continue
        seen.add(name)
        opened.append((name, heading.start, heading.end))
    texts: dict[SectionName, str] = {}
    ends = [start for _, start, _ in opened[1:]] + [len(lines)]
    for (name, _, start), end in zip(opened, ends, strict=False):  # no section, still one end
        content = without_blank_edges("\n".join(lines[start:end]))
        if content and not is_no_response(content):
            texts[name] = content
    return Sections(texts, tuple(dict.fromkeys(near_misses))[:MAX_REMARKS])


@dataclass(frozen=True, slots=True)
class _Heading:
    written: str
    title: str
    marks: str
    """`##`; `=` or `-` for an underlined title; empty for a line that only looks like one."""
    start: int
    end: int


def _headings(tokens: list[Token]) -> list[_Heading]:
    """Headings and heading-like lines at the top level, in order."""
    found = []
    for opening, inline in pairwise(tokens):
        if opening.level or opening.map is None or inline.type != "inline":
            continue
        start, end = opening.map
        if opening.type == "heading_open":
            written = inline.content
            found.append(_Heading(written, _title(written), opening.markup, start, end))
        elif opening.type == "paragraph_open":
            found += [
                _Heading(line, title, "", start, end)
                for line in inline.content.split("\n")[:1]
                if (title := _title_of_line(line))
            ]
    return found


def _title_of_line(line: str) -> str:
    """The title that a line without heading marks may be meant as."""
    if match := _BOLD.match(line.strip()):
        return _title(match["title"])
    return _title(_UNSPACED.sub("", line)) if _UNSPACED.match(line) else ""


def _title(written: str) -> str:
    """A title for comparison: no case, marks, emoji, numbering, `(Optional)` or closing colon."""
    if len(written) > TITLE_CHARACTERS:
        return ""
    text = _SHORTCODE.sub(" ", plain_text(written).casefold())
    text = "".join(letter for letter in text if unicodedata.category(letter) not in _DROPPED)
    text = _NUMBER.sub("", " ".join(text.split()))
    text = _OPTIONAL.sub("", text)
    text = re.sub(r"\s*/\s*", "/", " ".join(text.split()))
    return text.strip(" :.*#-–—_!?,;")


_DROPPED = frozenset({"So", "Sk", "Cf", "Mn", "Me", "Cn", "Co"})
"""Emoji, their joiners and modifiers."""


def _near_miss(heading: _Heading, seen: set[SectionName]) -> str | None:
    """What to tell about a heading that opens no section but may be meant to."""
    known = _KNOWN.get(heading.title)
    if known in seen and heading.marks in SECTION_LEVELS:
        return (
            f"The heading {quoted(heading.written)} stands there a second time; "
            "it was read as part of the section around it."
        )
    meant = known or _NEARLY.get(heading.title) or _similar(heading.title)
    if meant is None or meant in seen:
        return None
    if not heading.marks:
        what = "is no heading"
    elif heading.marks not in SECTION_LEVELS:
        what = "is a heading of another level or form"
    else:
        what = "is not a title of the template"
    return (
        f"{quoted(heading.written)} {what}; if it is meant to open the section, "
        f"write {quoted('## ' + TITLES[meant])}."
    )


def _similar(title: str) -> SectionName | None:
    near = difflib.get_close_matches(title, list(_KNOWN), 1, SIMILARITY) if title else []
    return _KNOWN[near[0]] if near else None
