"""Which skill a request is about, and which eval set: what it says itself, then what is there.

Nothing is guessed where two things could be meant: the refusal names them.
"""

from typing import NamedTuple

from jobs.content.markdown import with_inline_links
from jobs.content.sections import Sections, parse_sections
from jobs.content.shelf import SkillShelf
from jobs.content.skill_names import read_skill_lines, settle_names
from jobs.content.skills import skill_path
from jobs.content.snapshot import Snapshot
from jobs.content.text import listed, quoted
from jobs.content.titles import TITLES
from jobs.errors import Refused
from jobs.ports import Issue
from jobs.requests import Request
from jobs.triggering.eval_set import EvalSet, parse_eval_set
from jobs.triggering.issue_queries import read_issue_queries
from jobs.values import Skill

EVAL_SET_FILE = "evals/trigger.json"
"""Of a skill, relative to its folder."""
LARGEST_SET = 20_000_000
MOST_NAMED = 10


class Chosen(NamedTuple):
    """An eval set, and where it was found."""

    eval_set: EvalSet
    source: str


def read_issue(issue: Issue) -> Sections:
    """The sections of an issue; a pull request is never read as one."""
    return parse_sections("" if issue.is_pull_request else issue.body)


def reads_queries(request: Request, issue: Issue) -> bool:
    """Whether the queries of a request stand in the issue's own text."""
    named = request.triggering.eval_set
    return not named and bool(read_issue(issue).get("trigger_queries"))


def choose_skill(asked: str | None, sections: Sections, shelf: SkillShelf) -> Skill:
    """The skill that the command, else the issue names, else the only one there is.

    Raises `Refused` with the names where several could be meant, or none is there.
    """
    if asked:
        return shelf.find(asked)
    written = with_inline_links(sections.get("skills"), sections.body)
    names, _ = settle_names(read_skill_lines(written), shelf)
    skills = {skill.path: skill for skill in map(shelf.find, names)}
    if not names:
        skills = {skill.path: skill for skill in shelf.skills}
    if len(skills) == 1:
        return next(iter(skills.values()))
    if not skills:
        raise Refused("this repository holds no skill: no folder with a `SKILL.md` was found.")
    where = "this issue names" if names else "this repository holds"
    named = listed(sorted(skills)[:MOST_NAMED])
    more = f" and {len(skills) - MOST_NAMED} more" if len(skills) > MOST_NAMED else ""
    raise Refused(
        f"{where} {len(skills)} skills: {named}{more}. Say which one is meant with `--skill`."
    )


def choose_eval_set(
    request: Request, skill: Skill, sections: Sections, snapshot: Snapshot
) -> Chosen:
    """The eval set that the command names, else the issue's own, else the skill's.

    Raises `Refused` with the three places where there is none, and with what is wrong in one.
    """
    if path := request.triggering.eval_set:
        return _read_file(path.strip("`").removeprefix("./"), snapshot)
    if section := sections.get("trigger_queries"):
        source = f"issue #{request.issue}"
        return Chosen(read_issue_queries(section, source), source)
    path = skill_path(skill.path, EVAL_SET_FILE)
    if snapshot.find_file(path) is None:
        raise Refused(
            f"there is no eval set for {quoted(skill.name)}. It may stand in three places:\n\n"
            f"- in this issue, in a section `## {TITLES['trigger_queries']}`\n"
            f"- in {quoted(path)}\n"
            "- in another file of the repository, named with `--eval-set PATH`\n\n"
            'It is JSON, a list of `{"query": "…", "should_trigger": true}`; in an issue it may '
            "be two lists as well, below `### Should trigger` and `### Should not trigger`."
        )
    return _read_file(path, snapshot)


def find_own_set(skill: Skill, snapshot: Snapshot) -> Chosen | None:
    """The eval set in a skill's folder; None where there is none. Raises `Refused`."""
    path = skill_path(skill.path, EVAL_SET_FILE)
    return None if snapshot.find_file(path) is None else _read_file(path, snapshot)


def _read_file(path: str, snapshot: Snapshot) -> Chosen:
    return Chosen(parse_eval_set(snapshot.read_text(path, LARGEST_SET), path), path)
