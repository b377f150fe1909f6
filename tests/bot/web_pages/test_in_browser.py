"""The pages in a real browser: on a screen and on a phone, with script and without."""

import json
from pathlib import Path

import pytest

from bot.store.words import word_key
from jobs.datasets.live import LiveCase, end_of
from tests.bot.browser import CHROMIUM, Tab, open_tab
from tests.bot.web_pages.seeded import (
    CANCELLED,
    ENDED,
    HOSTILE,
    ODD_ID,
    RUNNING,
    Seeded,
    some_results,
)
from tests.jobs.datasets.given import NOON

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

AXE = Path(__file__).parents[2] / "npm/node_modules/axe-core/axe.min.js"
ODD = "a%2F..%2Fb%3Fc%3Dd%26e%23f%20%F0%9F%92%8A"
PAGES = {
    "tasks": "/tasks",
    "new": "/tasks/new",
    "ended": f"/tasks/{ENDED}",
    "running": f"/tasks/{RUNNING}",
    "case": f"/tasks/{ENDED}/case?id={ODD}",
    "lost": f"/tasks/{ENDED}/case?id=lost",
    "compare": f"/tasks/compare?a={ENDED}&b={CANCELLED}",
    "nothing": "/tasks/dddddddddddd",
}
WIDTHS = "[document.documentElement.scrollWidth, innerWidth]"
PAPER = "getComputedStyle(document.body).backgroundColor"
TEXT = "document.body.innerText"
FAULTS = (
    "axe.run().then(r => JSON.stringify(r.violations"
    ".filter(v => ['serious', 'critical'].includes(v.impact))"
    ".map(v => [v.id, v.nodes.map(n => n.html.slice(0, 200))])))"
)


async def find_faults(tab: Tab) -> list[object]:
    """What axe-core finds that keeps somebody out."""
    await tab.evaluate(AXE.read_text(encoding="utf-8"))
    answer = await tab.call(
        "Runtime.evaluate", expression=FAULTS, awaitPromise=True, returnByValue=True
    )
    faults: list[object] = json.loads(answer["result"]["value"])
    return faults


@pytest.mark.parametrize("name", PAGES)
async def test_a_page_fits_every_screen_asks_nobody_and_keeps_nobody_out(
    pages: Seeded, tmp_path: Path, name: str
) -> None:
    base = str(pages.client.base_url)
    papers = set()
    async with open_tab(tmp_path / "profile") as tab:
        for width, height in ((1280, 900), (390, 844)):
            for scheme in ("light", "dark"):
                await tab.look_like(width=width, height=height, scheme=scheme)
                await tab.visit(base + PAGES[name])
                papers.add(await tab.evaluate(PAPER))
                page_width, window = await tab.evaluate(WIDTHS)
                assert page_width <= window == width, "the page itself scrolls sideways"
                (tmp_path / f"{name}-{width}-{scheme}.png").write_bytes(await tab.photograph())
                assert await find_faults(tab) == []
        assert await tab.evaluate("document.title") != "run"
        if name == "case":
            assert HOSTILE.rstrip("\u202e") in await tab.evaluate(TEXT)
    assert len(papers) == 2, "light and dark are styled, so the style sheet was let in"
    assert all(url.startswith(base) for url in tab.requests)
    assert [one for one in tab.complaints if "404" not in one or name != "nothing"] == []


async def test_a_run_is_watched_to_its_end_without_loading_the_page(
    pages: Seeded, tmp_path: Path
) -> None:
    async with open_tab(tmp_path / "profile") as tab:
        await tab.visit(f"{pages.client.base_url}/tasks/{RUNNING}")
        assert "20 of 70" in await tab.evaluate(TEXT)
        await pages.live.turned(RUNNING, LiveCase(id=ODD_ID, turn=2, since=NOON))
        ended = some_results()[21]
        await pages.keeping.put_case(RUNNING, ended)
        await pages.live.ended(RUNNING, end_of(ended))
        while "21 of 70" not in await tab.evaluate(TEXT):
            pass  # each look waits for the browser
        result = (
            "[...document.querySelectorAll('[data-cases] tr')]"
            f".find(row => row.innerText.startsWith('{ended.id}'))"
            "?.querySelector('.result').innerText"
        )
        while await tab.evaluate(result) != "fail":
            pass  # the list of cases follows, too
        assert "turn 2" in await tab.evaluate(TEXT)
        links = "[...document.querySelectorAll('[data-flight] a')].map(a => a.getAttribute('href'))"
        assert f"/tasks/{RUNNING}/case?id={ODD}" in await tab.evaluate(links)
        assert await tab.evaluate("document.querySelector('progress').value") == 21
        assert tab.loads == 1
        await pages.keeping.put_state(RUNNING, "cancelled")
        await pages.live.set_state(RUNNING, "cancelled")
        await tab.wait_for_loads(2)
        assert "cancelled" in await tab.evaluate(TEXT)
        assert await tab.evaluate("document.querySelector('[data-events]')") is None
    assert tab.complaints == []


async def test_without_script_the_page_loads_itself_anew(pages: Seeded, tmp_path: Path) -> None:
    async with open_tab(tmp_path / "profile") as tab:
        await tab.call("Emulation.setScriptExecutionDisabled", value=True)
        await tab.visit(f"{pages.client.base_url}/tasks/{RUNNING}")
        await pages.live.ended(RUNNING, end_of(some_results()[21]))
        await tab.wait_for_loads(2)
        await tab.call("Emulation.setScriptExecutionDisabled", value=False)
        assert "21 of 70" in await tab.evaluate(TEXT)


async def test_a_task_is_begun_from_the_form_by_keyboard_alone(
    pages: Seeded, tmp_path: Path
) -> None:
    async with open_tab(tmp_path / "profile") as tab:
        await tab.visit(f"{pages.client.base_url}/tasks/new")
        await tab.evaluate("document.getElementById('dataset').focus()")
        await press(tab, "h")  # the first that begins so
        assert await tab.evaluate("document.getElementById('dataset').value") == (
            "healthbench/sample"
        )
        await tab.evaluate("document.getElementById('limit').focus()")
        await press(tab, "2")
        await press(tab, "Enter", text="\r")
        await tab.wait_for_loads(2)
        assert "A worker will plan it" in await tab.evaluate(TEXT)
        assert await find_faults(tab) == []
        run_id = (await tab.evaluate("location.pathname")).rpartition("/")[2]
        await pages.keeping.blobs.put(word_key(run_id), b"there is no money left")
        await tab.wait_for_loads(3)  # by itself
        assert "there is no money left" in await tab.evaluate(TEXT)
    assert tab.complaints == []


async def test_the_first_stop_of_the_keyboard_leads_past_the_navigation(
    pages: Seeded, tmp_path: Path
) -> None:
    async with open_tab(tmp_path / "profile") as tab:
        await tab.visit(f"{pages.client.base_url}/tasks")
        await press(tab, "Tab", text="")
        assert await tab.evaluate("document.activeElement.textContent") == "Skip to the content"
        await press(tab, "Enter", text="\r")
        assert await tab.evaluate("document.activeElement.id") == "content"


async def press(tab: Tab, key: str, *, text: str | None = None) -> None:
    """Press a key, as a person does."""
    code = {"Tab": 9, "Enter": 13}.get(key, ord(key.upper()[0]))
    typed = key if text is None else text
    event = {"key": key, "windowsVirtualKeyCode": code} | ({"text": typed} if typed else {})
    await tab.call("Input.dispatchKeyEvent", type="keyDown", **event)
    await tab.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)
