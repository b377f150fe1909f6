"""A run that goes on, in a real browser: its page changes by itself, and becomes the ended one."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from jobs.live_sessions import LiveSession, LiveState
from jobs.values import Arm
from tests.bot.browser import CHROMIUM, Tab, open_tab
from tests.bot.web_pages.ledger_seed import put_records, some_records
from tests.bot.web_pages.live_seed import (
    ADDRESS,
    HOSTILE,
    RUN,
    LiveStage,
    a_head,
    a_move,
    a_reading,
    an_arm,
    live_stage,
)
from tests.bot.web_pages.test_in_browser import PAPER, TEXT, WIDTHS, find_faults

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

WAIT_S = 30.0
STATES: dict[str, LiveState] = {
    "running": "running",
    "judging": "judging",
    "cancelled": "cancelled",
}
FLASH = "getComputedStyle(document.querySelector('.going > .dot')).animationName"


@pytest.fixture
async def stage(redis_url: str) -> AsyncIterator[LiveStage]:
    async with live_stage(redis_url) as made:
        yield made


async def until(tab: Tab, expression: str, holds: Callable[[Any], bool]) -> Any:
    """Wait until a script's value is as wanted; each look waits for the browser."""
    found = None
    try:
        async with asyncio.timeout(WAIT_S):
            while not holds(found := await tab.evaluate(expression)):
                pass
    except TimeoutError:
        raise AssertionError(f"{expression} was never so, but: {found}") from None
    return found


async def shown(stage: LiveStage, session: LiveSession | None = None) -> None:
    """Wait until Redis has what was told last."""
    if session is not None:
        stage.writer.show(RUN, session)
    while True:
        run = await stage.reader.look(RUN)
        if run is not None and (session is None or session in run.sessions):
            return


@pytest.mark.parametrize("state", ["preparing", "running", "judging", "cancelled", "hostile"])
async def test_a_run_fits_every_screen_and_keeps_nobody_out(
    stage: LiveStage, tmp_path: Path, state: str
) -> None:
    if state in {"preparing", "hostile"}:
        name = HOSTILE * 12 if state == "hostile" else "github-issue-21"
        stage.writer.begin(a_head().model_copy(update={"eval_id": name, "skill": name}))
        stage.writer.move(RUN, a_move("preparing" if state == "preparing" else "running", name))
        if state == "hostile":
            await shown(
                stage, an_arm(Arm.WITH_SKILL, 1, 3, tools={"x" * 40: 9_000_000}, doing=name)
            )
    else:
        stage.show_second_trial()
        if state == "judging":
            stage.writer.show(RUN, a_reading(1, 2))
        stage.writer.move(RUN, a_move(STATES[state], "trial 2 of 3"))
    await shown(stage)
    base, papers = str(stage.client.base_url), set()
    async with open_tab(tmp_path / "profile") as tab:
        for width, height in ((1280, 1000), (390, 844)):
            for scheme in ("light", "dark"):
                await tab.look_like(width=width, height=height, scheme=scheme)
                await tab.visit(base + ADDRESS)
                papers.add(await tab.evaluate(PAPER))
                page_width, window = await tab.evaluate(WIDTHS)
                assert page_width <= window == width, "the page itself scrolls sideways"
                (tmp_path / f"{state}-{width}-{scheme}.png").write_bytes(await tab.photograph())
                assert await find_faults(tab) == []
    assert len(papers) == 2
    assert all(url.startswith(base) for url in tab.requests)
    assert tab.complaints == []


