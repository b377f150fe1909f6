"""Which skills a pull request changes, and which eval cases ask about them.

What decides is never the head's: the rules and the eval cases are those of the default branch,
the base is a commit of this repository. Of the head nothing is read but its skills, and of
those nothing is carried out.
"""

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass

from config.repo_file import RepoFile
from jobs.carrying_out import open_snapshot
from jobs.choosing.evals import find_evals
from jobs.content.draft import CaseDraft
from jobs.content.file_cases import drafts_from_skill
from jobs.content.repo_file import load_repo_file
from jobs.content.shelf import SkillShelf
from jobs.content.skills import find_skills
from jobs.content.snapshot import Snapshot
from jobs.content.text import quoted
from jobs.errors import Refused
from jobs.pull_requests.plan import PullPlan, PullRow, PullSkill, name_child
from jobs.pushes.changed import find_changed_skills
from jobs.requests import ALL_EVALS, Request
from jobs.values import EvalCase
from jobs.world import World

MOST_ROWS = 10
"""Eval cases, each with one skill, that one asking measures; the rest is named."""
MOST_NAMED = 20
"""Skills that are named one by one, where something keeps them from being measured."""
_NUMBER = re.compile(r"#?([1-9]\d{0,9})")


@dataclass(frozen=True, slots=True)
class Sides:
    """What a comparison is decided from."""

    rules: Snapshot
    """The default branch."""
    repo_file: RepoFile
    base: SkillShelf
    head: SkillShelf

    @property
    def changed(self) -> tuple[PullSkill, ...]:
        """The skills of the head whose content the base has nowhere."""
        there = {skill.path for skill in self.base.skills}
        return tuple(
            PullSkill(path=one.path, name=one.name, sha=one.sha, is_new=one.path not in there)
            for one in find_changed_skills(self.base, self.head)
        )

    @property
    def broken(self) -> tuple[str, ...]:
        """What the head has in the place of skills and cannot be used, unless the base has it."""
        found = [
            f"The skill {quoted(path)} cannot be used as the head has it: {reason}"
            for path, reason in sorted(self.head.broken.items())
            if self.base.broken.get(path) != reason
        ]
        rest = len(found) - MOST_NAMED
        return (*found[:MOST_NAMED], *([f"So it is with {rest} more."] if rest > 0 else []))


async def open_sides(
    request: Request, commits: tuple[str, str, str], world: World, stack: AsyncExitStack
) -> Sides:
    """The files of the default branch, the base and the head, while `stack` is open.

    Raises `Refused` for a file of the repository that cannot be used.
    """
    found: dict[str, Snapshot] = {}
    for commit in commits:
        if commit not in found:
            opened = open_snapshot(request, commit, world)
            found[commit] = await stack.enter_async_context(opened)
    rules, base, head = (found[commit] for commit in commits)
    repo_file = await asyncio.to_thread(load_repo_file, rules)
    shelves = [await asyncio.to_thread(find_skills, one, repo_file) for one in (base, head)]
    return Sides(rules, repo_file, *shelves)


