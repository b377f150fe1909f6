"""What a push asks to be measured: the skills it describes otherwise, where that is wanted.

Nobody typed a command, so nothing is said where nothing is to be done: the repository's file
does not ask for it, or cannot be used, or the state before the push is not to be had.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import structlog

from jobs.content.skills import find_skills
from jobs.content.snapshot import Snapshot
from jobs.content.tarball import extract_tarball
from jobs.errors import Gone, Refused
from jobs.planning.environment import load_repo_file
from jobs.ports import RepositoryReader
from jobs.requests import Request
from jobs.sessions.workspace import remove_tree
from jobs.triggering.changed import find_changed_descriptions
from jobs.values import Skill

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PushedSkills:
    """What to measure, if anything."""

    skills: tuple[Skill, ...] = ()
    models: tuple[str, ...] = ()
    """As the repository's file has them; empty: the configured one."""


async def find_pushed_skills(
    request: Request, after: Snapshot, reader: RepositoryReader, scratch: Path
) -> PushedSkills:
    """The skills that a push described otherwise, by comparing both states of the branch.

    `after` is the state that the push led to; the one before is downloaded only where its
    file asks for a measurement. Raises `Gone` and `Transient` as GitHub does.
    """
    try:
        wish = (await asyncio.to_thread(load_repo_file, after)).trigger
    except Refused as slip:
        log.info("push_passed_over", key=request.key, reason=str(slip))
        return PushedSkills()
    if not wish.on_push or request.before is None:
        log.info("push_passed_over", key=request.key, reason="the repository does not ask for it")
        return PushedSkills()
    try:
        async with _open(request.before, request.repo.name, reader, scratch) as before:
            changed = await asyncio.to_thread(_compare, before, after)
    except Refused as unusable:
        log.info("push_passed_over", key=request.key, reason=str(unusable))
        return PushedSkills()
    except Gone as gone:
        await reader.default_commit()  # where the repository is gone itself, this says so
        log.info("push_passed_over", key=request.key, reason=str(gone))
        return PushedSkills()
    return PushedSkills(changed, wish.models)


def _compare(before: Snapshot, after: Snapshot) -> tuple[Skill, ...]:
    return find_changed_descriptions(find_skills(before), find_skills(after))


@asynccontextmanager
async def _open(
    commit: str, name: str, reader: RepositoryReader, scratch: Path
) -> AsyncIterator[Snapshot]:
    folder = scratch / f"before-{uuid4().hex[:12]}"
    folder.mkdir(parents=True)
    try:
        archive = folder / "commit.tar.gz"
        await reader.download_tarball(commit, archive)
        root = folder / "tree"
        await asyncio.to_thread(extract_tarball, archive, root)
        yield Snapshot(root, commit, name)
    finally:
        await asyncio.to_thread(remove_tree, folder)
