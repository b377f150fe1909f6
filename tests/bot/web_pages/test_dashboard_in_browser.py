"""The dashboard in a real browser: what nothing, thirty runs and hostile names look like.

`tests/bot/dashboard` looks at every page over none, one and thousands of runs.
"""

import re
from pathlib import Path
from urllib.parse import urlencode

import pytest

from jobs.results import RunRecord
from tests.bot.browser import CHROMIUM, Tab, open_tab
from tests.bot.web_pages.dashboard import a_run, dashboard, some_set
from tests.bot.web_pages.ledger_seed import HOSTILE, some_records
from tests.bot.web_pages.test_in_browser import PAPER, TEXT, WIDTHS, find_faults, press

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

REPO = "/repos/acme/skills"
ODD_SKILL = f"x/{HOSTILE}{'long' * 40}"
PAGES = {
    "overview": "/",
    "repo": REPO,
    "skill": f"{REPO}/skill?path=text/word-count",
    "runs": f"{REPO}/runs",
}
DRAWN = "[...document.images].filter(one => one.complete && one.naturalWidth > 1).length"
OPEN_ALL = "document.querySelectorAll('details').forEach(one => { one.open = true; })"
LOADS_ALL = "document.querySelectorAll('img').forEach(one => { one.loading = 'eager'; })"


def some_odd_records() -> list[RunRecord]:
    """A skill, a model and eval cases whose names try to break out, or to widen the page."""
    return [
        *some_set(ODD_SKILL, (0.2,) * 6, model=HOSTILE, days_ago=3),
        *some_set(ODD_SKILL, (-0.1,) * 6, version=2, model=HOSTILE),
        a_run(ODD_SKILL, 9, 0.1, eval_id=f"{HOSTILE}{'long' * 40}", version=2, model=HOSTILE),
    ]


async def look(tab: Tab, url: str, folder: Path, name: str) -> None:
    """Both widths and both schemes of a page, kept as pictures, without a fault."""
    papers = set()
    for width, height in ((1280, 900), (390, 844)):
        for scheme in ("light", "dark"):
            await tab.look_like(width=width, height=height, scheme=scheme)
            await tab.visit(url)
            papers.add(await tab.evaluate(PAPER))
            (folder / f"{name}-{width}-{scheme}.png").write_bytes(await tab.photograph())
            await tab.evaluate(OPEN_ALL)
            page_width, window = await tab.evaluate(WIDTHS)
            assert page_width <= window == width, f"{name} scrolls sideways at {width}"
            assert await find_faults(tab) == [], f"{name} at {width} in {scheme}"
    assert len(papers) == 2, "light and dark are styled, so the style sheet was let in"


async def test_pages_fit_every_screen_ask_nobody_and_keep_nobody_out(
    redis_url: str, tmp_path: Path
) -> None:
    async with (
        dashboard(redis_url, tmp_path, some_records(30)) as there,
        open_tab(tmp_path / "profile") as tab,
    ):
        base = str(there.client.base_url)
        for name, path in PAGES.items():
            await there.settle(path)
            await look(tab, base + path, tmp_path, f"{name}-30")
        assert all(url.startswith(base) for url in tab.requests)
        assert tab.complaints == []


async def test_a_first_visit_finds_a_page_in_good_form(redis_url: str, tmp_path: Path) -> None:
    async with dashboard(redis_url, tmp_path) as there, open_tab(tmp_path / "profile") as tab:
        await there.see("acme/skills", is_private=False)
        base = str(there.client.base_url)
        for name, path in (("overview", "/"), ("repo", REPO), ("runs", f"{REPO}/runs")):
            await look(tab, base + path, tmp_path, f"{name}-0")
        assert tab.complaints == []


