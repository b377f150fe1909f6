"""Every page of the dashboard in Chromium, with nothing, one run and thousands: it fits, complains
of nothing, asks nobody else, keeps nobody out, and changes while somebody looks.
"""

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from bot.embedded_redis import embedded_redis
from tests.bot.dashboard.site import (
    AT,
    DIFF,
    ENDED,
    LIVE,
    RUNS,
    SKILL,
    Site,
    a_site,
)
from tests.bot.dashboard.watching import LED, LOOKS, SAID, Scheme, Watched, told, watched
from tests.bot.web_pages.run_seed import GRADED, page_of, put_graded

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAGES = {
    "overview": "/",
    "repo": AT,
    "skill": SKILL,
    "runs": RUNS,
    "run": ENDED,
    "live": LIVE,
    "diff": DIFF,
    "queue": "/queue",
}
WITH_ONE = PAGES | {"diff": page_of(GRADED, "/diff")}
WITH_NONE = {name: PAGES[name] for name in ("overview", "repo", "runs", "live", "queue")}
SIGNED_OUT = {
    "host": "0.0.0.0",
    "github_client_id": "Iv1.0123456789abcdef",
    "github_client_secret": "known to GitHub",
    "session_secret": "a secret of more than thirty-two characters",
}
ARRIVES_MS = 10_000
"""It takes less than a second on a machine that has nothing else to do."""


async def check(there: Watched, name: str, width: int, scheme: Scheme) -> None:
    """A page that is open, on one screen: kept as a picture, without a fault."""
    where = f"{name} at {width} in {scheme}"
    await there.look(width, scheme)
    await there.photograph(f"{name}-{width}-{scheme}")
    await there.unfold()
    faults = await there.find_faults()
    assert faults == [], f"{where}: {told(faults)}"
    assert await there.sideways() <= 0, f"{where} scrolls sideways"
    await there.fold()
    assert there.trouble == [], where


@pytest.mark.parametrize("name", PAGES)
async def test_a_page_over_thousands_of_runs_suits_every_screen_and_everybody(
    browser: Browser, large: Site, name: str
) -> None:
    async with watched(browser, large.base) as there:
        await there.look(*LOOKS[0])
        await there.visit(PAGES[name])
        for width, scheme in LOOKS:
            await check(there, f"5000-{name}", width, scheme)


async def test_pages_of_the_first_run_suit_a_phone(browser: Browser, tmp_path: Path) -> None:
    async with embedded_redis(tmp_path / "redis") as url, a_site(url, tmp_path) as site:
        await put_graded(site.pages)
        await site.begin_live()
        await site.settle("/", AT, SKILL)
        async with watched(browser, site.base) as there:
            await there.look(390, "light")
            for name, path in WITH_ONE.items():
                await there.visit(path)
                await check(there, f"1-{name}", 390, "light")


async def test_pages_before_the_first_run_has_ended_suit_a_screen(
    browser: Browser, tmp_path: Path
) -> None:
    async with (
        embedded_redis(tmp_path / "redis") as url,
        a_site(url, tmp_path) as site,
        watched(browser, site.base) as there,
    ):
        await there.look(1280, "dark")
        for name, path in WITH_NONE.items():
            if name == "live":
                await site.begin_live()
            await there.visit(path)
            await check(there, f"0-{name}", 1280, "dark")
        await there.visit(SKILL)
        await there.photograph("0-skill-1280-dark")
        assert await there.find_faults() == []
        await expect(there.page.get_by_role("heading", name="Not here")).to_be_visible()
        assert all("404" in one for one in there.trouble), "a skill without runs has no page"


async def test_the_sign_in_suits_every_screen_and_everybody(
    browser: Browser, tmp_path: Path
) -> None:
    async with (
        embedded_redis(tmp_path / "redis") as url,
        a_site(url, tmp_path, **SIGNED_OUT) as site,
        watched(browser, site.base) as there,
    ):
        await there.visit("/sign-in")
        button = there.page.get_by_role("link", name="Sign in with GitHub")
        assert await button.get_attribute("href") == "/sign-in/github"
        for width, scheme in LOOKS:
            await check(there, "sign-in", width, scheme)
        assert await there.tab_through() == ([], [])


@pytest.mark.parametrize("name", PAGES)
async def test_the_keyboard_reaches_everything_that_acts_and_shows_where_it_is(
    browser: Browser, large: Site, name: str
) -> None:
    async with watched(browser, large.base) as there:
        await there.visit(PAGES[name])
        unreached, unseen = await there.tab_through()
        assert unreached == [], told(unreached)
        assert unseen == [], told(unseen)
        assert there.trouble == []


async def test_pages_are_whole_without_a_script(browser: Browser, large: Site) -> None:
    still = {name: path for name, path in PAGES.items() if name != "live"}
    async with (
        watched(browser, large.base) as with_script,
        watched(browser, large.base, java_script_enabled=False) as without,
    ):
        for name, path in still.items():
            await with_script.visit(path)
            await without.visit(path)
            assert await without.page.evaluate(LED) == await with_script.page.evaluate(LED), name
            assert await without.page.evaluate(SAID) == await with_script.page.evaluate(SAID), name
        assert with_script.trouble == without.trouble == []


async def test_an_update_of_a_run_is_on_open_pages_at_once(browser: Browser, large: Site) -> None:
    await large.begin_live()
    async with (
        watched(browser, large.base) as run,
        watched(browser, large.base) as overview,
    ):
        await run.visit(LIVE)
        await overview.visit("/")
        listed = overview.page.get_by_role("region", name="Running now")
        for turns in (7, 8, 9):
            large.turn(turns)
            expected = f"{turns} turns of 100"
            await expect(run.page.locator("main")).to_contain_text(expected, timeout=ARRIVES_MS)
            await expect(listed).to_contain_text(f"{turns + 34} turns", timeout=ARRIVES_MS)
        assert run.trouble == overview.trouble == []


async def test_what_is_focused_or_being_pressed_stays_while_a_run_goes_on(
    browser: Browser, large: Site
) -> None:
    await large.begin_live()
    async with watched(browser, large.base) as overview:
        await overview.visit("/")
        listed = overview.page.get_by_role("region", name="Running now")
        link = listed.get_by_role("link")
        await link.focus()
        large.turn(7)
        await expect(listed).to_contain_text("41 turns", timeout=ARRIVES_MS)
        await expect(link).to_be_focused()
        await link.hover()
        await overview.page.mouse.down()
        large.turn(8)
        await expect(listed).to_contain_text("42 turns", timeout=ARRIVES_MS)
        await overview.page.mouse.up()
        await overview.page.wait_for_url(f"**{LIVE}")
