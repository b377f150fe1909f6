"""The App on a local GitHub with a delivery log, the bot's own door, and a Redis."""

import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from redis.asyncio import Redis

from bot.github.app import GitHubApp
from bot.queues import EVENTS, REQUESTS
from config.settings import Settings
from demo.github import LocalGitHub, RepositoryHandle
from handlers.questions import HandlerContext
from tests.bot.conftest import redis, redis_url
from tests.bot.github.clocks import StoppedClock
from tests.bot.web import SECRET, some_settings, web_client
from tests.openapi import check_exchanges

__all__ = ["redis", "redis_url"]


@dataclass
class World:
    """Both sides, with one clock that only waiting moves."""

    gh: LocalGitHub
    settings: Settings
    clock: StoppedClock
    app: GitHubApp
    handle: RepositoryHandle
    redis: Redis
    hook: str = ""
    """Address of the bot's door, while `door` is open."""

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.clock.now, UTC)

    def pass_time(self, period: timedelta) -> None:
        self.clock.now += period.total_seconds()

    @property
    def context(self) -> HandlerContext:
        return HandlerContext(
            allowed_owners=("acme",), app_bot_login=self.gh.bot_login, clock=self.now
        )

    def asked_again(self) -> int:
        """How often GitHub was asked to deliver something again."""
        return sum(one.path.endswith("/attempts") for one in self.gh.requests)

    async def waiting(self, queue: str = REQUESTS) -> list[str]:
        """Ids of the jobs on a queue, the next one first."""
        return [job.decode() for job in await self.redis.zrange(queue, 0, -1)]

    async def events(self) -> list[str]:
        return await self.waiting(EVENTS)


@pytest.fixture
async def world(tmp_path: Path, app_key: str, redis: Redis) -> AsyncIterator[World]:
    """Every request of the bot must be one that GitHub describes; that is judged at the end."""
    clock = StoppedClock(now=float(int(time.time())))
    gh = LocalGitHub(clock=lambda: datetime.fromtimestamp(clock.now, UTC), private_key_pem=app_key)
    folder = tmp_path / "skills"
    folder.mkdir()
    (folder / "README.md").write_text("# Skills\n")
    handle = gh.add_repository("acme", "skills", folder=folder)
    gh.add_person("mona", {"acme/skills": "write"})
    for number in (7, 8):
        handle.open_issue(author="mona", title=f"Case {number}", body="Count.", number=number)
    async with gh.serve() as served:
        settings = Settings(
            _env_file=None,
            github_app_id=str(gh.app_id),
            github_private_key=app_key,
            github_api_url=served.api_url,
            data_dir=tmp_path / "data",
        )
        async with GitHubApp(settings, timing=clock.timing) as app:
            yield World(gh, settings, clock, app, handle, redis)
    check_exchanges(gh.requests)


@pytest.fixture
async def door(world: World, redis_url: str) -> AsyncIterator[Callable[[bool], None]]:
    """The bot's web process; the function opens it to GitHub, or takes it away."""
    async with web_client(some_settings(redis_url)) as client:
        open_address = f"{client.base_url}/webhook"

        def set_open(is_open: bool) -> None:
            world.gh.set_webhook(open_address if is_open else "http://127.0.0.1:9/webhook", SECRET)

        set_open(False)
        yield set_open
