"""All eval cases of a skill, as requests of which each is about one."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress

from jobs.choosing.evals import find_evals
from jobs.content.repo_file import load_repo_file
from jobs.content.shelf import SkillShelf
from jobs.content.skills import find_skills
from jobs.content.snapshot import Snapshot
from jobs.content.text import listed, quoted
from jobs.errors import Refused
from jobs.planning.asked_case import find_asked_case
from jobs.ports import Issue
from jobs.requests import Request
from jobs.values import EvalCase, Skill
from jobs.world import World


async def find_all_evals(
    request: Request, issue: Issue, snapshot: Snapshot, world: World
) -> tuple[Request, ...]:
    """A request for each eval case of the skill that is named, else of those of the issue's case.

    Raises `Refused` where no skill is meant, or nothing asks about it.
    """
    repo_file = await asyncio.to_thread(load_repo_file, snapshot)
    shelf = await asyncio.to_thread(find_skills, snapshot, repo_file)
    skills = await asyncio.to_thread(_find_skills, request, issue, snapshot, shelf)
    found = await find_evals(snapshot, shelf, repo_file, world.github)
    cases = [case for case, _ in found]
    asked = tuple(
        request.model_copy(update={"eval_id": case.id, "skill": skill.path})
        for skill in skills
        for case in cases
        if skill.path in _paths(case, shelf)
    )
    if not asked:
        names = listed([skill.path for skill in skills])
        raise Refused(f"no eval case of this repository is about {names}.")
    return asked


def _find_skills(
    request: Request, issue: Issue, snapshot: Snapshot, shelf: SkillShelf
) -> list[Skill]:
    if request.skill:
        return [shelf.find(request.skill)]
    own = request.model_copy(update={"eval_id": None})
    try:
        case = find_asked_case(own, snapshot, shelf, issue)
    except Refused as refusal:
        raise Refused(
            f"`--eval all` means all eval cases of a skill, and {quoted(f'#{issue.number}')} leads "
            "to none: say which with `--skill`."
        ) from refusal
    return [shelf.find(name) for name in case.target_skills]


def _paths(case: EvalCase, shelf: SkillShelf) -> set[str]:
    return set(_known_paths(case, shelf))


def _known_paths(case: EvalCase, shelf: SkillShelf) -> Iterator[str]:
    """Of the skills that a case is about, as far as they are there."""
    for name in case.target_skills:
        with suppress(Refused):
            yield shelf.find(name).path
