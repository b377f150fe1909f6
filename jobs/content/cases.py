"""Finds eval cases: in an issue, in the repository's eval files, beside a skill.

The first source that has a prompt, a skill and assertions wins whole; nothing is merged.
Where none has, the refusal says what the likeliest of them lacks.
"""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from jobs.content.draft import CaseDraft
from jobs.content.file_cases import EVAL_GLOB, drafts_from_file, drafts_from_skill
from jobs.content.issue_case import draft_from_issue, issue_eval_id
from jobs.content.make_case import make_case
from jobs.content.shelf import SkillShelf
from jobs.content.skills import skill_path
from jobs.content.snapshot import Snapshot
from jobs.content.text import listed, quoted
from jobs.errors import Refused
from jobs.ports import Issue
from jobs.values import EvalCase

SKILL_EVALS = "evals/evals.json"


@dataclass(frozen=True, slots=True)
class BrokenCase:
    """An eval case that cannot be run: where it stands, and why not."""

    id: str
    path: str
    reason: str


def find_case(eval_id: str, snapshot: Snapshot, shelf: SkillShelf, issue: Issue | None) -> EvalCase:
    """The eval case with this id; `issue` is asked first where it is the issue's own.

    Raises `Refused`, saying exactly what is missing, or which ids are near.
    """
    drafts = []
    own = issue is not None and eval_id == issue_eval_id(issue.number)
    if issue is not None and own and not issue.is_pull_request:
        drafts.append(draft_from_issue(issue.number, issue.body))
    if not (drafts and not drafts[0].missing()):
        drafts += [draft for draft in _drafts(eval_id, snapshot, shelf) if draft.id == eval_id]
    whole = next((draft for draft in drafts if not draft.missing()), None)
    if whole is not None:
        return make_case(whole, snapshot, shelf)
    if drafts:
        raise Refused(_why_incomplete(drafts))
    raise Refused(_unknown(eval_id, snapshot, shelf))


def all_cases(snapshot: Snapshot, shelf: SkillShelf) -> list[EvalCase | BrokenCase]:
    """Every eval case that the commit holds, and those that cannot be run."""
    cases: list[EvalCase | BrokenCase] = []
    for path, drafts in _every_file(snapshot, shelf):
        if isinstance(drafts, Refused):
            cases.append(BrokenCase(path, path, str(drafts)))
            continue
        for draft in drafts:
            try:
                if draft.missing():
                    raise Refused(_why_incomplete([draft]))  # noqa: TRY301
                cases.append(make_case(draft, snapshot, shelf))
            except Refused as refusal:
                cases.append(BrokenCase(draft.id, path, str(refusal)))
    return cases


def _drafts(eval_id: str, snapshot: Snapshot, shelf: SkillShelf) -> Iterator[CaseDraft]:
    """Drafts that may bear the id: the file named after it, else every file."""
    if "#" in eval_id:
        folder = eval_id.rpartition("#")[0]
        path = skill_path(folder, SKILL_EVALS)
        if any(skill.path == folder for skill in shelf.skills) and snapshot.find_file(path):
            yield from drafts_from_skill(snapshot, folder, path)
    paths = snapshot.glob(EVAL_GLOB)
    named = [path for path in paths if path.rpartition("/")[2] == f"{eval_id}.json"]
    found = False
    for path in named:
        for draft in drafts_from_file(snapshot, path):
            found = found or draft.id == eval_id
            yield draft
    if not found:
        yield from _mentioning(eval_id, snapshot, [path for path in paths if path not in named])


def _mentioning(eval_id: str, snapshot: Snapshot, paths: list[str]) -> Iterator[CaseDraft]:
    """Drafts of the files whose text holds the id at all; a broken neighbour is no concern."""
    needle = eval_id.encode("utf-8", "replace")
    for path in paths:
        try:
            if needle in snapshot.read_bytes(path):
                yield from drafts_from_file(snapshot, path)
        except Refused:
            continue


def _every_file(
    snapshot: Snapshot, shelf: SkillShelf
) -> Iterator[tuple[str, list[CaseDraft] | Refused]]:
    for path in snapshot.glob(EVAL_GLOB):
        try:
            yield path, drafts_from_file(snapshot, path)
        except Refused as refusal:
            yield path, refusal
    for skill in shelf.skills:
        path = skill_path(skill.path, SKILL_EVALS)
        if snapshot.find_file(path) is None:
            continue
        try:
            yield path, drafts_from_skill(snapshot, skill.path, path)
        except Refused as refusal:
            yield path, refusal


def _why_incomplete(drafts: list[CaseDraft]) -> str:
    """What the likeliest source lacks: the one that has the most."""
    draft = min(drafts, key=lambda one: len(one.missing()))
    text = f"The eval case in {draft.place} lacks {_joined(draft.missing())}."
    if draft.source == "issue" and len(draft.missing()) == 3:
        text = (
            f"This issue is no eval case: it lacks {_joined(draft.missing())}, and no eval file "
            f"`{EVAL_GLOB}` has the id {quoted(draft.id)}."
        )
    near = [f"- {remark}" for remark in draft.remarks] if draft.source == "issue" else []
    return "\n".join([text, *near])


def _joined(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _unknown(eval_id: str, snapshot: Snapshot, shelf: SkillShelf) -> str:
    known = [
        draft.id
        for _, drafts in _every_file(snapshot, shelf)
        if not isinstance(drafts, Refused)
        for draft in drafts
    ]
    near = difflib.get_close_matches(eval_id, known, 3, 0.6)
    hint = f" The nearest are {listed(near)}." if near else ""
    return f"There is no eval case {quoted(eval_id)} at commit {snapshot.commit[:12]}.{hint}"
