"""Sign-in with GitHub, from the button to the sign-out, and everything that may go wrong."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from bot.web.access import SESSION
from bot.web.sign_in import STATE
from config.settings import Settings
from demo.github import LocalGitHub
from demo.github.pages import PERSON_COOKIE
from tests.bot.web_pages.seeded import Seeded, seeded_server
from tests.openapi import check_exchanges

LONG = "a secret of more than thirty-two characters"


@dataclass(frozen=True, slots=True)
class World:
    """A public server with sign-in, and a GitHub with two people."""

    pages: Seeded
    gh: LocalGitHub
    github: httpx.AsyncClient

    async def go_to_github(self) -> httpx.Response:
        """Press the button; gives what GitHub shows."""
        leading = await self.pages.client.get("/sign-in/github")
        assert leading.status_code == 303
        return await self.github.get(leading.headers["location"])

    async def authorize(self, shown: httpx.Response, answer: str = "yes") -> str:
        """Press GitHub's button; gives the address that it leads back to."""
        fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', shown.text))
        wanted = {name: fields[name] for name in ("redirect_uri", "state", "code_challenge")}
        back = await self.github.post(str(shown.url), data=wanted | {"answer": answer})
        assert back.status_code == 302
        return back.headers["location"]

    async def sign_in(self) -> httpx.Response:
        return await self.pages.client.get(await self.authorize(await self.go_to_github()))


@asynccontextmanager
async def a_world(redis_url: str, folder: Path, **changes: Any) -> AsyncIterator[World]:
    gh = LocalGitHub()
    gh.add_person("maria")
    gh.add_person("mallory")
    async with gh.serve() as served, httpx.AsyncClient(base_url=served.web_url) as github:
        values: dict[str, Any] = {
            "host": "0.0.0.0",
            "github_api_url": served.api_url,
            "github_web_url": served.web_url,
            "github_client_id": gh.site.state.app.client_id,
            "github_client_secret": gh.site.state.app.client_secret,
            "session_secret": LONG,
            "web_users": "Maria, somebody-else",
        }
        github.cookies.set(PERSON_COOKIE, "maria")
        async with seeded_server(redis_url, folder, **(values | changes)) as pages:
            yield World(pages, gh, github)
    check_exchanges(gh.requests)


async def test_somebody_who_is_named_signs_in_and_out(redis_url: str, tmp_path: Path) -> None:
    async with a_world(redis_url, tmp_path) as world:
        client = world.pages.client
        assert "Sign in with GitHub" in (await client.get("/sign-in")).text
        shown = await world.go_to_github()
        asked = parse_qs(urlsplit(str(shown.url)).query)
        assert asked["code_challenge_method"] == ["S256"]
        assert "scope" not in asked
        back = await client.get(await world.authorize(shown))
        assert (back.status_code, back.headers["location"]) == (303, "/")
        cookie = next(c for c in back.headers.get_list("set-cookie") if c.startswith(SESSION))
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        tasks = await client.get("/tasks")
        assert tasks.status_code == 200
        assert "maria" in tasks.text
        assert (await client.get("/sign-in")).headers["location"] == "/"
        assert (await client.post("/sign-out", data={})).status_code == 403
        [key] = set(re.findall(r'name="key" value="(\w+)"', tasks.text))
        out = await client.post("/sign-out", data={"key": key})
        assert (out.status_code, out.headers["location"]) == (303, "/sign-in")
        assert (await client.get("/tasks")).status_code == 303


async def test_somebody_who_is_not_named_signs_in_and_uses_no_page_that_costs(
    redis_url: str, tmp_path: Path
) -> None:
    async with a_world(redis_url, tmp_path) as world:
        world.github.cookies.set(PERSON_COOKIE, "mallory")
        back = await world.sign_in()
        assert (back.status_code, back.headers["location"]) == (303, "/")
        for path in ("/tasks", "/tasks/new"):
            answer = await world.pages.client.get(path)
            assert answer.status_code == 403
            assert "mallory may not use these pages" in answer.text
        [key] = set(re.findall(r'name="key" value="(\w+)"', answer.text))
        begun = await world.pages.client.post("/tasks", data={"key": key})
        assert begun.status_code == 403


