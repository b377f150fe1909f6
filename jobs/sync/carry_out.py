"""Carries out a `sync`: the eval issues of a repository become files, in one pull request.

Costs no money and keeps nothing: carried out again it finds the branch, the pull request and
the answer that it made before, and brings them up to date. One that a label has asked for is
answered by its pull request alone.
"""

import asyncio
from collections.abc import Sequence
from functools import partial

from config.repo_file import RepoFile
from jobs.answers import answer
from jobs.carrying_out import begin, carry_out_answered, find_head, open_snapshot
from jobs.content.repo_file import load_repo_file
from jobs.content.skills import find_skills
from jobs.content.snapshot import Snapshot
from jobs.keeping import request_folder
from jobs.ports import Issue
from jobs.proposals import PullRequest
from jobs.requests import Request
from jobs.sync.outcomes import MOST_ISSUES, changed_files, find_left_behind, find_outcomes
from jobs.sync.proposal import Synced, render_answer, render_pull_request, render_title
from jobs.world import World

BRANCH = "skillbench/sync-evals"
TAG = "sync:evals"


async def carry_out(request: Request, world: World, *, last_try: bool) -> None:
    """Carry out a request and answer whoever asked, as `jobs.benchmark.carry_out` does."""
    await carry_out_answered(lambda: _carry_out(request, world), request, world, last_try=last_try)


async def _carry_out(request: Request, world: World) -> None:
    if request.issue:
        await world.github.issue(request.issue)  # one that was moved or deleted is not answered
    if not await begin(request, world):
        return
    commit = await find_head(world)
    async with open_snapshot(request, commit, world) as snapshot:
        repo_file = await asyncio.to_thread(load_repo_file, snapshot)
        issues = await world.github.open_issues(repo_file.labels.evals)
        look = partial(_find_all, request, repo_file, issues, snapshot)
        synced = await asyncio.to_thread(look, world.runs.settings.mention)
    pull = await _propose(synced, commit, world)
    if request.issue:
        await answer(request, render_answer(synced, pull), world, good=bool(synced.outcomes))
    await world.runs.blobs.put(f"{request_folder(request)}/ended", b"")


def _find_all(
    request: Request,
    repo_file: RepoFile,
    issues: Sequence[Issue],
    snapshot: Snapshot,
    mention: str,
) -> Synced:
    shelf = find_skills(snapshot, repo_file)
    folder = repo_file.evals.folder
    return Synced(
        outcomes=find_outcomes(issues, folder, snapshot, shelf),
        labels=repo_file.labels.evals,
        folder=folder,
        left_behind=find_left_behind(issues, folder, snapshot),
        left_out=max(len(issues) - MOST_ISSUES, 0),
        asker=request.asker,
        mention=repo_file.mention or mention,
    )


async def _propose(synced: Synced, commit: str, world: World) -> PullRequest | None:
    """The pull request, brought up to date; None where there is none and none is needed."""
    return await world.github.propose_files(
        branch=BRANCH,
        base=commit,
        files=changed_files(synced.outcomes),
        title=render_title(synced),
        body=render_pull_request(synced),
        tag=TAG,
    )
