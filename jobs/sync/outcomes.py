"""What becomes of each eval issue: a file added, changed, left as it is, or none, with the reason.

Whoever wrote an issue decides nothing here: the file's name comes from the issue's number, its
content is text in JSON, and people look at the pull request before anything is merged.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from jobs.content.draft import CaseDraft
from jobs.content.issue_case import draft_from_issue, issue_eval_id
from jobs.content.make_case import make_case
from jobs.content.shelf import SkillShelf
from jobs.content.skill_names import settle_names
from jobs.content.snapshot import Snapshot
from jobs.content.text import listed, quoted
from jobs.errors import Refused
from jobs.ports import Issue
from jobs.sync.case_file import case_fields, render_case_file

Word = Literal["added", "changed", "unchanged", "skipped"]
MOST_ISSUES = 500
"""Of one sync; the rest is named and left for the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one issue."""

    issue: Issue
    word: Word
    path: str
    text: str = ""
    """The file's new text, of one that is added or changed."""
    assertions: int = 0
    reason: str = ""
    """Why it was skipped, as a sentence with back-ticks."""
    remarks: tuple[str, ...] = ()
    """What whoever reviews the file should know."""


def find_outcomes(
    issues: Sequence[Issue], folder: str, snapshot: Snapshot, shelf: SkillShelf
) -> list[Outcome]:
    """The outcome of each issue, by number. Blocks: reads the commit's files."""
    return [_find_outcome(issue, folder, snapshot, shelf) for issue in issues[:MOST_ISSUES]]


def changed_files(outcomes: Sequence[Outcome]) -> Mapping[str, str]:
    """The texts of the files that are new or change, by path."""
    return {one.path: one.text for one in outcomes if one.word in {"added", "changed"}}


def find_left_behind(issues: Sequence[Issue], folder: str, snapshot: Snapshot) -> list[str]:
    """Names of files that were made of issues which are no open eval issues any more."""
    names = {f"{issue_eval_id(issue.number)}.json" for issue in issues}
    there = snapshot.glob(f"{folder}/github-issue-*.json")
    return [name for path in there if (name := path.rpartition("/")[2]) not in names]


def _find_outcome(issue: Issue, folder: str, snapshot: Snapshot, shelf: SkillShelf) -> Outcome:
    path = f"{folder}/{issue_eval_id(issue.number)}.json"
    draft = draft_from_issue(issue.number, issue.body)
    try:
        skills, remarks = _check(draft, snapshot, shelf)
        there = _read(path, snapshot)
        text = render_case_file(case_fields(draft, skills), there)
    except Refused as refusal:
        return Outcome(issue=issue, word="skipped", path=path, reason=str(refusal))
    word: Word = "unchanged" if text is None else "added" if there is None else "changed"
    return Outcome(
        issue=issue,
        word=word,
        path=path,
        text=text or "",
        assertions=len(draft.statements),
        remarks=(*draft.remarks, *remarks),
    )


def _check(
    draft: CaseDraft, snapshot: Snapshot, shelf: SkillShelf
) -> tuple[Sequence[str], Sequence[str]]:
    """The names of its skills, and what to remark. Raises `Refused` for what cannot be a case."""
    if missing := draft.missing():
        raise Refused(f"it lacks {'; '.join(missing)}")
    make_case(draft, snapshot, shelf)
    names, remarks = settle_names(draft.skills, shelf)
    unknown = [name for name in names if not shelf.knows(name)]
    if unknown:
        remarks = [*remarks, f"This repository has no skill {listed(unknown)}."]
    return names, remarks


def _read(path: str, snapshot: Snapshot) -> bytes | None:
    """The file that is there; None where nothing is. Raises `Refused` for what is no plain file."""
    place = Path(snapshot.root, path)
    if not os.path.lexists(place):
        return None
    if os.path.realpath(place) != str(place):
        raise Refused(f"{quoted(path)} is a link, or lies in one; links are left alone")
    return snapshot.read_bytes(path)
