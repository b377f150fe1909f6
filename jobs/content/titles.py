"""The titles of the eval case template, and how people write them.

A title is compared without case, width, marks, emoji, numbering, `(Optional)` and closing
colon. Beside the titles that open a section there are those that are only reported.
"""

import difflib
import re
import unicodedata
from typing import Literal

from jobs.content.markdown import plain_text

SectionName = Literal[
    "skills",
    "language",
    "query",
    "expected_output",
    "files",
    "rubric",
    "checks",
    "environment",
    "trigger_queries",
    "should_load",
]

TITLES: dict[SectionName, str] = {
    "skills": "Skills",
    "language": "Language",
    "query": "Query",
    "expected_output": "Expected Output",
    "files": "Attached Files / Input Context",
    "rubric": "Rubric Criteria (Assertions)",
    "checks": "Checks",
    "environment": "Environment",
    "trigger_queries": "Trigger queries",
    "should_load": "Should load",
}
"""The template's titles, as replies write them."""

KNOWN_TITLES: dict[str, SectionName] = {
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
    "checks": "checks",
    "environment": "environment",
    "trigger queries": "trigger_queries",
    "trigger query": "trigger_queries",
    "should load": "should_load",
}
"""Bare titles that open a section."""

_NEARLY: dict[str, SectionName] = {
    **KNOWN_TITLES,
    "prompt": "query",
    "task": "query",
    "expected outputs": "expected_output",
    "expected result": "expected_output",
    "files": "files",
    "input files": "files",
    "rubric": "rubric",
    "assertions": "rubric",
    "criteria": "rubric",
    "check": "checks",
    "should trigger": "should_load",
    "should the skill load": "should_load",
}
"""Titles that are reported when they stand where a section could be meant."""

_OTHER_WORDS = frozenset({"checklist"})
"""Common headings that are only spelt like a title."""
SIMILARITY = 0.8
"""`Rubrik Criteria` and `Expcted Output` are above it, other words of a task are below."""
TITLE_CHARACTERS = 80

_OPTIONAL = re.compile(r"[(\[](?:optional|required)[)\]]")
_SHORTCODE = re.compile(r":[a-z0-9_+-]+:")
_KEYCAP = re.compile("[0-9#*]\ufe0f?\u20e3")
_NUMBER = re.compile(r"^\(?\d{1,2}[.)]\s+")
_EDGES = re.compile(r"^[^\w(]+|[^\w)]+$")
_UNSPACED = re.compile("^[#＃]{1,6}[\u00a0\u3000\u2000-\u200b\ufeff]*(?=[^#\\s])")
_BOLD = re.compile(r"^(\*\*|__)(?P<title>[^*_\n]+)\1:?$")
_HTML = re.compile(r"^<h[1-6](?:\s[^<>]*)?>(?P<title>[^<>]+)</h[1-6]>", re.IGNORECASE)
_DROPPED = frozenset({"So", "Sk", "Cf", "Mn", "Me", "Cn", "Co"})
"""Emoji, their joiners and modifiers."""


def bare_title(written: str) -> str:
    """A title for comparison; empty for one that is too long to be any."""
    if len(written) > TITLE_CHARACTERS:
        return ""
    text = _KEYCAP.sub(" ", plain_text(written))
    text = _SHORTCODE.sub(" ", unicodedata.normalize("NFKC", text).casefold())
    text = "".join(letter for letter in text if unicodedata.category(letter) not in _DROPPED)
    text = _OPTIONAL.sub("", _NUMBER.sub("", " ".join(text.split())))
    text = re.sub(r"\s*/\s*", "/", " ".join(text.split()))
    return _EDGES.sub("", text.replace("_", " ").strip()).strip()


def title_of_line(line: str) -> str:
    """The title that a line without proper heading marks may be meant as; empty for others."""
    if len(line) > 2 * TITLE_CHARACTERS:
        return ""
    if match := _BOLD.match(line.strip()) or _HTML.match(line.strip()):
        return bare_title(match["title"])
    return bare_title(_UNSPACED.sub("", line)) if _UNSPACED.match(line) else ""


def meant_section(title: str) -> SectionName | None:
    """The section a bare title is, nearly is, or names before a colon and one word; else None."""
    if title in _NEARLY:
        return _NEARLY[title]
    if title in _OTHER_WORDS:
        return None
    before, colon, value = title.partition(": ")
    if colon and " " not in value and before in KNOWN_TITLES:
        return KNOWN_TITLES[before]
    near = difflib.get_close_matches(title, list(KNOWN_TITLES), 1, SIMILARITY) if title else []
    return KNOWN_TITLES[near[0]] if near else None
