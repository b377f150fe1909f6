"""The queue in a real browser: empty, busy, long and hostile, and what its script brings."""

from pathlib import Path

import pytest
from redis.asyncio import Redis

from bot.store.expected import RedisExpected
from tests.bot.browser import CHROMIUM, open_tab
from tests.bot.web import some_settings, web_client
from tests.bot.web_pages.queue_seed import (
    ACME,
    HOSTILE,
    a_request,
    let_fail,
    let_live,
    let_run,
    let_wait,
)
from tests.bot.web_pages.test_dashboard_in_browser import look
from tests.bot.web_pages.test_in_browser import TEXT, press
from tests.builders import NOON

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

LONG = "x" * 90


async def fill(redis: Redis, count: int) -> None:
    """So many requests, of which two are carried out, and three that failed."""
    requests = [
        a_request(
            issue=number + 1,
            key=f"comment:{ACME.full_name}:{number}",
            asker=HOSTILE if number == 2 else "mona",
            models=(f"{HOSTILE}{LONG}",) if number == 2 else ("claude-sonnet", "gpt-4.1"),
        )
        for number in range(count)
    ]
    await let_wait(redis, *requests)
    for one in requests[:2]:
        await let_run(redis, one)
        await RedisExpected(redis).keep(one, NOON)
    await let_live(redis)
    await let_fail(redis, requests[0])
    await let_fail(redis, requests[1], how="ungraded", run="0f3a9c2e77d1", title=f"case {LONG}")
    await let_fail(redis, requests[2], how="crashed", reason=f"{HOSTILE} {LONG} died.")


@pytest.mark.parametrize("count", [0, 5, 205])
async def test_it_fits_every_screen_asks_nobody_and_keeps_nobody_out(
    redis_url: str, redis: Redis, tmp_path: Path, count: int
) -> None:
    if count:
        await fill(redis, count)
    settings = some_settings(redis_url, data_dir=tmp_path / "data")
    async with web_client(settings) as client, open_tab(tmp_path / "profile") as tab:
        await look(tab, f"{client.base_url}/queue", tmp_path, f"queue-{count}")
        assert all(url.startswith(str(client.base_url)) for url in tab.requests)
        assert tab.complaints == []
        if count:
            assert "<script>alert(1)</script>" in await tab.evaluate(TEXT)


async def test_a_request_is_cancelled_by_keyboard_alone_and_the_page_follows(
    redis_url: str, redis: Redis, tmp_path: Path
) -> None:
    await let_wait(redis, a_request())
    settings = some_settings(redis_url, data_dir=tmp_path / "data")
    async with web_client(settings) as client, open_tab(tmp_path / "profile") as tab:
        await tab.visit(f"{client.base_url}/queue")
        await tab.evaluate("document.querySelector('.sure > summary').focus()")
        await press(tab, "Enter", text="\r")
        await press(tab, "Tab", text="")
        loads = tab.loads
        await press(tab, "Enter", text="\r")
        while tab.loads == loads:
            await tab.evaluate("1")  # each look hears what the browser tells
        text = await tab.evaluate(TEXT)
        assert "The request is cancelled." in text
        assert "Nothing waits." in text
        await let_wait(redis, a_request(issue=77))
        while "#77" not in await tab.evaluate(TEXT):
            pass  # the script looks every five seconds; each look waits for the browser
        assert tab.loads == loads + 1
        assert tab.complaints == []
