"""What a push asks to be measured: the skills it describes otherwise, where that is wanted.

Nobody typed a command, so nothing is said where nothing is to be done: the repository's file
does not ask for it, or cannot be used, or the state before the push is not to be had.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

import structlog

from config.repo_file import RepoFile
from jobs.content.repo_file import load_repo_file
from jobs.content.skills import find_skills
from jobs.content.snapshot import Snapshot
from jobs.errors import Gone, Refused
from jobs.ports import RepositoryReader
from jobs.requests import Request
from jobs.triggering.changed import find_changed_descriptions
from jobs.values import Skill

OpenCommit = Callable[[str], AbstractAsyncContextManager[Snapshot]]
"""The files of a commit, on disk while the block runs."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PushedSkills:
    """What to measure, if anything."""

    skills: tuple[Skill, ...] = ()
    models: tuple[str, ...] = ()
    """As the repository's file has them; empty: the configured one."""


async def find_pushed_skills(
    request: Request, after: Snapshot, reader: RepositoryReader, open_commit: OpenCommit
) -> PushedSkills:
    """The skills that a push described otherwise, by comparing both states of the branch.

    `after` is the state that the push led to; the one before is opened only where the file in
    it asks for a measurement. Raises `Gone` and `Transient` as GitHub does.
    """
    try:
        repo_file = await asyncio.to_thread(load_repo_file, after)
    except Refused as slip:
        log.info("push_passed_over", key=request.key, reason=str(slip))
        return PushedSkills()
    if not repo_file.trigger.on_push or request.before is None:
        log.info("push_passed_over", key=request.key, reason="the repository does not ask for it")
        return PushedSkills()
    try:
        async with open_commit(request.before) as before:
            changed = await asyncio.to_thread(_compare, before, after, repo_file)
    except Refused as unusable:
        log.info("push_passed_over", key=request.key, reason=str(unusable))
        return PushedSkills()
    except Gone as gone:
        await reader.default_commit()  # where the repository is gone itself, this says so
        log.info("push_passed_over", key=request.key, reason=str(gone))
        return PushedSkills()
    return PushedSkills(changed, repo_file.trigger.models)


def _compare(before: Snapshot, after: Snapshot, repo_file: RepoFile) -> tuple[Skill, ...]:
    """By what is a skill now, in both states."""
    return find_changed_descriptions(find_skills(before, repo_file), find_skills(after, repo_file))
