"""The live page of an optimization in a real browser, on a screen and on a phone."""

import json
from pathlib import Path

import httpx
import pytest
from redis.asyncio import Redis

from bot.store.page_shelf import PageShelf
from jobs.triggering.eval_set import make_eval_set
from jobs.triggering.report_page import Progress, render_page
from tests.bot.browser import CHROMIUM, open_tab
from tests.bot.test_pages import ID, PUBLIC, REPO
from tests.jobs.triggering.test_reports import HOSTILE, fires_with_good_words
from tests.jobs.triggering.world import NoTranscript, Writer, make_evaluator, make_optimizer

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

WIDTHS = "[document.documentElement.scrollWidth, innerWidth]"
TABLE = "(e => [e.scrollWidth, e.clientWidth])(document.querySelector('.scroll'))"
PAPER = "getComputedStyle(document.body).backgroundColor"
TEXT = "document.body.innerText"


async def make_page(scratch: Path, progress: Progress | None) -> str:
    """The page of a search with twenty queries, whose texts try to break out of it."""
    queries = [(f"query {number} {HOSTILE} " + "word " * 20, number < 10) for number in range(20)]
    evaluator, _ = make_evaluator(fires_with_good_words)
    writer = Writer([json.dumps({"description": "good one, " * 20}), "?", "?", "?"])
    optimizer = make_optimizer(evaluator, writer, make_eval_set(queries, "set"), scratch)
    found = await optimizer.run("poor", NoTranscript())
    return render_page(HOSTILE, "claude-sonnet", found, optimizer.split, progress=progress)


async def test_it_asks_nobody_breaks_no_policy_and_fits_every_screen(
    redis: Redis, web: httpx.AsyncClient, tmp_path: Path
) -> None:
    await PageShelf(redis, public_url=PUBLIC).put(REPO, ID, await make_page(tmp_path, None))
    address = f"{web.base_url}/runs/{ID}"
    papers = set()
    async with open_tab(tmp_path / "profile") as tab:
        for width, height in ((1280, 900), (390, 844)):
            for scheme in ("light", "dark"):
                await tab.look_like(width=width, height=height, scheme=scheme)
                await tab.visit(address)
                papers.add(await tab.evaluate(PAPER))
                page_width, window = await tab.evaluate(WIDTHS)
                assert page_width <= window == width, "the page itself scrolls sideways"
                picture = await tab.photograph()
                (tmp_path / f"{width}-{scheme}.png").write_bytes(picture)
        wide, visible = await tab.evaluate(TABLE)
        assert wide > visible, "the table scrolls inside its box"
        assert HOSTILE in await tab.evaluate(TEXT)
        assert await tab.evaluate("document.scripts.length + document.images.length") == 0
    assert len(papers) == 2, "light and dark are styled, so the style sheet was let in"
    assert set(tab.requests) == {address}
    assert tab.complaints == []


async def test_it_follows_what_goes_on_and_stops_when_it_has_ended(
    redis: Redis, web: httpx.AsyncClient, tmp_path: Path
) -> None:
    shelf = PageShelf(redis, public_url=PUBLIC)
    await shelf.put(REPO, ID, await make_page(tmp_path / "1", Progress(30, 60)))
    async with open_tab(tmp_path / "profile") as tab:
        await tab.visit(f"{web.base_url}/runs/{ID}")
        assert "30 of at most 60 sessions" in await tab.evaluate(TEXT)
        await tab.wait_for_loads(2)  # the same page once more, not sent again
        await shelf.put(REPO, ID, await make_page(tmp_path / "2", None))
        await tab.wait_for_loads(3)
        assert "Use the description of iteration 2." in await tab.evaluate(TEXT)
        assert await tab.evaluate("document.querySelector('meta[http-equiv=refresh]')") is None
    assert tab.complaints == []


async def test_what_a_broken_renderer_let_through_is_held_back_by_the_policy(
    redis: Redis, web: httpx.AsyncClient, tmp_path: Path
) -> None:
    """The second wall, tried without the first."""
    guest = (
        "<style>p{margin:0}</style><style>body{color:red}</style><p style='color:red'>"
        "<script>document.title='run'</script><img src='/healthz'>"
        "<iframe src='/healthz'></iframe><form action='/webhook' method='post'></form>"
    )
    html = f"<!doctype html><title>quiet</title><body>{guest}"
    await PageShelf(redis, public_url=PUBLIC).put(REPO, ID, html)
    async with open_tab(tmp_path / "profile") as tab:
        await tab.visit(f"{web.base_url}/runs/{ID}")
        assert await tab.evaluate("document.title") == "quiet"
        assert await tab.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
        await tab.evaluate("document.forms[0].submit()")
    assert len(tab.complaints) >= 4
    assert all("Content Security Policy" in one for one in tab.complaints), tab.complaints
