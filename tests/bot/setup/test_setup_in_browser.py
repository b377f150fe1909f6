"""From nothing to the first welcome, as an operator clicks through it in a real browser."""

import json
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from demo.github import LocalGitHub, RepositoryHandle, Served
from demo.play import HERE
from tests.bot.browser import CHROMIUM, Tab, open_tab
from tests.bot.cli.processes import Command, command
from tests.openapi import check_exchanges

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

TEXT = "document.body.innerText"
WIDTHS = "[document.documentElement.scrollWidth, innerWidth]"
PAPER = "getComputedStyle(document.body).backgroundColor"


@asynccontextmanager
async def a_github(gh: LocalGitHub) -> AsyncIterator[tuple[Served, RepositoryHandle]]:
    """With a repository of skills, and a person who may do as they like in it."""
    gh.add_person("maria")
    gh.site.state.accounts.pop("skillbench-operator")
    handle = gh.add_repository("maria", "skills", folder=HERE / "sample", installed=False)
    async with gh.serve() as served:
        yield served, handle


def settings_for(served: Served, folder: Path) -> dict[str, str]:
    return {
        "port": "0",
        "github_api_url": served.api_url,
        "github_web_url": served.web_url,
        "data_dir": str(folder / "data"),
        "sandbox": "none",
    }


async def type_in(tab: Tab, field: str, text: str) -> None:
    await tab.evaluate(f"document.getElementById('{field}').value = {json.dumps(text)}")


async def press(tab: Tab) -> None:
    """Press the page's one button, and wait for where it leads."""
    loads = tab.loads
    await tab.evaluate("document.querySelector('main .button').click()")
    await tab.wait_for_loads(loads + 1)


async def photograph(tab: Tab, folder: Path, name: str) -> None:
    """The page on a screen and on a phone, light and dark; it scrolls sideways on none."""
    papers = set()
    for width, height in ((1280, 860), (390, 844)):
        for scheme in ("light", "dark"):
            await tab.look_like(width=width, height=height, scheme=scheme)
            papers.add(await tab.evaluate(PAPER))
            page_width, window = await tab.evaluate(WIDTHS)
            assert page_width <= window == width, f"{name} scrolls sideways"
            (folder / f"{name}-{width}-{scheme}.png").write_bytes(await tab.photograph())
    assert len(papers) == 2, "the style sheet was let in, for light and for dark"
    await tab.look_like(width=1280, height=860, scheme="light")


async def click_through(tab: Tab, wanted: dict[str, str], folder: Path) -> None:
    """The token, the form, GitHub's own page, and back."""
    await tab.visit(wanted["address"])
    await photograph(tab, folder, "token")
    await type_in(tab, "token", wanted["one_time_token"])
    await press(tab)
    assert "What shall the App be called" in await tab.evaluate(TEXT)
    await photograph(tab, folder, "form")
    await type_in(tab, "name", "my skillbench")
    await press(tab)
    await photograph(tab, folder, "review")
    await press(tab)
    assert "Create GitHub App for maria" in await tab.evaluate(TEXT)
    await press(tab)
    assert "my-skillbench is registered" in await tab.evaluate(TEXT)
    await photograph(tab, folder, "done")


async def served_at(running: Command) -> str:
    line = await running.logged("serving")
    return f"http://127.0.0.1:{line['port']}"


async def test_an_operator_registers_and_installs_the_app_and_is_welcomed(
    tmp_path: Path, gh: LocalGitHub
) -> None:
    async with a_github(gh) as (served, handle):
        settings = settings_for(served, tmp_path)
        async with command("up", home=tmp_path, **settings) as up:
            wanted = await up.logged("setup_wanted")
            async with open_tab(tmp_path / "profile") as tab:
                await click_through(tab, wanted, tmp_path)
                bot = await served_at(up)
                await up.logged("working")
                await press(tab)  # the link to the page of installations
                await press(tab)
                assert "Installed" in await tab.evaluate(TEXT)
                await tab.visit(f"{bot}/setup")
                assert "Set up already" in await tab.evaluate(TEXT)
            assert [one for one in tab.complaints if "404" not in one] == []
            await up.logged("welcomed")
        [issue] = [one for one in handle.repository.issues.values() if one.author.kind == "Bot"]
        assert issue.author.login == "my-skillbench[bot]"
        check_exchanges(gh.requests)
    kept = tmp_path / "data/github-app.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    secrets = [json.loads(kept.read_text())[name] for name in ("webhook_secret", "client_secret")]
    assert not any(secret in line for secret in secrets for line in up.lines)


async def test_the_app_is_there_again_after_a_restart(tmp_path: Path, gh: LocalGitHub) -> None:
    async with a_github(gh) as (served, _):
        settings = settings_for(served, tmp_path)
        async with (
            command("up", home=tmp_path, **settings) as up,
            open_tab(tmp_path / "profile") as tab,
        ):
            await click_through(tab, await up.logged("setup_wanted"), tmp_path)
            await up.logged("working")
        async with command("up", home=tmp_path, **settings) as again:
            bot = await served_at(again)
            await again.logged("working")
            async with httpx.AsyncClient() as client:
                ready = (await client.get(f"{bot}/readyz")).json()
            assert ready == {"ready": True, "redis": "ok", "credentials": "ok"}
            assert not any("setup_wanted" in line for line in again.lines)
