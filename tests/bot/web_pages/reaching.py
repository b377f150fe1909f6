"""A public server with sign-in, a local GitHub, and people with roles in its repositories."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from redis.asyncio import Redis

from bot.store.seen_repos import SEEN, SeenRepo
from bot.store.sign_ins import FRESH, KEY, SignedIn
from demo.github import LocalGitHub
from demo.github.pages import PERSON_COOKIE
from demo.github.state import Role
from jobs.requests import Repo
from tests.bot.web import some_settings, web_client
from tests.openapi import check_exchanges

LONG = "a secret of more than thirty-two characters"
OPERATOR = "olivia"


@dataclass(frozen=True, slots=True)
class World:
    """The server, the GitHub, and one browser for both."""

    client: httpx.AsyncClient
    github: httpx.AsyncClient
    gh: LocalGitHub
    redis: Redis

    def repo(self, full_name: str) -> Repo:
        """The repository as a request names it."""
        owner, _, name = full_name.partition("/")
        found = self.gh.site.state.find_repository(owner, name)
        assert found is not None
        installation = self.gh.site.state.find_installation(found.owner)
        assert installation is not None
        return Repo(
            owner=owner, name=name, installation_id=installation.id, private=found.is_private
        )

    async def see(
        self, full_name: str, *, days_ago: float = 0, is_private: bool | None = None
    ) -> None:
        """Let the bot have had to do with a repository."""
        repo = self.repo(full_name)
        seen = SeenRepo(
            full_name=full_name,
            is_private=repo.private if is_private is None else is_private,
            installation_id=repo.installation_id,
            seen_at=datetime.now(UTC) - timedelta(days=days_ago),
        )
        await self.redis.hset(SEEN, full_name.lower(), seen.model_dump_json())  # type: ignore[misc]

    async def sign_in(self, login: str, path: str = "/sign-in/github") -> httpx.Response:
        """Sign in as somebody; gives what the server answers to who comes back."""
        self.github.cookies.set(PERSON_COOKIE, login)
        leading = await self.client.get(path)
        shown = await self.github.get(leading.headers["location"])
        if shown.status_code == 200:
            fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', shown.text))
            wanted = {name: fields[name] for name in ("redirect_uri", "state", "code_challenge")}
            shown = await self.github.post(str(shown.url), data=wanted | {"answer": "yes"})
        return await self.client.get(shown.headers["location"])

    async def session(self) -> tuple[str, SignedIn]:
        """The one session there is: its key in Redis, and what is kept."""
        [key] = [key.decode() async for key in self.redis.scan_iter(KEY + "*")]
        return key, SignedIn.model_validate_json(await self.redis.get(key))

    async def let_an_hour_pass(self) -> None:
        """Let what GitHub said of whoever has signed in be too old."""
        key, who = await self.session()
        older = who.model_copy(update={"asked_at": who.asked_at - FRESH})
        await self.redis.set(key, older.model_dump_json(), keepttl=True)

    async def form_key(self, path: str) -> str:
        """What stands in the forms of a page."""
        [key] = set(re.findall(r'name="key" value="(\w+)"', (await self.client.get(path)).text))
        return str(key)


@asynccontextmanager
async def a_world(redis_url: str, folder: Path, **changes: Any) -> AsyncIterator[World]:
    """`acme` has a public and a private repository; both were seen."""
    gh = LocalGitHub()
    gh.add_repository("acme", "open")
    gh.add_repository("acme", "secret", private=True)
    for login in (OPERATOR, "mona", "mallory"):
        gh.add_person(login)
    redis = Redis.from_url(redis_url)
    try:
        async with gh.serve() as served, httpx.AsyncClient(base_url=served.web_url) as github:
            values: dict[str, Any] = {
                "host": "0.0.0.0",
                "data_dir": folder / "data",
                "github_api_url": served.api_url,
                "github_web_url": served.web_url,
                "github_client_id": gh.site.state.app.client_id,
                "github_client_secret": gh.site.state.app.client_secret,
                "session_secret": LONG,
                "web_users": OPERATOR,
            }
            settings = some_settings(redis_url, **(values | changes))
            async with web_client(settings) as client:
                world = World(client, github, gh, redis)
                await world.see("acme/open")
                await world.see("acme/secret")
                yield world
        check_exchanges(gh.requests)
    finally:
        await redis.aclose()


def give(world: World, login: str, full_name: str, role: Role) -> None:
    """Give somebody a role, or take it with `none`."""
    world.gh.add_person(login, {full_name: role})
