"""Welcomes a repository: its labels, and one issue that says what was found and how to start.

Nobody has asked for it, so trouble is told to nobody either: it is tried again, or left. The
issue is opened once for ever; whoever closes it, or installs the App again, gets no second one.
A repository that takes no issues gets no word. One with nothing for the bot gets one only where
somebody chose this very repository: five hundred repositories of a company are not written to
because ten of them hold skills.
"""

import asyncio

import structlog

from jobs.carrying_out import open_snapshot
from jobs.errors import Gone, Refused, Suspended, Transient
from jobs.labels import list_labels
from jobs.late import forget_late, put_off
from jobs.requests import Request
from jobs.welcome.issue import render_title, render_welcome
from jobs.welcome.survey import MOST_ISSUES, Survey, survey
from jobs.world import World

TAG = "welcome"
"""One for every repository, so that it is found again under another name, too."""

log = structlog.get_logger()


async def carry_out(request: Request, world: World, *, last_try: bool) -> None:
    """Welcome a repository, or say nothing.

    Raises `Transient` where it is worth carrying out again and `last_try` is False.
    """
    name = request.repo.full_name
    try:
        async with world.ledger.hold(f"welcome:{name.casefold()}"):
            await _welcome(request, world)
    except Suspended as pause:
        await put_off(request, str(pause), world)
        return
    except (Gone, Refused) as reason:
        log.info("not_welcomed", repo=name, reason=str(reason))
    except Transient as trouble:
        if not last_try:
            raise
        await put_off(request, str(trouble), world)
        return
    except Exception:
        log.exception("welcome_failed", repo=name)
    await forget_late(request, world)


async def _welcome(request: Request, world: World) -> None:
    github, name = world.github, request.repo.full_name
    if not await github.takes_issues():
        raise Refused("it is archived, disabled, or has its issues switched off")
    if (there := await github.find_own_issue(TAG)) is not None:
        log.info("welcomed_before", repo=name, issue=there.number)
        return
    found = await _look(request, world)
    if found.is_empty and not request.chosen:
        raise Refused("nothing in it concerns the bot, and nobody chose it by name")
    await github.make_labels(list_labels(found.repo_file.labels))
    settings = world.runs.settings
    opened = await github.open_issue(render_title(found), render_welcome(found, settings), tag=TAG)
    log.info("welcomed", repo=name, issue=opened.number)


async def _look(request: Request, world: World) -> Survey:
    """What the repository holds; nothing where it has no commit yet."""
    try:
        commit = await world.github.default_commit()
    except Refused:
        return Survey()
    issues = await world.github.newest_issues(MOST_ISSUES)
    async with open_snapshot(request, commit, world) as snapshot:
        return await asyncio.to_thread(survey, snapshot, issues)
