"""Somebody watches runs go on: turns, tools and tokens as the sessions come to them."""

import asyncio
import re
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from demo.model_api import Asked, Gate, ScriptedModelApi, Stall
from demo.model_api.behaviour import behave
from tests.bot.sse import WAIT_S, Watcher, text_of, watching
from tests.jobs.claude_code.sessions import real_cli
from tests.stories.scene import Scene, playing
from tests.stories.test_cancel import MODEL, MODELS, cancelled, lacks_skill
from tests.stories.test_crash import environment_of, is_judging, is_reading_outputs, worker

PRICED: dict[str, Any] = {"model": MODEL, "judge_model": MODEL}


class Held:
    """A model whose answers are held back at gates, each once, until a test opens it."""

    def __init__(self) -> None:
        self.api = ScriptedModelApi(models=MODELS)

    def at(self, when: Callable[[Asked], bool]) -> Gate:
        gate = Gate()
        self.api.fail(lambda asked: Stall(gate=gate, reply=behave(asked)), times=1, when=when)
        return gate

    def at_turn(self, turn: int) -> Gate:
        """Of the session without the skill, which takes three."""
        return self.at(lambda asked: lacks_skill(asked) and asked.turn == turn)


async def reached(gate: Gate) -> None:
    await asyncio.wait_for(gate.reached.wait(), WAIT_S)


def visiting(scene: Scene) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=scene.stage.bot_url, timeout=WAIT_S)


async def find_run(client: httpx.AsyncClient) -> str:
    """The address of the run that goes on, from what runs now."""
    async with watching(client, "/running/events") as watcher:
        news = await watcher.until(lambda text: "running" in text, within_s=WAIT_S)
    found = re.search(r'href="(/repos/[^"]+)"', news["parts"]["running"])
    assert found is not None
    return found[1]


def shows(text: str, turns: int, tool: str) -> bool:
    """Whether the arm without the skill is shown with so many turns and calls of a tool."""
    of_arm = text.partition("Without it ")[2]
    words = "turn" if turns == 1 else "turns"
    return f" {turns} {words} of " in of_arm and tool in of_arm


async def watch_turns(watcher: Watcher, turns: list[Gate]) -> None:
    """Open one gate after the other: each answer is seen soon after it has come."""
    for turn, gate in enumerate(turns):
        await reached(gate)
        tool = f"Bash {turn}" if turn else "No tool was called yet"
        await watcher.until(partial(shows, turns=turn, tool=tool))
        gate.released.set()


@pytest.mark.parametrize("launcher", ["api", "claude-code"])
async def test_a_run_is_watched_from_its_first_turn_to_its_end(
    tmp_path: Path, app_key: str, launcher: str
) -> None:
    held = Held()
    turns = [held.at_turn(turn) for turn in range(3)]
    reading = held.at(is_reading_outputs)
    async with (
        playing(
            tmp_path, app_key, model_api=held.api,
            launcher=launcher, claude_binary=str(real_cli().binary), **PRICED,
        ) as scene,
        visiting(scene) as client,
    ):  # fmt: skip
        scene.label(1)
        await reached(turns[0])
        address = await find_run(client)
        async with watching(client, f"{address}/events") as watcher:
            await watch_turns(watcher, turns)
            await reached(reading)
            news = await watcher.until(
                lambda text: "Judge Reads" in text and "reads, answer 1" in text
            )
            assert "With the skill: finished. Without it: finished." in news["said"]
            assert re.search(r"cost so far \$0\.\d\d", text_of(news))
            page = (await client.get(address)).raise_for_status().text
            assert f'data-live="{address}/events"' in page
            assert "Judging" in page
            reading.released.set()
            assert await watcher.ended() == "ended"
        page = (await client.get(address)).raise_for_status().text
        assert "data-live" not in page
        assert "Scorecard" in page
        await scene.label_gone(1)
        [report] = scene.reports(1)
        assert address.rpartition("/")[2] in report


async def test_a_run_that_is_cancelled_says_so_to_who_watches_it(
    tmp_path: Path, app_key: str
) -> None:
    held = Held()
    turns = [held.at_turn(0), held.at_turn(1)]
    async with (
        playing(tmp_path, app_key, model_api=held.api, **PRICED) as scene,
        visiting(scene) as client,
    ):
        scene.label(1)
        await reached(turns[0])
        address = await find_run(client)
        async with watching(client, f"{address}/events") as watcher:
            turns[0].released.set()
            await reached(turns[1])
            scene.comment(1, "@skillbench cancel")
            assert await watcher.ended() == "cancelled"
        await cancelled(scene, 1)
        page = (await client.get(address)).raise_for_status().text
        assert "by maria" in page
        assert "data-live" not in page


async def test_a_killed_worker_is_missed_and_its_run_is_watched_on(
    tmp_path: Path, app_key: str
) -> None:
    held = Held()
    gate, reading = held.at_turn(1), held.at(is_judging)
    async with (
        playing(tmp_path, app_key, model_api=held.api, worker=False, **PRICED) as scene,
        visiting(scene) as client,
    ):
        environment = environment_of(scene.stage.settings)
        async with worker(environment) as first:
            scene.label(1)
            await reached(gate)
            address = await find_run(client)
            first.send_signal(signal.SIGKILL)
            await first.wait()
        async with watching(client, f"{address}/events") as watcher:
            news = await watcher.until(lambda text: "not heard of" in text, within_s=WAIT_S)
            assert "Without it interrupted" in re.sub(r" \d+:\d\d", "", text_of(news))
            async with watching(client, "/running/events") as running:
                await running.until(lambda text: not text)
            async with worker(environment):
                await reached(reading)
                news = await watcher.until(lambda text: "judging" in text, within_s=WAIT_S)
                # what the first worker's session had done is there, with its tools
                assert "With the skill: calls of tools Read 1 Bash 1" in text_of(news)
                reading.released.set()
                assert await watcher.ended() == "ended"
                await scene.label_gone(1)
        assert len(scene.reports(1)) == 1


async def test_the_comment_leads_to_the_page_while_the_run_goes_on(
    tmp_path: Path, app_key: str
) -> None:
    held = Held()
    gate = held.at_turn(0)
    pages: dict[str, Any] = {"public_url": "https://bot.example", "public_pages": True}
    link = "[watch it live](https://bot.example/repos/sample-org/skills/runs/"
    async with playing(tmp_path, app_key, model_api=held.api, **PRICED, **pages) as scene:
        scene.label(1)
        await reached(gate)
        await scene.until(lambda: link in scene.bot_comments(1)[0], "the link")
        gate.released.set()
        await scene.label_gone(1)
        assert not any("watch it live" in body for body in scene.bot_comments(1))