async def test_names_of_others_neither_run_nor_widen_a_page(redis_url: str, tmp_path: Path) -> None:
    async with (
        dashboard(redis_url, tmp_path, some_odd_records()) as there,
        open_tab(tmp_path / "profile") as tab,
    ):
        await there.ask("odd", asker=HOSTILE, models=(HOSTILE,), skill=ODD_SKILL)
        base = str(there.client.base_url)
        skill = f"{REPO}/skill?{urlencode({'path': ODD_SKILL})}"
        for name, path in (PAGES | {"skill": skill}).items():
            await there.settle(path)
            await look(tab, base + path, tmp_path, f"{name}-odd")
            assert await tab.evaluate("document.title") != "run"
            assert "<script>document.title" in await tab.evaluate(TEXT)
        assert all(url.startswith(base) for url in tab.requests)
        assert tab.complaints == []


async def test_pictures_are_drawn_for_the_scheme_that_is_preferred(
    redis_url: str, tmp_path: Path
) -> None:
    async with (
        dashboard(redis_url, tmp_path, some_records(60)) as there,
        open_tab(tmp_path / "profile") as tab,
    ):
        await there.settle(PAGES["skill"])  # else it loads itself anew once it is counted
        for scheme, asked in (("light", None), ("dark", "theme=dark")):
            await tab.look_like(width=1280, height=900, scheme=scheme)
            tab.requests.clear()
            await tab.visit(f"{there.client.base_url}{PAGES['skill']}")
            await tab.evaluate(LOADS_ALL)
            while await tab.evaluate(DRAWN) < 4:
                pass  # each look waits for the browser
            charts = {url for url in tab.requests if "/charts/" in url}
            assert len(charts) == 4, "a browser may ask again for one that it has"
            assert all(("theme=dark" in url) == (asked is not None) for url in charts)


async def test_a_skill_is_found_and_opened_by_keyboard_alone(
    redis_url: str, tmp_path: Path
) -> None:
    async with (
        dashboard(redis_url, tmp_path, some_records(60)) as there,
        open_tab(tmp_path / "profile") as tab,
    ):
        await tab.visit(f"{there.client.base_url}/")
        await press(tab, "Tab", text="")
        assert await tab.evaluate("document.activeElement.textContent") == "Skip to the content"
        await tab.evaluate("document.getElementById('q').focus()")
        for letter in "word":
            await press(tab, letter)
        await press(tab, "Enter", text="\r")
        await tab.wait_for_loads(2)
        assert "q=word" in await tab.evaluate("location.search")
        links = "[...document.querySelectorAll('tbody th a')].map(a => a.textContent)"
        assert await tab.evaluate(links) == ["word-count"]
        await tab.evaluate("document.getElementById('q').focus()")
        await press(tab, "Tab", text="")
        assert await tab.evaluate("document.activeElement.id") == "sort"
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        assert await tab.evaluate(outline) == "solid"
        await tab.evaluate("document.querySelector('tbody th a').focus()")
        await press(tab, "Enter", text="\r")
        await tab.wait_for_loads(3)
        assert await tab.evaluate("document.querySelector('h1').textContent") == "word-count"


async def test_what_runs_now_is_brought_up_to_date_on_an_open_page(
    redis_url: str, tmp_path: Path
) -> None:
    async with (
        dashboard(redis_url, tmp_path, some_records(8)) as there,
        open_tab(tmp_path / "profile") as tab,
    ):
        await tab.visit(f"{there.client.base_url}/")
        assert "Nothing runs and nothing waits" in await tab.evaluate(TEXT)
        await there.ask("one", asker="mona")
        fresh = "refresh(document.querySelector('#requests-now'), '#requests-now')"
        await tab.call("Runtime.evaluate", expression=fresh, awaitPromise=True)
        assert re.search(r"0 running, 1 queued", await tab.evaluate(TEXT))
        assert tab.loads == 1


async def test_a_page_on_paper_holds_the_figures_and_no_controls(
    redis_url: str, tmp_path: Path
) -> None:
    async with (
        dashboard(redis_url, tmp_path, some_records(60)) as there,
        open_tab(tmp_path / "profile") as tab,
    ):
        await tab.call("Emulation.setEmulatedMedia", media="print")
        await tab.visit(f"{there.client.base_url}/")
        shown = "[...document.querySelectorAll(%r)].filter(e => e.offsetParent).length"
        assert await tab.evaluate(shown % ".top, .search, .filter") == 0
        assert await tab.evaluate(shown % ".skills tbody tr") == 4
