"""Who is let in, whose forms are taken, and what the pages let a browser do."""

import asyncio
import re
from pathlib import Path

import httpx
import pytest

from bot.queues import REQUESTS
from tests.bot.web import some_settings, web_client
from tests.bot.web_pages.seeded import CANCELLED, ENDED, RUNNING, Seeded, seeded_server

ELSEWHERE = {"host": "evil.example:8000"}
PAGES = ("/tasks", "/tasks/new", f"/tasks/{ENDED}", f"/tasks/{ENDED}/report.json",
         f"/tasks/{RUNNING}/events", "/tasks/compare", f"/tasks/{ENDED}/case?id=lost")  # fmt: skip
FORMS = (
    "/tasks",
    f"/tasks/{RUNNING}/cancel",
    f"/tasks/{CANCELLED}/resume",
    f"/tasks/{ENDED}/rerun",
)


async def key_of(client: httpx.AsyncClient) -> str:
    """The key that stands in this visitor's forms."""
    page = await client.get("/tasks/new")
    found = re.search(r'name="key" value="([0-9a-f]{64})"', page.text)
    assert found is not None
    return found[1]


async def test_whoever_sits_at_the_machine_is_let_in(pages: Seeded) -> None:
    answer = await pages.client.get("/tasks")
    assert answer.status_code == 200
    assert "this machine" in answer.text


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(
    "headers",
    [
        ELSEWHERE,
        {"host": "127.0.0.1.evil.example"},
        {"host": "evil@127.0.0.1"},
        {"host": "localhost:x"},
        {"x-forwarded-for": "127.0.0.1"},
        {"forwarded": "for=127.0.0.1"},
        {"via": "1.1 proxy"},
    ],
)
async def test_another_name_or_somebody_between_is_not_this_machine(
    pages: Seeded, path: str, headers: dict[str, str]
) -> None:
    """A page of another site can lead its own name to 127.0.0.1, but it cannot change the name."""
    answer = await pages.client.get(path, headers=headers)
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert ENDED not in answer.text


async def test_a_proxy_that_says_nothing_of_itself_is_not_this_machine(pages: Seeded) -> None:
    """As nginx with nothing but `proxy_pass` sends what anybody asks for."""
    url = pages.client.base_url
    reader, writer = await asyncio.open_connection(url.host, url.port)
    writer.write(f"GET /tasks HTTP/1.0\r\nHost: {url.netloc.decode()}\r\n\r\n".encode())
    answer = (await reader.read()).decode()
    writer.close()
    assert "location: /sign-in\r\n" in answer
    assert ENDED not in answer


@pytest.mark.parametrize(
    "changes",
    [{"public_url": "https://bench.example"}, {"host": "0.0.0.0"}],
)
async def test_a_public_server_lets_nobody_in_by_address(
    redis_url: str, tmp_path: Path, changes: dict[str, str]
) -> None:
    async with seeded_server(redis_url, tmp_path, **changes) as seeded:
        answer = await seeded.client.get("/tasks")
        assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
        sign_in = await seeded.client.get("/sign-in")
        assert sign_in.status_code == 403
        assert "SKILLBENCH_WEB_USERS" in sign_in.text
        assert (await seeded.client.get("/sign-in/github")).status_code == 404


@pytest.mark.parametrize("path", FORMS)
async def test_a_form_that_nobody_was_shown_does_nothing(pages: Seeded, path: str) -> None:
    key = await key_of(pages.client)
    whole = {"dataset": "healthbench/sample", "key": key}
    tries = [
        ({"dataset": "healthbench/sample"}, {}),
        (whole | {"key": "0" * 64}, {}),
        (whole, {"origin": "https://evil.example"}),
        (whole, {"origin": "null"}),
        (whole, {"sec-fetch-site": "cross-site"}),
        (whole, {"sec-fetch-site": "same-site"}),
        (whole, ELSEWHERE),
    ]
    for form, headers in tries:
        answer = await pages.client.post(path, data=form, headers=headers)
        assert answer.status_code == 403, (form, headers)
    other = httpx.AsyncClient(base_url=pages.client.base_url)
    async with other:  # another browser's cookie, and the first one's key
        assert (await other.get("/tasks")).status_code == 200
        assert (await other.post(path, data=whole)).status_code == 403
    assert await pages.redis.zcard(REQUESTS) == 0
    assert await pages.live.find_cancelled(RUNNING) is None


async def test_the_key_of_a_form_is_good_in_the_browser_that_was_shown_it(pages: Seeded) -> None:
    key = await key_of(pages.client)
    origin = str(pages.client.base_url).rstrip("/")
    form = {"dataset": "healthbench/sample", "key": key}
    answer = await pages.client.post("/tasks", data=form, headers={"origin": origin})
    assert answer.status_code == 303
    assert await pages.redis.zcard(REQUESTS) == 1


@pytest.mark.parametrize("path", [*PAGES, "/sign-in", "/tasks/nothing", "/static/nothing"])
async def test_every_answer_lets_a_browser_do_little(pages: Seeded, path: str) -> None:
    async with pages.client.stream("GET", path) as answer:
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        cookies = answer.headers.get_list("set-cookie")
        assert all("HttpOnly" in one and "SameSite=strict" in one for one in cookies)


@pytest.mark.parametrize(
    "path",
    [
        "/tasks/..%2f..%2fetc",
        "/tasks/AAAAAAAAAAAA",
        "/tasks/aaaaaaaaaaa%00",
        "/tasks/..%2fdatasets/report.json",
        "/tasks/dddddddddddd",
        "/tasks/dddddddddddd/report.html",
        f"/tasks/{ENDED}/case?id=../../plan",
        f"/tasks/{ENDED}/case",
        f"/tasks/compare?a={ENDED}&b=../x",
        f"/tasks/compare?a={ENDED}&b=dddddddddddd",
        "/static/..%2fshell.py",
        "/static/../shell.py",
    ],
)
async def test_no_address_leads_to_a_file_of_another_name(pages: Seeded, path: str) -> None:
    answer = await pages.client.get(path)
    assert answer.status_code == 404
    assert "Traceback" not in answer.text


async def test_a_store_that_cannot_be_opened_is_told(redis_url: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    url = (tmp_path / "file" / "blobs").as_uri()
    async with web_client(some_settings(redis_url, blob_url=url)) as client:
        answer = await client.get("/tasks")
        assert answer.status_code == 503
        assert "Not now" in answer.text
