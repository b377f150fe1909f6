"""An eval case as its source wrote it, before the commit was asked what exists.

The three sources (issue, JSON in the repository, a skill's own file) all end here, so that
what follows does not know them apart.
"""

from dataclasses import dataclass
from typing import Literal

from jobs.content.rubric import Statement
from jobs.content.titles import TITLES
from jobs.content.written_checks import WrittenCheck


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseDraft:
    """The fields of an eval case as written; texts are clean, nothing is looked up yet."""

    id: str
    source: Literal["issue", "file", "skill"]
    place: str
    """Where it was read, in words for a reply: ``issue #7`` or a path in back-ticks."""
    prompt: str
    expected_output: str
    statements: tuple[Statement, ...]
    rubric_without_items: bool = False
    """Whether there is a rubric, but nothing in it that can be told as an assertion."""
    checks: tuple[WrittenCheck, ...] = ()
    check_problems: tuple[str, ...] = ()
    """Why its section of checks cannot be used, in words for a reply."""
    files: tuple[str, ...] = ()
    """Lines about attached files: paths, prose, fenced code."""
    language: str | None = None
    environment: str = ""
    """What stands where an environment may be named, not yet known to be a name."""
    should_load: str = ""
    """What stands where it is said whether the skill is meant for the task; empty: it is."""
    skills: tuple[str, ...] = ()
    """Lines that name skills, as written."""
    folders: tuple[str, ...] = (".",)
    """Folders in which paths are looked up, in order."""
    own_path: str | None = None
    """The file that holds the case; it is never staged."""
    remarks: tuple[str, ...] = ()
    near_keys: tuple[str, ...] = ()
    """Keys of JSON that nothing reads but look like one that is, as ``` `a` (is `b` meant?)```."""

    def missing(self) -> list[str]:
        """What the case lacks, in words for a reply; empty if it can be looked up."""
        issue = self.source == "issue"
        lacks = []
        if not self.prompt:
            lacks.append(f"a prompt (section `{TITLES['query']}`)" if issue else "a `prompt`")
        if not self.skills:
            lacks.append(f"a skill (section `{TITLES['skills']}`)" if issue else "`target_skills`")
        if not self.statements:
            where = f"section `{TITLES['rubric']}`" if issue else "list `assertions` is empty"
            form = (
                "; its rubric has text but no list items: write one assertion a line, "
                "beginning with a dash"
                if self.rubric_without_items
                else ""
            )
            lacks.append(f"assertions ({where}{form})")
        return lacks
