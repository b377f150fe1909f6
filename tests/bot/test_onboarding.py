"""What changes of installations lead to, on a real queue and the local GitHub."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from bot.blobs import Blobs
from bot.cancels import Cancels
from bot.github.app import GitHubApp
from bot.onboarding import Onboarding
from bot.queues import enqueue, list_requests
from config.settings import Settings
from demo.github import LocalGitHub
from handlers.decisions import Enqueue, Ignore, StopServing
from handlers.events import Actor, EventRepository, InstallationChanged
from handlers.questions import HandlerContext
from jobs.requests import Repo
from tests.builders import a_request

ANYBODY = HandlerContext(allowed_owners=("*",))


@dataclass
class Stage:
    """The App on `acme`, which has three repositories."""

    gh: LocalGitHub
    redis: Redis
    onboarding: Onboarding

    def event(self, change: Any, *names: str, is_whole: bool = True) -> InstallationChanged:
        """As GitHub tells it; with names it lists these repositories."""
        repositories = tuple(
            EventRepository(
                id=number,
                owner="acme",
                name=name,
                private=False,
                installation_id=self.gh.installation_id,
            )
            for number, name in enumerate(names)
        )
        return InstallationChanged(
            delivery="d-1",
            installation_id=self.gh.installation_id,
            owner="acme",
            sender=Actor(id=1, login="mona", is_bot=False),
            change=change,
            is_whole=is_whole,
            is_chosen=False,
            repositories=repositories,
        )

    async def ask(self, name: str, number: int, installation: int | None = None) -> None:
        there = installation or self.gh.installation_id
        repo = Repo(owner="acme", name=name, installation_id=there)
        await enqueue(self.redis, a_request(key=f"comment:acme/{name}#{number}", repo=repo))

    async def waiting(self) -> list[str]:
        return [request.key async for request in list_requests(self.redis)]


@pytest.fixture
async def stage(redis: Redis, gh: LocalGitHub, tmp_path: Path) -> AsyncIterator[Stage]:
    for name in ("one", "two", "three"):
        gh.add_repository("acme", name)
    async with gh.serve() as served:
        settings = Settings(
            _env_file=None,
            github_app_id=str(gh.app_id),
            github_private_key=gh.private_key_pem,
            github_api_url=served.api_url,
            data_dir=tmp_path,
        )
        async with GitHubApp(settings) as app:
            yield Stage(gh, redis, Onboarding(app, redis, Blobs(settings.blobs)))


async def test_repositories_that_github_does_not_list_are_looked_up(stage: Stage) -> None:
    """It leaves the list out where it is long, and whenever a suspension ends."""
    for change in ("added", "resumed"):
        decision = await stage.onboarding.handle(stage.event(change), ANYBODY)
        assert isinstance(decision, Enqueue)
        names = [request.repo.name for request in decision.requests]
        assert names == ["one", "two", "three"]
    assert len(await stage.waiting()) == 3, "the same delivery, the same requests"


async def test_a_stranger_costs_no_call(stage: Stage) -> None:
    decision = await stage.onboarding.handle(stage.event("added"), HandlerContext())
    assert isinstance(decision, Ignore)
    assert stage.gh.requests == []


async def test_only_what_belongs_to_the_repositories_that_were_left_is_cancelled(
    stage: Stage,
) -> None:
    await stage.ask("one", 1)
    await stage.ask("two", 2)
    await stage.ask("one", 3, installation=99)
    event = stage.event("removed", "one", is_whole=False)
    assert isinstance(await stage.onboarding.handle(event, ANYBODY), StopServing)
    assert sorted(await stage.waiting()) == ["comment:acme/one#3", "comment:acme/two#2"]
    await stage.onboarding.handle(stage.event("suspended"), ANYBODY)
    assert await stage.waiting() == ["comment:acme/one#3"]


async def test_a_request_under_way_is_flagged_with_why_it_ends(stage: Stage) -> None:
    await stage.ask("one", 1)
    [(reference, _)] = [found async for found in Cancels(stage.redis).find_all()]
    await stage.redis.set("arq:in-progress:request:comment:acme/one#1", "1")
    await stage.onboarding.handle(stage.event("suspended"), ANYBODY)
    cancelled = await Cancels(stage.redis).find(reference)
    assert cancelled is not None
    assert (cancelled.by, cancelled.comes_back) == ("mona", True)


async def test_the_token_of_a_suspended_installation_is_forgotten(stage: Stage) -> None:
    app = stage.onboarding.app
    repo = Repo(owner="acme", name="one", installation_id=stage.gh.installation_id)

    async def tokens() -> int:
        assert await app.repository(repo).takes_issues()
        return sum(one.path.endswith("/access_tokens") for one in stage.gh.requests)

    assert await tokens() == await tokens() == 1
    await stage.onboarding.handle(stage.event("suspended"), ANYBODY)
    assert await tokens() == 2
