"""Splits the body of an issue into the sections of the eval case template.

A section opens at a heading of level two or three whose title is known, and only there: an
author's own sub-headings, headings in code, quotes or lists, and a title that was already
seen stay text. What looks like a section and is none (another level, a typing slip, no blank
after the marks) is reported, so that a reply can say why a field counts as missing.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it.token import Token

from config.environments.definition import is_name
from jobs.content.markdown import parse_blocks, without_comments
from jobs.content.text import clean_text, is_no_response, quoted, without_blank_edges
from jobs.content.titles import (
    KNOWN_TITLES,
    TITLES,
    SectionName,
    bare_title,
    meant_section,
    title_of_line,
)

SECTION_LEVELS = {"h2": 2, "h3": 3}
COMMON_WORDS: frozenset[SectionName] = frozenset({"environment", "checks"})
"""Sections whose title authors also write above a part of their query."""
MAX_NEAR_MISSES = 8
"""A reply that lists more slips than this helps nobody."""
MAX_LOOKED_AT = 200
"""Headings that are compared with the known titles; a body made of headings costs no more."""


@dataclass(frozen=True, slots=True)
class Sections:
    """The texts of the sections found, blank ones left out, and what nearly was one."""

    texts: dict[SectionName, str]
    near_misses: tuple[str, ...]
    body: str = ""
    """The whole body as it was read: clean, without comments."""

    def get(self, name: SectionName) -> str:
        """A section's Markdown source without blank edges; empty if it is missing or blank."""
        return self.texts.get(name, "")


def parse_sections(body: str) -> Sections:
    """Read an issue's body, typed by hand or made by an issue form. Raises nothing."""
    clean = clean_text(body)
    text = without_comments(clean)
    lines = text.split("\n")
    tokens = parse_blocks(text)
    headings = list(_headings(tokens))
    opening = _choose(headings)
    opened = sorted(opening.values(), key=lambda heading: heading.start)
    texts: dict[SectionName, str] = {}
    # without a section there is still one end
    ends = [heading.start for heading in opened[1:]] + [len(lines)]
    for heading, end in zip(opened, ends, strict=False):
        content = without_blank_edges("\n".join(lines[heading.end : end])).rstrip()
        if content and not is_no_response(content):
            texts[KNOWN_TITLES[heading.title]] = content
    near_misses = [*_near_misses(headings, opening), *_never_closed(clean, tokens)]
    return Sections(texts, tuple(near_misses), text)


@dataclass(frozen=True, slots=True)
class _Heading:
    written: str
    title: str
    level: str
    """`h1` to `h6`; empty for a line that only looks like a heading."""
    start: int
    end: int
    below: str = ""
    """The one paragraph below it, if there is nothing else up to the next heading."""

    @property
    def opens(self) -> SectionName | None:
        """The section it can open."""
        return KNOWN_TITLES.get(self.title) if self.level in SECTION_LEVELS else None


def _headings(tokens: list[Token]) -> Iterator[_Heading]:
    """Headings and heading-like lines at the top level, in order."""
    for number, token in enumerate(tokens):
        if token.level or token.map is None:
            continue
        start, end = token.map
        if token.type == "heading_open":
            written = tokens[number + 1].content
            below = _only_paragraph(tokens[number + 3 :])
            yield _Heading(written, bare_title(written), token.tag, start, end, below)
        elif token.type == "paragraph_open":
            line = tokens[number + 1].content.partition("\n")[0]
            if title := title_of_line(line):
                yield _Heading(line, title, "", start, end)
        elif token.type == "html_block" and (title := title_of_line(token.content.strip())):
            yield _Heading(token.content.strip(), title, "", start, end)


def _only_paragraph(tokens: Sequence[Token]) -> str:
    """The text of a paragraph that stands alone before the next heading or the end."""
    kinds = [token.type for token in tokens[:4]]
    is_alone = kinds[:1] == ["paragraph_open"] and kinds[3:] in ([], ["heading_open"])
    return tokens[1].content if is_alone else ""


def _choose(headings: list[_Heading]) -> dict[SectionName, _Heading]:
    """The heading that opens each section.

    Where a title stands twice, the one on the level of the other sections is meant: an
    author's own `### Language` inside a query is none of a body whose sections are `##`. A
    title that is a common word opens a section on that level only.
    """
    candidates: dict[SectionName, list[_Heading]] = {}
    for heading in headings:
        if (name := heading.opens) is not None:
            candidates.setdefault(name, []).append(heading)
    levels = Counter(
        same[0].level
        for name, same in candidates.items()
        if len(same) == 1 and name not in COMMON_WORDS
    )
    usual = max(levels, key=lambda level: levels[level]) if levels else ""
    chosen = {
        name: next((heading for heading in same if heading.level == usual), same[0])
        for name, same in candidates.items()
    }
    return {
        name: heading
        for name, heading in chosen.items()
        if name not in COMMON_WORDS or heading.level == usual
    }


def _near_misses(headings: list[_Heading], opening: dict[SectionName, _Heading]) -> list[str]:
    """What to tell about headings that open no section but may be meant to."""
    told: dict[str, None] = {}
    rest = [heading for heading in headings if heading not in opening.values()]
    for heading in rest[:MAX_LOOKED_AT]:
        if len(told) < MAX_NEAR_MISSES and (remark := _near_miss(heading, opening)):
            told[remark] = None
    return list(told)


def _near_miss(heading: _Heading, opening: dict[SectionName, _Heading]) -> str | None:
    is_other_level = heading.opens is not None and heading.opens not in opening
    is_quiet = heading.opens == "environment"  # else a part of the case would go unread
    if is_other_level and is_quiet and not is_name(heading.below.strip("` ").casefold()):
        return None  # a common word as an author's own heading
    if heading.opens is not None and not is_other_level:
        return (
            f"The heading {quoted(heading.written)} stands there a second time; "
            "it was read as part of the section around it."
        )
    meant = meant_section(heading.title)
    if meant is None or meant in opening:
        return None
    if not heading.level:
        what = "is no heading"
    elif is_other_level or heading.level not in SECTION_LEVELS:
        what = "is a heading of another level"
    else:
        what = "is not a title of the template"
    return (
        f"{quoted(heading.written)} {what}; if it is meant to open the section, "
        f"write {quoted('## ' + TITLES[meant])}."
    )


def _never_closed(body: str, tokens: list[Token]) -> Iterator[str]:
    """What hides the rest of the body from every reader, GitHub included."""
    last = tokens[-1] if tokens else None
    if last is not None and last.type == "fence" and last.map is not None:
        content_lines = last.content.count("\n") + bool(last.content.rpartition("\n")[2])
        if last.map[1] - last.map[0] != content_lines + 2:
            yield f"The code block that begins with {quoted(last.markup + last.info)} has no end."
    for token in parse_blocks(body) if "<!--" in body else []:
        content = token.content.lstrip()
        if token.type == "html_block" and content.startswith("<!--") and "-->" not in content:
            yield "A comment `<!--` has no end, so everything after it is hidden."
