"""Reads which skills an eval case names, and settles each line by what the commit holds.

A line is a name, a link, several names, or prose around names; only the commit can tell.
Lines that name nothing are kept as they are written, so that the plan can refuse them by
name; prose beside names that were found is remarked upon and left out.
"""

import re
from collections.abc import Iterator, Sequence

from markdown_it.tree import SyntaxTreeNode

from jobs.content.markdown import code_spans, fence_content, parse_tree, plain_text
from jobs.content.marks import strip_marks
from jobs.content.rubric_tables import bare_cells, table_column
from jobs.content.shelf import SkillShelf
from jobs.content.text import is_none, quoted

MAX_LINES = 50
"""Each skill is a run of its own; nobody means more than this in one issue."""
LINE_CHARACTERS = 2_000
PROSE_WORDS = 6
"""A line of more words that names no skill is prose."""

_BREAK = re.compile(r"\n|<br\s*/?>", re.IGNORECASE)
_SEPARATORS = re.compile(r"(?:[,;、，]|\s(?:and|&|\+)\s)")


def read_skill_lines(markdown: str) -> tuple[str, ...]:
    """The lines, list items and table cells of a section that may name skills, as written."""
    inner = fence_content(markdown)
    lines: list[str] = []
    for text in _texts(parse_tree(inner if inner is not None else markdown)):
        for line in _BREAK.split(text):
            written = strip_marks(line)
            if written and not is_none(plain_text(written)):
                lines.append(written[:LINE_CHARACTERS])
        if len(lines) >= MAX_LINES:
            break
    return tuple(lines[:MAX_LINES])


def settle_names(lines: Sequence[str], shelf: SkillShelf) -> tuple[list[str], list[str]]:
    """The skills that the lines name, and remarks on lines that were taken for prose.

    Each name is one that `shelf.find` knows, or a line that names nothing; there is at
    least one if there is a line.
    """
    settled = [(line, _names(line, shelf)) for line in lines]
    if not any(names for _, names in settled):
        return [plain_text(line).strip() or line for line in lines], []
    found: list[str] = []
    remarks = []
    for line, names in settled:
        if names:
            found += names
        elif line.rstrip().endswith(":") or len(line.split()) > PROSE_WORDS:
            remarks.append(f"{quoted(line)} stands among the skills and was read as prose.")
        else:
            found.append(plain_text(line).strip() or line)
    return list(dict.fromkeys(found)), remarks


def _names(line: str, shelf: SkillShelf) -> list[str]:
    """The names in a line, of which at least one is a skill's; empty if none is."""
    for whole in (plain_text(line).strip(), line):
        if shelf.knows(whole):
            return [whole]
    parts = [plain_text(part).strip() for part in _SEPARATORS.split(line)[:MAX_LINES]]
    known = [part for part in parts if part and shelf.knows(part)]
    spans = [span for span in code_spans(line) if shelf.knows(span)]
    if not known or len(spans) > len(known):
        return spans
    return [part for part in parts if part in known or 0 < len(part.split()) < PROSE_WORDS]


def _texts(tree: SyntaxTreeNode) -> Iterator[str]:
    """Inline texts outside tables, and the cells of the tables' column of skills."""
    for node in tree.walk():
        if node.type == "table":
            yield from table_column(node, "skill")
        elif node.type == "inline" and not _in_table(node):
            if "|" in node.content:
                yield from bare_cells(node.content, "skill")
            else:
                yield node.content


def _in_table(node: SyntaxTreeNode) -> bool:
    return node.parent is not None and node.parent.type in {"th", "td"}
