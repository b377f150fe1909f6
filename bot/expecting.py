"""What requests that wait are expected to take, by what holds in their repositories.

Made for one look at the queue: each question is asked once.
"""

import asyncio
from collections.abc import Sequence

from bot.github.app import GitHubApp
from bot.store.ledger import RedisLedger
from config.effective import Effective, make_effective
from config.repo_file import RepoFile
from config.settings import Settings
from jobs.errors import Error
from jobs.estimates import Ahead, Estimate, ahead_of_request, estimate_all
from jobs.reporting.waiting_comment import Load
from jobs.requests import Request
from jobs.results import RunRecord
from jobs.sequential.planning import say_trials


class Expecting:
    """What requests are expected to take, as one look needs it."""

    def __init__(self, settings: Settings, ledger: RedisLedger, app: GitHubApp) -> None:
        self._settings = settings
        self._ledger = ledger
        self._app = app
        self._files: dict[str, RepoFile] = {}
        self._records: dict[str, Sequence[RunRecord]] = {}
        self._found: dict[tuple[str, tuple[Ahead, ...]], Estimate] = {}

    async def settle(self, request: Request) -> Effective:
        """What holds for a request; its repository's file is looked at, and trouble is no news."""
        repo = request.repo.full_name.casefold()
        if repo not in self._files:
            self._files[repo] = await find_repo_file(self._app, request)
        return make_effective(self._files[repo], self._settings, request)

    async def find(self, request: Request) -> tuple[Estimate, Load]:
        """By the repository's file where it was looked at: others' files are not asked for."""
        repo = request.repo.full_name.casefold()
        if repo not in self._records:
            self._records[repo] = await self._ledger.records(request.repo.full_name)
        holds = make_effective(self._files.get(repo, RepoFile()), self._settings, request)
        said = say_trials(request, holds.how_often)
        ahead = await asyncio.to_thread(  # what is until sure loads statistics
            ahead_of_request,
            said.model_copy(update={"models": holds.models.value}),
            model=self._settings.model,
            launcher=holds.launcher.value,
        )
        asked = (repo, tuple(ahead))
        if asked not in self._found:
            records = self._records[repo]
            self._found[asked] = estimate_all(ahead, records, None)
        estimate = self._found[asked]
        # the time of a measurement of a description is another one
        wall_s = estimate.wall_s if request.kind == "benchmark" else None
        return estimate, Load(repo=repo, wall_s=wall_s.median if wall_s else None)


async def find_repo_file(app: GitHubApp, request: Request) -> RepoFile:
    """The repository's own file; one that says nothing where it cannot be read."""
    try:
        return await app.repository(request.repo).repo_file()
    except Error:
        return RepoFile()
