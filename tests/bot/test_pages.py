"""Pages that anybody may read: shown as they were put, and to nobody who should not."""

import asyncio
import re
import resource
import sys
from contextlib import ExitStack
from pathlib import Path
from random import Random
from socket import socket

import httpx
import pytest
from redis.asyncio import Redis

from bot.embedded_redis import embedded_redis
from bot.store.page_shelf import KEY, LARGEST, LARGEST_PACKED, PageShelf
from bot.store.seen_repos import RedisSeenRepos
from jobs.requests import Repo
from tests.bot.web import some_settings, web_client

ID = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
PUBLIC = "https://bot.example"
REPO = Repo(owner="acme", name="skills", installation_id=7)
HTML = "<!doctype html><title>Zähler</title><style>p{margin:0}</style><p>Läuft."


@pytest.fixture
def shelf(redis: Redis) -> PageShelf:
    return PageShelf(redis, public_url=PUBLIC)


async def test_a_page_is_shown_under_the_address_that_was_given(
    shelf: PageShelf, web: httpx.AsyncClient
) -> None:
    address = await shelf.put(REPO, ID, HTML)
    assert address == f"{PUBLIC}/runs/{ID}"
    for encoding in ("gzip", "identity"):
        shown = await web.get(f"/runs/{ID}", headers={"accept-encoding": encoding})
        assert (shown.status_code, shown.text) == (200, HTML)
        assert shown.headers["content-type"] == "text/html; charset=utf-8"
        assert shown.headers.get("content-encoding") == (None if encoding == "identity" else "gzip")
    assert (await web.head(f"/runs/{ID}")).content == b""


async def test_a_large_page_arrives_whole_packed_or_not(
    shelf: PageShelf, web: httpx.AsyncClient
) -> None:
    large = HTML + "".join(f"<p>line {number}</p>" for number in range(150_000))
    assert len(large) > LARGEST // 2
    await shelf.put(REPO, ID, large)
    for encoding in ("gzip", "identity"):
        shown = await web.get(f"/runs/{ID}", headers={"accept-encoding": encoding})
        assert shown.text == large