async def test_the_page_changes_by_itself_and_becomes_the_page_of_the_ended_run(
    stage: LiveStage, tmp_path: Path
) -> None:
    stage.show_second_trial()
    await shown(stage)
    async with open_tab(tmp_path / "profile") as tab:
        await tab.visit(f"{stage.client.base_url}{ADDRESS}")
        said = "document.querySelector('[data-said]').textContent"
        await until(tab, said, lambda text: text == "Running, trial 2 of 3.")
        assert "6 turns of 100" in await tab.evaluate(TEXT)
        clock = "document.querySelector('.tiles .clock').textContent"
        first = await tab.evaluate(clock)
        await until(tab, clock, lambda text: text != first)
        stage.writer.show(RUN, an_arm(Arm.WITH_SKILL, 2, 7, doing="WebFetch"))
        await until(tab, TEXT, lambda text: "7 turns of 100" in text and "runs WebFetch" in text)
        assert await tab.evaluate(said) == "Running, trial 2 of 3.", "a turn is no milestone"
        stage.writer.show(RUN, an_arm(Arm.WITH_SKILL, 2, 8, end="completed"))
        await until(tab, said, lambda text: "With the skill: finished" in text)
        stage.writer.show(RUN, a_reading(1, 2))
        stage.writer.move(RUN, a_move("judging", "trial 2 of 3"))
        await until(tab, TEXT, lambda text: "First order" in text)
        assert tab.loads == 1
        record = some_records(1)[0].model_copy(update={"run": RUN, "repo": "acme/skills"})
        await put_records(stage.redis, [record])
        stage.writer.move(RUN, a_move("ended"))
        await tab.wait_for_loads(2)
        assert await tab.evaluate("document.querySelector('[data-live]')") is None
        assert "Scorecard" in await tab.evaluate(TEXT)
    assert tab.complaints == []


@pytest.mark.parametrize("path", ["/", "/repos/acme/skills"])
async def test_what_runs_now_appears_moves_and_goes_without_loading(
    stage: LiveStage, tmp_path: Path, path: str
) -> None:
    await put_records(stage.redis, some_records(8))
    async with open_tab(tmp_path / "profile") as tab:
        await tab.look_like(width=1280, height=900, scheme="light")
        await tab.visit(f"{stage.client.base_url}{path}")
        assert "Running now" not in await tab.evaluate(TEXT)
        stage.show_second_trial()
        shown_now = await until(tab, TEXT, lambda text: "Running now" in text)
        assert "running, trial 2 of 3" in shown_now
        assert "40 turns" in shown_now
        link = "document.querySelector('.runs-now a').getAttribute('href')"
        assert await tab.evaluate(link) == ADDRESS
        assert await find_faults(tab) == []
        (tmp_path / "running.png").write_bytes(await tab.photograph())
        stage.writer.show(RUN, an_arm(Arm.WITH_SKILL, 2, 7))
        await until(tab, TEXT, lambda text: "41 turns" in text)
        stage.writer.move(RUN, a_move("ended"))
        await until(tab, TEXT, lambda text: "Running now" not in text)
        assert tab.loads == 1
    assert tab.complaints == []


async def test_without_script_the_page_of_a_run_loads_itself_anew(
    stage: LiveStage, tmp_path: Path
) -> None:
    stage.show_second_trial()
    await shown(stage)
    async with open_tab(tmp_path / "profile") as tab:
        await tab.call("Emulation.setScriptExecutionDisabled", value=True)
        await tab.visit(f"{stage.client.base_url}{ADDRESS}")
        await shown(stage, an_arm(Arm.WITH_SKILL, 2, 7))
        await tab.wait_for_loads(2)
        await tab.call("Emulation.setScriptExecutionDisabled", value=False)
        assert "7 turns" in await tab.evaluate(TEXT)


async def test_nothing_moves_for_who_wants_no_motion(stage: LiveStage, tmp_path: Path) -> None:
    stage.show_second_trial()
    await shown(stage)
    async with open_tab(tmp_path / "profile") as tab:
        await tab.visit(f"{stage.client.base_url}{ADDRESS}")
        assert await tab.evaluate(FLASH) == "breathe"
        wish = {"name": "prefers-reduced-motion", "value": "reduce"}
        await tab.call("Emulation.setEmulatedMedia", features=[wish])
        assert await tab.evaluate(FLASH) == "none"
