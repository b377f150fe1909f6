"""One browser for all that is looked at here, and one server with thousands of runs."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright

from bot.embedded_redis import embedded_redis
from tests.bot.browser import CHROMIUM
from tests.bot.dashboard.site import Site, a_site, put_many

ARGUMENTS = (
    "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    """The distribution's own Chromium."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    async with async_playwright() as driver:
        started = await driver.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield started
        await started.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def large(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    """A server with 5,000 runs, figures made; some of its requests wait, run and failed."""
    folder = tmp_path_factory.mktemp("large")
    async with embedded_redis(folder / "redis") as url, a_site(url, folder) as site:
        await put_many(site)
        yield site