async def test_a_page_goes_with_its_repository_that_became_private(
    redis: Redis, shelf: PageShelf, web: httpx.AsyncClient
) -> None:
    """Or that is called something else now: what it is by then is not known here."""
    seen = RedisSeenRepos(redis)
    await seen.see(REPO)
    await shelf.put(REPO, ID, HTML)
    shown = await web.get(f"/runs/{ID}")
    assert shown.status_code == 200
    known = {"if-none-match": shown.headers["etag"]}
    await seen.see(REPO.model_copy(update={"private": True}))
    assert (await web.get(f"/runs/{ID}", headers=known)).status_code == 404
    await seen.see(REPO, is_asked=True)
    assert (await web.get(f"/runs/{ID}", headers=known)).status_code == 304
    await seen.forget("acme/skills")
    assert (await web.get(f"/runs/{ID}")).status_code == 404


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("encoding", ["gzip", "identity"])
async def test_readers_that_never_read_hold_little_memory(
    shelf: PageShelf, web: httpx.AsyncClient, encoding: str
) -> None:
    """Anybody may ask for a page, as often as they like, and leave the answer lying."""
    noise = Random(1).randbytes(LARGEST_PACKED * 3 // 8).hex()
    await shelf.put(REPO, ID, HTML + noise + "a" * (LARGEST - 1000 - len(noise) - len(HTML)))
    await web.get(f"/runs/{ID}")
    ask = f"GET /runs/{ID} HTTP/1.1\r\nhost: x\r\naccept-encoding: {encoding}\r\n\r\n"
    before = resident_mb()
    loop = asyncio.get_running_loop()
    with ExitStack() as connections:
        for _ in range(60):
            connection = connections.enter_context(socket())
            connection.setblocking(False)
            await loop.sock_connect(connection, (web.base_url.host, web.base_url.port))
            await loop.sock_sendall(connection, ask.encode())
            assert await loop.sock_recv(connection, 12) == b"HTTP/1.1 200"
        assert resident_mb() - before < 20


def resident_mb() -> float:
    """Memory of this process, which serves the pages, too."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


async def test_its_headers_let_a_browser_run_nothing_and_ask_nobody(
    shelf: PageShelf, web: httpx.AsyncClient
) -> None:
    await shelf.put(REPO, ID, HTML)
    for path in (f"/runs/{ID}", "/runs/nothing"):
        headers = (await web.get(path)).headers
        policy = dict(
            part.strip().partition(" ")[::2]
            for part in headers["content-security-policy"].split(";")
        )
        assert policy.pop("style-src").startswith("'sha256-")
        assert policy == {
            **dict.fromkeys(("default-src", "base-uri", "form-action"), "'none'"),
            "frame-ancestors": "'none'",
        }
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-robots-tag"] == "noindex"
        assert headers["cache-control"] == "no-cache"


async def test_only_the_pages_own_style_sheet_is_allowed(
    shelf: PageShelf, web: httpx.AsyncClient
) -> None:
    await shelf.put(REPO, ID, HTML)
    one = (await web.get(f"/runs/{ID}")).headers["content-security-policy"]
    await shelf.put(REPO, ID, HTML + "<style>p{color:red}</style>")
    two = (await web.get(f"/runs/{ID}")).headers["content-security-policy"]
    await shelf.put(REPO, ID, HTML.replace("margin:0", "margin:1"))
    other = (await web.get(f"/runs/{ID}")).headers["content-security-policy"]
    assert one == two != other


async def test_a_page_that_did_not_change_is_not_sent_again(
    shelf: PageShelf, web: httpx.AsyncClient
) -> None:
    await shelf.put(REPO, ID, HTML)
    tag = (await web.get(f"/runs/{ID}")).headers["etag"]
    await shelf.put(REPO, ID, HTML)
    same = await web.get(f"/runs/{ID}", headers={"if-none-match": f'"x", {tag}'})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
    await shelf.put(REPO, ID, HTML + "<p>Fertig.")
    changed = await web.get(f"/runs/{ID}", headers={"if-none-match": tag})
    assert changed.status_code == 200
    assert "Fertig." in changed.text


@pytest.mark.parametrize("path", [ID, "x", "0" * 31, "0" * 65, ID.upper(), f"{ID}%0a", "..%2fx"])
async def test_what_is_not_there_has_a_page_of_its_own(web: httpx.AsyncClient, path: str) -> None:
    missing = await web.get(f"/runs/{path}")
    assert missing.status_code == 404
    if "No such page" not in missing.text:
        assert "/" in missing.request.url.path.removeprefix("/runs/"), "another address altogether"


async def test_nothing_of_a_private_repository_is_kept(shelf: PageShelf, redis: Redis) -> None:
    private = REPO.model_copy(update={"private": True})
    assert await shelf.put(private, ID, HTML) is None
    assert await redis.keys("*") == []


async def test_without_a_public_address_nothing_is_kept(redis: Redis) -> None:
    assert await PageShelf(redis).put(REPO, ID, HTML) is None
    assert await redis.keys("*") == []


@pytest.mark.parametrize("html", ["x" * (LARGEST + 1), Random(1).randbytes(LARGEST_PACKED).hex()])
async def test_a_page_that_is_too_large_is_not_kept(
    shelf: PageShelf, redis: Redis, html: str
) -> None:
    assert await shelf.put(REPO, ID, html) is None
    assert await redis.keys("*") == []


@pytest.mark.parametrize("page_id", ["", "1", "g" * 32, "0" * 65, f"{ID}\n", "../" + ID])
async def test_an_id_that_could_be_guessed_is_a_defect(shelf: PageShelf, page_id: str) -> None:
    with pytest.raises(ValueError, match="hexadecimal"):
        await shelf.put(REPO, page_id, HTML)


async def test_a_page_goes_after_a_month_without_news(shelf: PageShelf, redis: Redis) -> None:
    await shelf.put(REPO, ID, HTML)
    await redis.expire(KEY + ID, 60)
    await shelf.put(REPO, ID, HTML)
    assert 29 * 86_400 < await redis.ttl(KEY + ID) <= 30 * 86_400


async def test_while_redis_is_away_neither_side_fails(short_path: Path) -> None:
    async with embedded_redis(short_path) as url:
        pass
    async with web_client(some_settings(url)) as web, asyncio.timeout(20):
        shown = await web.get(f"/runs/{ID}")
    assert shown.status_code == 503
    assert "try later" in shown.text
    assert re.search(r"'sha256-[\w+/=]+'", shown.headers["content-security-policy"])
    async with Redis.from_url(url) as redis, asyncio.timeout(20):
        address = await PageShelf(redis, public_url=PUBLIC).put(REPO, ID, HTML)
    assert address is not None, "the next drawing may be kept, under this address"
