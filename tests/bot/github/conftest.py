"""A local GitHub on a real socket, and the App that talks to it without waiting."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from bot.github.app import GitHubApp
from bot.github.pacing import Pacer
from bot.github.repository import RepositoryClient
from config.settings import Settings
from demo.github import Exchange, LocalGitHub, RepositoryHandle
from demo.github.answers import Answer
from demo.github.faults import Fault
from jobs.requests import Repo
from tests.bot.github.clocks import StoppedClock
from tests.openapi import check_exchanges


@dataclass
class World:
    """The two sides, with one clock that only waiting moves."""

    gh: LocalGitHub
    settings: Settings
    clock: StoppedClock
    app: GitHubApp
    handle: RepositoryHandle
    open_more: AsyncExitStack

    @property
    def repo(self) -> Repo:
        return self.repo_of(self.handle)

    @property
    def client(self) -> RepositoryClient:
        return self.app.repository(self.repo)

    def repo_of(self, handle: RepositoryHandle) -> Repo:
        owner, name = handle.full_name.split("/")
        account = self.gh.site.account(owner)
        installation = self.gh.site.state.find_installation(account)
        assert installation is not None
        return Repo(owner=owner, name=name, installation_id=installation.id)

    async def another_app(
        self, *, pacer: Pacer | None = None, redis: Redis | None = None, **changes: Any
    ) -> GitHubApp:
        """The App as a second process has it."""
        settings = self.settings.model_copy(update=changes)
        app = GitHubApp(settings, timing=self.clock.timing, pacer=pacer, redis=redis)
        return await self.open_more.enter_async_context(app)

    def answer_with(self, answer: Answer, *, on: str) -> None:
        """Answer the next such request with this, after its effect."""
        self.gh.faults._add(Fault(on=on, times=1, answer=answer, after_effect=True))

    def calls(self, start: str = "") -> list[Exchange]:
        """Requests so far that begin like this, without those for tokens."""
        return [
            sent
            for sent in self.gh.requests
            if f"{sent.method} {sent.path}".startswith(start)
            and not sent.path.endswith("/access_tokens")
        ]


@pytest.fixture
async def world(tmp_path: Path, app_key: str) -> AsyncIterator[World]:
    """Every request of the bot must be one that GitHub describes; that is judged at the end."""
    clock = StoppedClock(now=time.time())
    gh = LocalGitHub(clock=lambda: datetime.fromtimestamp(clock.now, UTC), private_key_pem=app_key)
    folder = tmp_path / "skills"
    folder.mkdir()
    (folder / "README.md").write_text("# Skills\n")
    handle = gh.add_repository("acme", "skills", folder=folder)
    gh.add_person("mona", {"acme/skills": "write"})
    for number in (7, 8):
        handle.open_issue(author="mona", title=f"Case {number}", body="Count.", number=number)
    async with gh.serve() as served, AsyncExitStack() as more:
        settings = Settings(
            _env_file=None,
            github_app_id=str(gh.app_id),
            github_private_key=app_key,
            github_api_url=served.api_url,
        )
        app = await more.enter_async_context(GitHubApp(settings, timing=clock.timing))
        yield World(gh, settings, clock, app, handle, more)
    check_exchanges(gh.requests)


@pytest.fixture
async def redis_socket(tmp_path: Path) -> AsyncIterator[Path]:
    socket = tmp_path / "redis.sock"
    server = await asyncio.create_subprocess_exec(
        "redis-server", "--port", "0", "--unixsocket", str(socket), "--save", "",
        "--dir", str(tmp_path), stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert server.stdout is not None
    async with asyncio.timeout(10):
        while b"ready to accept" not in (line := await server.stdout.readline()).lower():
            assert line, "redis-server ended before it was ready"
    yield socket
    server.terminate()
    await server.communicate()
