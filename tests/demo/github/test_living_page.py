"""An issue page in a real browser: what changes on the server moves on the page."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest

from demo.github import LocalGitHub
from demo.github.server import create_app
from demo.github.serving import open_socket, serving

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update"
)


async def _dump_page(url: str, profile: Path) -> str:
    """The page as it stands after ten seconds of its own time, which pass quickly."""
    process = await asyncio.create_subprocess_exec(
        CHROMIUM or "chromium",
        *QUIET.split(),
        f"--user-data-dir={profile}",
        "--virtual-time-budget=10000",
        "--dump-dom",
        url,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    async with asyncio.timeout(60):
        output, _ = await process.communicate()
    return output.decode()


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
async def test_an_open_page_follows_the_living_comment(app_key: str, tmp_path: Path) -> None:
    gh = LocalGitHub(private_key_pem=app_key)
    repo = gh.add_repository("octo", "skills")
    gh.add_person("maria", {"octo/skills": "write"})
    repo.open_issue(author="maria", title="T", body="b")
    living = repo.comment(1, by="maria", body="state: queued")
    app = create_app(gh.site, "/api/v3", hourly_limit=5000)
    looks = 0

    async def moving(scope: Any, receive: Any, send: Any) -> None:
        nonlocal looks
        if scope["path"].endswith("/live"):
            looks += 1
            if looks == 2:
                repo.edit_comment(living.id, by="maria", body="state: done")
                repo.label(1, "benchmarked", by="maria")
                repo.comment(1, by="maria", body="the report")
        await app(scope, receive, send)

    bound = open_socket("127.0.0.1", 0)
    address = f"http://127.0.0.1:{bound.getsockname()[1]}/octo/skills/issues/1"
    async with serving(moving, bound):
        html = await _dump_page(address, tmp_path / "profile")
    assert looks >= 2
    assert "state: done" in html
    assert "state: queued" not in html
    assert "the report" in html
    assert html.count(">benchmarked</a>") == 2  # in the timeline and beside it
    assert "ago</time>" in html or "now</time>" in html
