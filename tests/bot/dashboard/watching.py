"""A page in Playwright that notes whatever goes wrong on it, and ways to look at it closely."""

import json
import os
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

from playwright.async_api import Browser, ConsoleMessage, Page, Request, Response

ROOT = Path(__file__).parents[3]
AXE = ROOT / "tests/npm/node_modules/axe-core/axe.min.js"
PICTURES = Path(os.environ.get("SKILLBENCH_SCREENSHOTS") or ROOT / "build/screenshots")
"""Where pictures of all pages stay."""
MOST_TOLD = 200
"""Characters of an element."""
WAIT_MS = 60_000
"""For anything at all: other programs may need the machine, too."""

Scheme = Literal["light", "dark"]
LOOKS: tuple[tuple[int, Scheme], ...] = (
    (1280, "light"), (1280, "dark"), (390, "dark"), (390, "light"),
)  # fmt: skip
"""Widths and colour schemes, in an order in which one thing changes at a time."""

FAULTS = """() => axe.run().then(found => found.violations
    .filter(one => ['serious', 'critical'].includes(one.impact))
    .map(one => [one.id, one.nodes.map(node => node.html.slice(0, 200))]))"""
SIDEWAYS = "() => document.documentElement.scrollWidth - innerWidth"
UNFOLD = """() => [...document.querySelectorAll('details:not([open])')]
    .forEach(one => { one.open = one.wasFolded = true; })"""
FOLD = """() => [...document.querySelectorAll('details')].filter(one => one.wasFolded)
    .forEach(one => { one.open = one.wasFolded = false; })"""
LET_LOAD = """async (longest) => {
    const images = [...document.images].filter(one => one.checkVisibility());
    for (const one of images) one.loading = 'eager';
    const wanted = (one) => {
        const sources = [...(one.closest('picture')?.querySelectorAll('source') ?? [])];
        const found = sources.find(source => matchMedia(source.media).matches);
        return new URL(found?.getAttribute('srcset') ?? one.getAttribute('src'), location).href;
    };
    const lacks = (one) => !one.complete || !one.naturalWidth || one.currentSrc !== wanted(one);
    const end = Date.now() + longest;
    while (images.some(lacks) && Date.now() < end) await new Promise(requestAnimationFrame);
    return images.filter(lacks).map(wanted);
}"""
"""Addresses of the pictures that are wanted for this screen and not shown."""
ACTING = """() => {
    const kinds = 'a[href], button, input:not([type=hidden]), select, textarea, summary';
    const all = [...document.querySelectorAll(kinds)];
    const shown = all.filter(one => !one.disabled
        && one.checkVisibility({visibilityProperty: true, contentVisibilityAuto: false}));
    return shown.map(one => one.outerHTML);
}"""
FOCUSED = """() => {
    const one = document.activeElement;
    const style = getComputedStyle(one);
    const box = one.getBoundingClientRect();
    return [one.outerHTML, style.outlineStyle !== 'none' && style.outlineWidth !== '0px',
        box.width > 0 && box.bottom > 0 && box.top < innerHeight];
}"""
SAID = r"""() => {
    document.querySelectorAll('.clock').forEach(one => { one.textContent = ''; });
    return document.querySelector('main').innerText.replace(/\s+/g, ' ').trim();
}"""
"""All words of a page, without clocks that go on."""
LED = "() => [...document.querySelectorAll('main a')].map(one => one.getAttribute('href'))"


class Watched:
    """A page, and everything that it asked for and complained of."""

    def __init__(self, page: Page, base: str) -> None:
        self.page = page
        self.trouble: list[str] = []
        """What a browser's console shows in red or yellow, policies that were broken, questions
        that failed or went to another host.
        """
        self._base = base
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.trouble.append(f"script: {error}"))
        page.on("request", self._on_request)
        page.on("requestfailed", self._on_failure)
        page.on("response", self._on_response)

    async def visit(self, path: str) -> None:
        await self.page.goto(self._base + path, timeout=WAIT_MS)

    async def look(self, width: int, scheme: Scheme) -> None:
        """Be a screen of this width, of somebody who prefers this colour scheme."""
        await self.page.set_viewport_size({"width": width, "height": 900})
        await self.page.emulate_media(color_scheme=scheme)

    async def photograph(self, name: str) -> None:
        """Keep the whole page as a picture, once its own pictures are there."""
        missing = await self.page.evaluate(LET_LOAD, WAIT_MS)
        assert missing == [], f"pictures are missing: {missing}"
        PICTURES.mkdir(parents=True, exist_ok=True)
        await self.page.screenshot(path=PICTURES / f"{name}.png", full_page=True, timeout=WAIT_MS)

    async def unfold(self) -> None:
        await self.page.evaluate(UNFOLD)

    async def fold(self) -> None:
        """Fold again what was unfolded."""
        await self.page.evaluate(FOLD)

    async def find_faults(self) -> Any:
        """What axe-core finds that keeps somebody out."""
        if not await self.page.evaluate("() => 'axe' in window"):
            await self.page.evaluate(AXE.read_text(encoding="utf-8"))
        return await self.page.evaluate(FAULTS)

    async def sideways(self) -> Any:
        """Pixels by which the page itself is wider than the window."""
        return await self.page.evaluate(SIDEWAYS)

    async def tab_through(self) -> tuple[Sequence[str], Sequence[str]]:
        """Press Tab from the top of the page to its end.

        Gives what acts and was never reached, and what was reached and could not be seen so.
        """
        left: Counter[str] = Counter(await self.page.evaluate(ACTING))
        unseen: list[str] = []
        for _ in range(2 * left.total() + 20):
            await self.page.keyboard.press("Tab")
            html, is_outlined, is_in_sight = await self.page.evaluate(FOCUSED)
            if not (is_outlined and is_in_sight) and not html.startswith("<body"):
                unseen.append(html[:MOST_TOLD])
            left -= Counter([html])
            if not left:
                break
        return [html[:MOST_TOLD] for html in left], unseen

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.trouble.append(f"console: {message.text}")

    def _on_request(self, request: Request) -> None:
        if not request.url.startswith(self._base):
            self.trouble.append(f"asked elsewhere: {request.url}")

    def _on_failure(self, request: Request) -> None:
        # what a page listens to ends when it is left, and so does what it was about to load
        if request.failure != "net::ERR_ABORTED":
            self.trouble.append(f"failed: {request.url} {request.failure}")

    def _on_response(self, response: Response) -> None:
        if response.status >= 400:
            self.trouble.append(f"answered {response.status}: {response.url}")


@asynccontextmanager
async def watched(browser: Browser, base: str, **options: Any) -> AsyncIterator[Watched]:
    """A page in a browser of somebody who was never here before."""
    context = await browser.new_context(**options)
    context.set_default_timeout(WAIT_MS)
    try:
        yield Watched(await context.new_page(), base)
    finally:
        await context.close()


def told(found: object) -> str:
    """What was found, to be read."""
    return json.dumps(found, indent=1)
