"""What a repository holds for the bot when it first comes there.

Reads one commit and the open issues, and judges by the same rules as a request would: what is
called ready here can be run.
"""

from collections.abc import Iterator, Sequence

from config.repo_file import RepoFile
from jobs.content.cases import all_cases, eval_files
from jobs.content.file_cases import SKILL_EVALS, BrokenCase
from jobs.content.issue_case import draft_from_issue
from jobs.content.make_case import make_case
from jobs.content.repo_file import load_repo_file
from jobs.content.shelf import SkillShelf
from jobs.content.skills import find_skills, skill_path
from jobs.content.snapshot import Snapshot
from jobs.errors import Refused
from jobs.ports import Issue
from jobs.requests import Value
from jobs.values import EvalCase, Skill
from jobs.welcome.workflows import find_release_workflows

MOST_ISSUES = 300
"""The newest open ones are looked at; older eval cases are found when somebody asks for them."""
NEARLY = 1
"""Parts that an issue without one of the labels may lack to be shown as an eval case."""


class ReadyCase(Value):
    """An eval case that can be run."""

    id: str
    skills: tuple[str, ...]
    place: str
    """Path of its file; empty for an issue."""
    issue: int = 0
    """Number of its issue; 0 for a file."""


class InvalidCase(Value):
    """An eval case, or a skill, that cannot be used, and why not, in words for a reply."""

    title: str
    reason: str
    issue: int = 0


class Survey(Value):
    """What was found at one commit; an empty one stands for a repository without commits."""

    commit: str = ""
    skills: tuple[Skill, ...] = ()
    broken_skills: tuple[InvalidCase, ...] = ()
    cases: tuple[ReadyCase, ...] = ()
    invalid_cases: tuple[InvalidCase, ...] = ()
    release_workflows: tuple[str, ...] = ()
    """Paths of workflows that start when a release is made."""
    repo_file: RepoFile = RepoFile()
    repo_file_problem: str = ""
    """Why the repository's own file cannot be used; empty where it can, or is not there."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing in it concerns the bot."""
        found = (*self.skills, *self.broken_skills, *self.cases, *self.invalid_cases)
        return not found and not self.repo_file_problem


def survey(snapshot: Snapshot, issues: Sequence[Issue]) -> Survey:
    """Look at a commit and at the open issues. Takes a moment: call it in a thread."""
    problem = ""
    try:
        repo_file = load_repo_file(snapshot)
    except Refused as refusal:
        repo_file, problem = RepoFile(), str(refusal)
    shelf = find_skills(snapshot, repo_file)
    found = [*_file_cases(snapshot, shelf), *_issue_cases(issues, snapshot, shelf, repo_file)]
    return Survey(
        commit=snapshot.commit,
        skills=shelf.skills,
        broken_skills=tuple(
            InvalidCase(title=path, reason=reason) for path, reason in sorted(shelf.broken.items())
        ),
        cases=tuple(one for one in found if isinstance(one, ReadyCase)),
        invalid_cases=tuple(one for one in found if isinstance(one, InvalidCase)),
        release_workflows=find_release_workflows(snapshot),
        repo_file=repo_file,
        repo_file_problem=problem,
    )


def _file_cases(snapshot: Snapshot, shelf: SkillShelf) -> Iterator[ReadyCase | InvalidCase]:
    files = {skill_path(skill.path, SKILL_EVALS) for skill in shelf.skills}
    files.update(eval_files(snapshot, shelf))
    for case in all_cases(snapshot, shelf):
        if isinstance(case, BrokenCase):
            yield InvalidCase(title=case.id, reason=case.reason)
            continue
        place = next((path for path in case.withheld if path in files), "")
        yield _judged(case, shelf, ReadyCase(id=case.id, skills=case.target_skills, place=place))


def _issue_cases(
    issues: Sequence[Issue], snapshot: Snapshot, shelf: SkillShelf, repo_file: RepoFile
) -> Iterator[ReadyCase | InvalidCase]:
    """Issues that look like eval cases: by a label, or because they lack next to nothing."""
    marks = {name.casefold() for name in repo_file.labels.evals}
    for issue in sorted(issues, key=lambda one: one.number):
        draft = draft_from_issue(issue.number, issue.body)
        missing = draft.missing()
        if len(missing) > NEARLY and not marks & {name.casefold() for name in issue.labels}:
            continue
        if missing:
            reason = f"It lacks {'; '.join(missing)}."
            yield InvalidCase(title=draft.id, reason=reason, issue=issue.number)
            continue
        try:
            case = make_case(draft, snapshot, shelf)
        except Refused as refusal:
            yield InvalidCase(title=draft.id, reason=str(refusal), issue=issue.number)
            continue
        ready = ReadyCase(id=case.id, skills=case.target_skills, place="", issue=issue.number)
        yield _judged(case, shelf, ready)


def _judged(case: EvalCase, shelf: SkillShelf, ready: ReadyCase) -> ReadyCase | InvalidCase:
    """The case, unless a skill that it names is not there."""
    try:
        for name in case.target_skills:
            shelf.find(name)
    except Refused as refusal:
        return InvalidCase(title=ready.id, reason=str(refusal), issue=ready.issue)
    return ready