async def test_a_name_that_is_taken_off_the_list_is_out_at_once(
    redis_url: str, tmp_path: Path
) -> None:
    async with a_world(redis_url, tmp_path) as world:
        await world.sign_in()
        cookies = {SESSION: world.pages.client.cookies[SESSION]}
        assert (await world.pages.client.get("/tasks")).status_code == 200
    async with a_world(redis_url, tmp_path / "2", web_users="somebody-else") as later:
        answer = await later.pages.client.get("/tasks", headers=_cookie(cookies))
        assert answer.status_code == 403
        assert "maria may not use these pages" in answer.text


async def test_a_session_that_this_server_did_not_make_is_none(
    redis_url: str, tmp_path: Path
) -> None:
    async with a_world(redis_url, tmp_path) as world:
        await world.sign_in()
        good = world.pages.client.cookies[SESSION]
        world.pages.client.cookies.clear()
        for bad in (good[:-1], good[1:], "x", "", f"{good}x", "e30.x.y"):
            answer = await world.pages.client.get("/tasks", headers=_cookie({SESSION: bad}))
            assert answer.status_code == 303, bad
        answer = await world.pages.client.get("/tasks", headers=_cookie({SESSION: good}))
        assert answer.status_code == 200
    other = "another secret of more than thirty-two characters"
    async with a_world(redis_url, tmp_path / "2", session_secret=other) as later:
        answer = await later.pages.client.get("/tasks", headers=_cookie({SESSION: good}))
        assert answer.status_code == 303


async def test_a_link_of_somebody_elses_signs_nobody_in(redis_url: str, tmp_path: Path) -> None:
    """The code is good, but this browser has begun nothing, or something else."""
    async with a_world(redis_url, tmp_path) as world:
        link = await world.authorize(await world.go_to_github())
        mine = world.pages.client.cookies[STATE]
        world.pages.client.cookies.clear()
        for cookie in ({}, {STATE: "x"}, {STATE: mine[:-1]}):
            answer = await world.pages.client.get(link, headers=_cookie(cookie))
            assert answer.status_code == 403
            assert SESSION not in answer.headers.get("set-cookie", "")
        await world.go_to_github()  # a later beginning has another state
        assert (await world.pages.client.get(link)).status_code == 403


async def test_a_link_signs_in_once(redis_url: str, tmp_path: Path) -> None:
    async with a_world(redis_url, tmp_path) as world:
        link = await world.authorize(await world.go_to_github())
        state = world.pages.client.cookies[STATE]
        assert (await world.pages.client.get(link)).status_code == 303
        assert STATE not in world.pages.client.cookies
        again = await world.pages.client.get(link, headers=_cookie({STATE: state}))
        assert again.status_code == 403
        assert "did not take the code" in again.text


async def test_who_declines_is_not_signed_in(redis_url: str, tmp_path: Path) -> None:
    async with a_world(redis_url, tmp_path) as world:
        link = await world.authorize(await world.go_to_github(), answer="no")
        answer = await world.pages.client.get(link)
        assert answer.status_code == 403
        assert "declined" in answer.text


async def test_a_wrong_client_secret_is_told_without_it(redis_url: str, tmp_path: Path) -> None:
    async with a_world(redis_url, tmp_path, github_client_secret="not-the-one") as world:
        answer = await world.sign_in()
        assert answer.status_code == 403
        assert "did not take the code" in answer.text
        assert "not-the-one" not in answer.text


async def test_a_github_that_does_not_answer_is_told(redis_url: str, tmp_path: Path) -> None:
    async with a_world(redis_url, tmp_path, github_api_url="http://127.0.0.1:9") as world:
        answer = await world.sign_in()
        assert answer.status_code == 403
        assert "GitHub does not answer" in answer.text


@pytest.mark.parametrize("secret", ["short", "x" * 31])
def test_a_secret_that_can_be_guessed_is_refused(secret: str) -> None:
    with pytest.raises(ValueError, match="at least 32 characters"):
        Settings(_env_file=None, session_secret=secret)


async def test_behind_https_cookies_go_over_nothing_else(redis_url: str, tmp_path: Path) -> None:
    url = "https://bench.example"
    async with a_world(redis_url, tmp_path, public_url=url) as world:
        leading = await world.pages.client.get("/sign-in/github")
        assert "Secure" in leading.headers["set-cookie"]
        asked = parse_qs(urlsplit(leading.headers["location"]).query)
        assert asked["redirect_uri"] == [f"{url}/sign-in/callback"]


def _cookie(values: dict[str, str]) -> dict[str, str]:
    return {"cookie": "; ".join(f"{name}={value}" for name, value in values.items())}
