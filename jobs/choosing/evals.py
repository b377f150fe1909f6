"""The eval cases that a repository has now: in its files, and in open issues with their label.

As in a run, an issue's own body goes before the files. What cannot be run, and whose issue is not
there, is named in the log and takes no other case down.
"""

import asyncio
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

import structlog

from config.repo_file import RepoFile
from config.settings import Settings
from jobs.content.cases import all_cases
from jobs.content.file_cases import BrokenCase
from jobs.content.issue_case import draft_from_issue
from jobs.content.make_case import make_case
from jobs.content.shelf import SkillShelf
from jobs.content.snapshot import Snapshot
from jobs.errors import Gone, Refused, Suspended
from jobs.planning.environment import plan_environment
from jobs.ports import GitHub, Issue
from jobs.values import EvalCase, Skill

ISSUE_ID = re.compile(r"github-issue-([1-9]\d{0,9})")

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class KnownEval:
    """An eval case that can be run, and on what."""

    case: EvalCase
    issue: int
    """The issue that it is told on; 0 where it has none, or that one is not there."""
    skills: tuple[Skill, ...]
    environment: str
    """Digest of the environment it runs in; empty: the plain sandbox."""


async def find_evals(
    snapshot: Snapshot, shelf: SkillShelf, repo_file: RepoFile, github: GitHub
) -> list[tuple[EvalCase, int]]:
    """Every case that can be read, with the number of its issue.

    Raises `Transient` as GitHub does, and `Gone` where it shows no issues at all.
    """
    files = {one.id: one for one in await asyncio.to_thread(all_cases, snapshot, shelf)}
    labelled = await github.open_issues(repo_file.labels.evals)
    issues = {one.number: one for one in labelled}
    for eval_id in files:
        number = find_issue_number(eval_id)
        if number and number not in issues:
            issue = await _find_issue(number, github)
            if issue is not None:
                issues[number] = issue
    return await asyncio.to_thread(lambda: list(_settle(files, issues, snapshot, shelf)))


def find_issue_number(eval_id: str) -> int:
    """The issue that an eval case's id names; 0 where it names none."""
    found = ISSUE_ID.fullmatch(eval_id)
    return int(found[1]) if found else 0


def with_skills(
    case: EvalCase, issue: int, snapshot: Snapshot, shelf: SkillShelf, settings: Settings
) -> KnownEval | None:
    """The case with the skills and the environment it would be run with; None: it cannot be."""
    skills = {}
    for name in case.target_skills:
        with suppress(Refused):  # whoever asks for the case is told
            skill = shelf.find(name)
            skills[skill.path] = skill
    try:
        environment = plan_environment(None, case, snapshot, settings)
    except Refused as refusal:
        _pass_over(case.id, str(refusal))
        return None
    if not skills:
        _pass_over(case.id, "none of its skills is there")
        return None
    digest = environment.digest if environment else ""
    return KnownEval(case, issue, tuple(skills.values()), digest)


async def _find_issue(number: int, github: GitHub) -> Issue | None:
    """An issue that a file's case names; it may be of another repository, or deleted."""
    try:
        issue = await github.issue(number)
    except Suspended:
        raise
    except Gone as gone:
        log.info("eval_issue_gone", issue=number, reason=str(gone))
        return None
    return None if issue.is_pull_request else issue


def _settle(
    files: Mapping[str, EvalCase | BrokenCase],
    issues: Mapping[int, Issue],
    snapshot: Snapshot,
    shelf: SkillShelf,
) -> Iterator[tuple[EvalCase, int]]:
    """The case of each id: the issue's where its body holds a whole one, else the file's."""
    own = set()
    for number, issue in issues.items():
        draft = draft_from_issue(number, issue.body)
        if draft.missing():
            if draft.id not in files:
                _pass_over(draft.id, f"it lacks {', '.join(draft.missing())}")
            continue
        own.add(draft.id)
        try:
            yield make_case(draft, snapshot, shelf), number
        except Refused as refusal:
            _pass_over(draft.id, str(refusal))
    for eval_id, one in files.items():
        if isinstance(one, BrokenCase):
            _pass_over(eval_id, one.reason)
        elif eval_id not in own:
            number = find_issue_number(eval_id)
            yield one, number if number in issues else 0


def _pass_over(eval_id: str, reason: str) -> None:
    log.info("eval_passed_over", eval_id=eval_id, reason=reason)
