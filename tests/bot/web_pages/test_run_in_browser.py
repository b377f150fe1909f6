"""The pages of runs in a real browser: every kind of run, wide and narrow, light and dark."""

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.bot.browser import CHROMIUM, open_tab
from tests.bot.web_pages.hostile_files import ODD_NAME
from tests.bot.web_pages.run_seed import (
    ARCHIVED,
    GRADED,
    HALF_SWEPT,
    HOSTILE_RUN,
    INVALID_RUN,
    LONG,
    PANEL,
    SWEPT,
    TRIALS,
    UNGRADED,
    VERSUS,
    RunPages,
    page_of,
    put_long,
    run_pages,
    seed_runs,
)
from tests.bot.web_pages.test_in_browser import PAPER, TEXT, WIDTHS, find_faults, press

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

PAGES = {
    "graded": page_of(GRADED),
    "ungraded": page_of(UNGRADED),
    "invalid": page_of(INVALID_RUN),
    "trials": page_of(TRIALS, "?trial=3"),
    "panel": page_of(PANEL),
    "versus": page_of(VERSUS),
    "swept": page_of(SWEPT),
    "half": page_of(HALF_SWEPT),
    "archived": page_of(ARCHIVED),
    "hostile": page_of(HOSTILE_RUN),
    "long": page_of(LONG),
    "file": page_of(GRADED, "/files?path=response.md"),
    "table": page_of(GRADED, "/files?path=table.csv"),
    "picture": page_of(GRADED, "/files?path=chart.png"),
    "odd": page_of(HOSTILE_RUN, f"/files?path={quote(ODD_NAME, safe='')}"),
    "wide": page_of(HOSTILE_RUN, "/files?path=wide.csv"),
    "transcript": page_of(GRADED, "/transcript?arm=with_skill&trial=1"),
    "choice": page_of(GRADED, "/diff"),
    "diff": page_of(GRADED, f"/diff?with={VERSUS}"),
}
UNFOLD = "document.querySelectorAll('details').forEach(one => { one.open = true })"
RUN = "[document.title, document.querySelectorAll('main script, svg script').length]"


@pytest.fixture
async def pages(redis_url: str, tmp_path: Path) -> AsyncIterator[RunPages]:
    async with run_pages(redis_url, tmp_path) as pages:
        await seed_runs(pages)
        await put_long(pages)
        yield pages


@pytest.mark.parametrize("part", [0, 1])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", [(1280, 900), (390, 844)])
async def test_pages_fit_every_screen_ask_nobody_and_keep_nobody_out(
    pages: RunPages, tmp_path: Path, screen: tuple[int, int], scheme: str, part: int
) -> None:
    base = str(pages.client.base_url)
    width, height = screen
    async with open_tab(tmp_path / "profile") as tab:
        await tab.look_like(width=width, height=height, scheme=scheme)
        for name, address in list(PAGES.items())[part::2]:
            await tab.visit(base + address)
            await tab.evaluate(UNFOLD)
            paper = await tab.evaluate(PAPER)
            assert paper == {"light": "rgb(246, 248, 250)", "dark": "rgb(13, 17, 23)"}[scheme]
            page_width, window = await tab.evaluate(WIDTHS)
            assert page_width <= window == width, f"{name} scrolls sideways"
            (tmp_path / f"{name}-{width}-{scheme}.png").write_bytes(await tab.photograph())
            assert (name, await find_faults(tab)) == (name, [])
            title, scripts = await tab.evaluate(RUN)
            assert title.endswith("skillbench"), "no script of a session has run"
            assert scripts == 0
    assert all(url.startswith(base) for url in tab.requests)
    assert tab.complaints == []


async def test_no_file_of_a_session_becomes_a_page(pages: RunPages, tmp_path: Path) -> None:
    async with open_tab(tmp_path / "profile") as tab:
        for path in ("page.html", "drawing.svg", "lies.png"):
            address = page_of(HOSTILE_RUN, f"/file?arm=with_skill&trial=1&path={path}")
            await tab.call("Page.navigate", url=str(pages.client.base_url) + address)
            assert await tab.evaluate("document.title + document.body?.innerText") in {
                "", "undefined", None
            }, "it was a download, and nothing was shown"  # fmt: skip
        await tab.visit(f"{pages.client.base_url}{PAGES['graded']}")
        drawn = "[...document.querySelectorAll('.picture img')].map(one => one.naturalWidth)"
        assert await tab.evaluate("document.querySelectorAll('.picture img').length") == 1
        await tab.evaluate("document.querySelector('.picture img').scrollIntoView()")
        while await tab.evaluate(drawn) != [1]:
            pass  # each look waits for the browser


async def test_evidence_is_unfolded_by_keyboard_and_without_script(
    pages: RunPages, tmp_path: Path
) -> None:
    async with open_tab(tmp_path / "profile") as tab:
        await tab.call("Emulation.setScriptExecutionDisabled", value=True)
        await tab.visit(f"{pages.client.base_url}{PAGES['graded']}")
        await tab.call("Emulation.setScriptExecutionDisabled", value=False)
        assert "Total: 42 words" not in await tab.evaluate(
            "document.querySelector('.assertions').innerText"
        )
        await tab.evaluate("document.querySelector('.evidence summary').focus()")
        await press(tab, "Enter", text="\r")
        assert "Total: 42 words" in await tab.evaluate(TEXT)
        assert await tab.evaluate("document.querySelectorAll('details[open]').length") == 1
