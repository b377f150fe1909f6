"""Which eval case a request means: the one it names, the issue's own, or its skill's only one.

On an issue that is no eval case at all nothing is guessed at: the refusal names what there is, so
that whoever asked can name it. Half a case is mended, and not replaced by another.
"""

from jobs.content.cases import all_cases, find_case
from jobs.content.issue_case import draft_from_issue, issue_eval_id
from jobs.content.shelf import SkillShelf
from jobs.content.snapshot import Snapshot
from jobs.content.text import listed, quoted
from jobs.errors import Refused
from jobs.ports import Issue
from jobs.requests import Request
from jobs.values import EvalCase

PARTS = 3
"""Prompt, skill and assertions: an issue that lacks all of them is about something else."""


def find_asked_case(
    request: Request, snapshot: Snapshot, shelf: SkillShelf, issue: Issue
) -> EvalCase:
    """The eval case. May take a moment: it reads files.

    Raises `Refused` with what the case lacks or, where there is none, with what may be named.
    """
    if request.eval_id:
        return find_case(request.eval_id, snapshot, shelf, issue, skill=request.skill)
    try:
        return find_case(issue_eval_id(issue.number), snapshot, shelf, issue)
    except Refused as refusal:
        if not _is_about_something_else(issue, str(refusal)):
            raise
        cases = [one for one in all_cases(snapshot, shelf) if isinstance(one, EvalCase)]
        if request.skill:
            return _only_one_of(request.skill, cases, shelf)
        raise Refused(_what_there_is(cases, shelf)) from None


def _is_about_something_else(issue: Issue, refusal: str) -> bool:
    """Whether neither the issue nor a file holds a part of a case for it."""
    if issue.is_pull_request:
        return True
    is_empty = len(draft_from_issue(issue.number, issue.body).missing()) >= PARTS
    return is_empty and refusal.startswith("This issue is no eval case")


def _only_one_of(skill: str, cases: list[EvalCase], shelf: SkillShelf) -> EvalCase:
    """The one eval case of a skill; of several none is picked."""
    path = shelf.find(skill).path
    own = [case for case in cases if path in _paths(case, shelf)]
    if len(own) == 1:
        return own[0]
    if not own:
        raise Refused(
            f"This issue is no eval case, and no other one is about the skill {quoted(path)}."
        )
    names = listed([case.id for case in own])
    raise Refused(
        f"This issue is no eval case, and {len(own)} others are about the skill {quoted(path)}: "
        f"{names}. Name one with `--eval`."
    )


def _paths(case: EvalCase, shelf: SkillShelf) -> set[str]:
    """The skills that a case is about, as far as they are there."""
    found = set()
    for name in case.target_skills:
        try:
            found.add(shelf.find(name).path)
        except Refused:
            continue
    return found


def _what_there_is(cases: list[EvalCase], shelf: SkillShelf) -> str:
    """The words that would have been understood."""
    if not cases:
        return (
            "This issue is no eval case, and the repository holds none. An issue becomes one by "
            "the sections `Skills`, `Query` and `Rubric Criteria`."
        )
    about = sorted({path for case in cases for path in _paths(case, shelf)})
    lines = [
        "This issue is no eval case, so say which one is meant:",
        "",
        f"- `--eval` with one of {listed([one.id for one in cases])}",
    ]
    if about:
        lines.append(f"- or `--skill` with one of {listed(about)}")
    return "\n".join(lines)
