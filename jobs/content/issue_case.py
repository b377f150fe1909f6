"""Reads an eval case out of an issue's body. It looks nothing up and refuses nothing."""

import re

from jobs.content.draft import CaseDraft
from jobs.content.markdown import code_spans, fence_content, parse_tree, plain_text
from jobs.content.paths import looks_like_path
from jobs.content.rubric import Statement, parse_rubric, strip_marks
from jobs.content.rubric_tables import table_column
from jobs.content.sections import parse_sections
from jobs.content.text import is_none

MAX_SKILLS = 20
"""Each skill is a run of its own; nobody means more than this in one issue."""

_SEPARATORS = re.compile(r"\s*(?:[,;]|\s(?:and|&|\+)\s)\s*")


def issue_eval_id(number: int) -> str:
    """The id of the eval case that an issue holds."""
    return f"github-issue-{number}"


def draft_from_issue(number: int, body: str) -> CaseDraft:
    """What the issue's body says, field by field; missing fields are empty."""
    sections = parse_sections(body)
    rubric = sections.get("rubric")
    statements = tuple(parse_rubric(rubric))
    if not statements and looks_like_path(plain_text(rubric)):
        statements = (Statement(plain_text(rubric).strip()),)
    files = sections.get("files")
    return CaseDraft(
        id=issue_eval_id(number),
        source="issue",
        place=f"issue #{number}",
        prompt=sections.get("query"),
        expected_output=sections.get("expected_output"),
        statements=statements,
        rubric_without_items=bool(rubric) and not statements,
        files=(files,) if files else (),
        language=read_language(sections.get("language")),
        skills=tuple(read_skill_names(sections.get("skills"))),
        remarks=sections.near_misses,
    )


def read_language(text: str) -> str | None:
    """The language a case is bound to: one line without marks; None where none is asked for."""
    lines = [strip_marks(plain_text(line)) for line in text.split("\n") if line.strip()]
    language = ", ".join(line for line in lines if line and not is_none(line))
    return language or None


def read_skill_names(text: str) -> list[tuple[str, ...]]:
    """The skills a section names, each as the ways its line can be read, likeliest first."""
    inner = fence_content(text)
    names: list[tuple[str, ...]] = []
    tree = parse_tree(inner if inner is not None else text)
    for node in tree.walk():
        if node.type == "table":
            cells = table_column(node, "skill")
        elif node.type == "inline" and not _in_table(node):
            cells = node.content.split("\n")
        else:
            continue
        for cell in cells:
            written = strip_marks(cell)
            if written and not is_none(plain_text(written)) and plain_text(written).strip():
                names.append(_readings(written))
    return names[:MAX_SKILLS]


def split_names(written: str) -> list[str]:
    """A line as the list of names it may be."""
    return [name for name in _SEPARATORS.split(written) if name.strip(" `")]


def _readings(written: str) -> tuple[str, ...]:
    return (written, *code_spans(written))


def _in_table(node: object) -> bool:
    parent = getattr(node, "parent", None)
    return getattr(parent, "type", "") in {"th", "td"}
