"""Reads an eval case out of an issue's body. It looks nothing up and refuses nothing."""

from jobs.content.draft import CaseDraft
from jobs.content.markdown import plain_text, with_inline_links
from jobs.content.marks import strip_marks
from jobs.content.paths import looks_like_path
from jobs.content.rubric import Statement, parse_rubric
from jobs.content.sections import parse_sections
from jobs.content.skill_names import read_skill_lines
from jobs.content.text import is_none
from jobs.content.written_checks import WrittenChecks, parse_checks

LANGUAGE_LINES = 10


def issue_eval_id(number: int) -> str:
    """The id of the eval case that an issue holds."""
    return f"github-issue-{number}"


def draft_from_issue(number: int, body: str) -> CaseDraft:
    """What the issue's body says, field by field; missing fields are empty."""
    sections = parse_sections(body)
    rubric = with_inline_links(sections.get("rubric"), sections.body)
    statements = tuple(parse_rubric(rubric))
    if not statements and looks_like_path(rubric):
        statements = (Statement(rubric.strip().strip("`")),)
    files = with_inline_links(sections.get("files"), sections.body)
    query = sections.get("query")
    checks = read_check_section(sections.get("checks"))
    return CaseDraft(
        id=issue_eval_id(number),
        source="issue",
        place=f"issue #{number}",
        prompt="" if is_none(query) else query,
        expected_output=sections.get("expected_output"),
        statements=statements,
        rubric_without_items=not is_none(rubric) and not statements,
        checks=tuple(checks.checks),
        check_problems=tuple(checks.problems),
        files=(files,) if files else (),
        language=read_language(sections.get("language")),
        environment=read_environment(sections.get("environment")),
        should_load=strip_marks(plain_text(sections.get("should_load"))).strip(),
        skills=read_skill_lines(with_inline_links(sections.get("skills"), sections.body)),
        remarks=(*sections.near_misses, *checks.remarks),
    )


def read_check_section(text: str) -> WrittenChecks:
    """The commands of the section, none where somebody wrote that there are none."""
    return WrittenChecks() if is_none(text) else parse_checks(text)


def read_environment(text: str) -> str:
    """The name of an environment, without marks; what is more than a line stays as it is."""
    line = text if "\n" in text.strip() else strip_marks(plain_text(text)).strip()
    return "" if is_none(line) else line


def read_language(text: str) -> str | None:
    """The language a case is bound to: one line without marks; None where none is asked for."""
    lines = [line for line in text.split("\n") if line.strip()][:LANGUAGE_LINES]
    words = [strip_marks(plain_text(line)) for line in lines]
    return ", ".join(line for line in words if line and not is_none(line)) or None
