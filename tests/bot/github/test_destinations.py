"""A download's redirect leads to the open internet, or nowhere."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import httpx
import pytest

from bot.github.destinations import check_destination
from bot.github.failures import NotFound
from jobs.errors import Gone
from tests.bot.github.conftest import World

PUBLIC_API = httpx.URL("https://api.github.com")
ADDRESSES = {
    "api.github.com": ("140.82.121.6",),
    "codeload.github.com": ("140.82.121.9", "2606:50c0:8000::153"),
    "inside.example": ("10.0.0.7",),
    "both.example": ("140.82.121.9", "127.0.0.1"),
    "ghe.corp.example": ("10.1.2.3",),
    "files.corp.example": ("10.1.2.4",),
}


async def resolve(host: str) -> Sequence[str]:
    if host not in ADDRESSES:
        raise OSError(f"no such host: {host}")
    return ADDRESSES[host]


@pytest.mark.parametrize(
    "location",
    [
        "https://169.254.169.254/latest/meta-data/",
        "https://127.0.0.1:6379/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://10.0.0.7/x",
        "https://inside.example/x",
        "https://both.example/x",
        "https://nowhere.example/x",
        "https://0x7f.1/",
        "https://2130706433/",
        "http://codeload.github.com/acme/skills",
        "ftp://codeload.github.com/acme/skills",
        "file:///etc/passwd",
    ],
)
async def test_a_redirect_to_the_inside_or_to_plain_http_is_not_followed(location: str):
    with pytest.raises(NotFound, match="redirected to"):
        await check_destination(httpx.URL(location), api=PUBLIC_API, resolve=resolve)


async def test_github_s_own_redirect_is_followed():
    location = httpx.URL("https://codeload.github.com/acme/skills/legacy.tar.gz/x?token=y")
    await check_destination(location, api=PUBLIC_API, resolve=resolve)


async def test_a_server_inside_a_network_may_redirect_within_it():
    """An Enterprise Server's file host is as private as itself."""
    api = httpx.URL("https://ghe.corp.example/api/v3")
    await check_destination(httpx.URL("https://files.corp.example/x"), api=api, resolve=resolve)


async def test_every_step_of_a_redirect_is_looked_at(world: World, tmp_path: Path):
    """Also the second one, which an outside host chose."""
    steps: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        steps.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 302 Found\r\nLocation: gopher://127.0.0.1/x\r\n")
        writer.write(b"Content-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/x"
        world.gh.faults.answer(302, on="GET */tarball/*", headers={"location": url})
        with pytest.raises(Gone, match="redirected to gopher"):
            await world.client.download_tarball("0" * 40, tmp_path / "commit.tar.gz")
    assert len(steps) == 1
    assert not (tmp_path / "commit.tar.gz").exists()


async def test_redirects_from_host_to_host_end(world: World, tmp_path: Path):
    steps: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        steps.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 302 Found\r\nLocation: /y\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/x"
        world.gh.faults.answer(302, on="GET */tarball/*", headers={"location": url})
        with pytest.raises(Gone, match="without end"):
            await world.client.download_tarball("0" * 40, tmp_path / "commit.tar.gz")
    assert len(steps) == 5