async def make_plan(
    request: Request, sides: Sides, base: str, world: World, *, is_from_fork: bool
) -> PullPlan:
    """The list of what is to be measured; one that has no rows says why.

    A new skill that nothing asks about yet is measured on the cases that it brings, where people of
    this repository wrote them. Raises `Refused` for an eval case or a skill that was named and is
    not there.
    """
    changed = [one for one in sides.changed if _is_wanted(one, request, sides.head)]
    rows_shelf = await asyncio.to_thread(find_skills, sides.rules, sides.repo_file)
    cases = await find_evals(sides.rules, rows_shelf, sides.repo_file, world.github)
    found = [
        _row(request, case.id, skill)
        for case, _ in cases
        for skill in _asked_about(case, changed, sides)
    ]
    if not is_from_fork:
        asked_about = {row.skill.path for row in found}
        fresh = [one for one in changed if one.is_new and one.path not in asked_about]
        found += await asyncio.to_thread(lambda: list(_own_rows(request, fresh, sides.head)))
    covered = {row.skill.path for row in found}
    named = None if request.eval_id == ALL_EVALS else request.eval_id
    rows = found if named is None else _named(named, found)
    left_out = list(_say_uncovered([one.path for one in changed if one.path not in covered]))
    if more := rows[MOST_ROWS:]:
        ids = ", ".join(quoted(row.eval_id) for row in more[:MOST_ROWS])
        left_out.append(
            f"{MOST_ROWS} eval cases are measured at once; left out were {ids}. Name one with "
            "`--eval`."
        )
    return PullPlan(
        request=request,
        rules=sides.rules.commit,
        base=base,
        changed=tuple(changed),
        broken=sides.broken,
        rows=tuple(rows[:MOST_ROWS]),
        left_out=tuple(left_out),
    )


def make_requests(plan: PullPlan) -> list[Request]:
    """One benchmark for each row: the head's skill against the base's, on the case of the rules."""
    asking = plan.request
    return [
        asking.model_copy(
            update={
                "key": row.key,
                "kind": "benchmark",
                "origin": "pull_request",
                "comment_id": None,
                "label": asking.label if asking.origin == "label" else "",
                "eval_id": row.eval_id,
                "skill": row.skill.path,
                "vs": asking.vs or ("none" if row.skill.is_new else f"@{plan.base}"),
                "only_failed": False,
                "after": asking.head if row.is_of_head else plan.rules,
                "rules": plan.rules,
            }
        )
        for row in plan.rows
    ]


def _say_uncovered(paths: Sequence[str]) -> Iterator[str]:
    """A sentence on the skills that nothing asks about."""
    if paths:
        rest = len(paths) - MOST_NAMED
        names = ", ".join(quoted(path) for path in paths[:MOST_NAMED])
        more = f" and {rest} more" if rest > 0 else ""
        are = "it is" if len(paths) == 1 else "they are"
        yield (f"No eval case on the default branch is about {names}{more}, so {are} not measured.")


def _is_wanted(skill: PullSkill, request: Request, head: SkillShelf) -> bool:
    return request.skill is None or head.find(request.skill).path == skill.path


def _asked_about(case: EvalCase, changed: Iterable[PullSkill], sides: Sides) -> Iterable[PullSkill]:
    """The changed skills that a case names, looked up as the head has them."""
    paths = set()
    for name in case.target_skills:
        with suppress(Refused):
            paths.add(sides.head.find(name).path)
    return [skill for skill in changed if skill.path in paths]


def _row(request: Request, eval_id: str, skill: PullSkill, *, is_of_head: bool = False) -> PullRow:
    key = name_child(request, eval_id, skill.path)
    return PullRow(eval_id=eval_id, skill=skill, is_of_head=is_of_head, key=key)


def _own_rows(request: Request, skills: Iterable[PullSkill], head: SkillShelf) -> Iterable[PullRow]:
    """The eval cases that new skills bring in the head."""
    for skill in skills:
        for draft in drafts_from_skill(head.snapshot, skill.path):
            if isinstance(draft, CaseDraft) and not draft.missing():
                yield _row(request, draft.id, skill, is_of_head=True)


def _named(typed: str, found: list[PullRow]) -> list[PullRow]:
    """Those of one eval case. Raises `Refused` where it asks about no changed skill."""
    number = _NUMBER.fullmatch(typed.strip())
    wanted = {typed.strip(), f"github-issue-{number[1]}" if number else typed.strip()}
    named = [row for row in found if row.eval_id in wanted]
    if not named:
        known = ", ".join(dict.fromkeys(quoted(row.eval_id) for row in found)) or "none"
        raise Refused(
            f"{quoted(typed)} is no eval case about a skill that this pull request changes; "
            f"there is {known}."
        )
    return named
