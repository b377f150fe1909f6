"""A run of a dataset that several workers share: cancelled, and lost with them again and again."""

import asyncio
import re
import signal
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from demo.model_api import Asked, Gate, Reply, ScriptedModelApi, Stall
from demo.model_api.steps import Step
from tests.stories.scene import Scene, playing
from tests.stories.test_cancel import MODEL, MODELS
from tests.stories.test_crash import environment_of, worker
from tests.stories.test_datasets import ASK, is_case, report_of, with_dataset

STOPS_WITHIN_S = 10.0
"""Two seconds are promised; a machine under load is given five times as long."""
AT_ONCE = 6


class Waiters(asyncio.Event):
    """Counts who waits: an answer that nobody waits for any more is counted no longer."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    async def wait(self) -> Any:
        self.count += 1
        try:
            return await super().wait()
        finally:
            self.count -= 1


def silent(waiters: Waiters) -> ScriptedModelApi:
    """A model that answers no case as long as it is waited for."""
    gate = Gate()
    gate.released = waiters
    api = ScriptedModelApi(models=MODELS)
    api.script(lambda _: Stall(gate=gate), when=is_case, forever=True)
    return api


async def press_cancel(scene: Scene) -> None:
    """Press the button on the run's page, as somebody at the machine."""
    async with httpx.AsyncClient(base_url=scene.stage.bot_url, timeout=30) as client:
        listed = re.findall(r'href="(/tasks/[0-9a-f]{12})"', (await client.get("/tasks")).text)
        page = listed[0]
        key = re.search(r'name="key" value="(\w+)"', (await client.get(page)).text)
        assert key is not None
        answer = await client.post(f"{page}/cancel", data={"key": key[1]})
        assert answer.status_code == 303, answer.text


@pytest.mark.parametrize("way", ["command", "page"])
async def test_a_cancel_ends_what_is_under_way_in_every_worker(
    tmp_path: Path, app_key: str, way: str
) -> None:
    """The first worker may carry out one request of a repository, so the second has the other."""
    seed = with_dataset(tmp_path, 100, max_concurrency=AT_ONCE)
    waiters = Waiters()
    async with playing(
        tmp_path, app_key, seed=seed, model_api=silent(waiters), judge_model=MODEL, worker=False
    ) as scene:
        variables = environment_of(scene.stage.settings)
        limit = "SKILLBENCH_MAX_REQUESTS_PER_REPOSITORY"
        async with AsyncExitStack() as workers:
            await workers.enter_async_context(worker(variables | {limit: "1"}))
            asked = scene.comment(1, ASK)
            await scene.until(lambda: waiters.count == AT_ONCE, "the first chunk")
            await workers.enter_async_context(worker(variables | {limit: "2"}))
            await scene.until(lambda: waiters.count == 2 * AT_ONCE, "the second chunk")
            if way == "page":
                await press_cancel(scene)
            else:
                scene.comment(1, "@skillbench cancel")
            async with asyncio.timeout(STOPS_WITHIN_S):
                while waiters.count:
                    await asyncio.sleep(0.05)
            await scene.reacted(1, asked, "confused")
        assert len(scene.stage.model_api.requests) == 2 * AT_ONCE
        whole = await report_of(scene)
        assert (whole["state"], whole["missing_count"]) == ("cancelled", 100)


@pytest.mark.slow  # each lost worker is noticed once its lease has run out
async def test_cases_that_workers_are_lost_with_are_given_up_and_the_run_ends(
    tmp_path: Path, app_key: str
) -> None:
    """Kill -9 three times in the first chunk; the second is run, and the report says all."""
    waiters, gate = Waiters(), Gate()
    gate.released = waiters

    def answer(asked: Asked) -> Step:
        word = asked.prompt.rpartition(" ")[2]
        is_deadly = int(word.removeprefix("word")) < 50
        return Stall(gate=gate) if is_deadly else Reply(text=word)

    api = ScriptedModelApi(models=MODELS)
    api.script(answer, when=is_case, forever=True)
    seed = with_dataset(tmp_path, 60, max_concurrency=4)
    async with playing(
        tmp_path, app_key, seed=seed, model_api=api, judge_model=MODEL, worker=False
    ) as scene:
        variables = environment_of(scene.stage.settings)
        blobs = scene.stage.settings.data_dir / "blobs" / "datasets"
        asked = scene.comment(1, ASK)
        for _ in range(3):
            async with worker(variables) as lost:
                await scene.until(lambda: waiters.count > 0, "a case of the first chunk")
                await scene.until(lambda: len(list(blobs.glob("*/chunks/1"))) == 1, "the second")
                lost.send_signal(signal.SIGKILL)
                await lost.wait()
            await scene.until(lambda: waiters.count == 0, "the end of its connections")
        begun = len([one for one in api.requests if _number(one) < 50])
        async with worker(variables):
            await scene.reacted(1, asked, "confused")
        assert len([one for one in api.requests if _number(one) < 50]) == begun
        report = scene.bot_comments(1)[-1]
        assert "3 workers were lost with the same cases, which are not begun again" in report
        whole = await report_of(scene)
        assert (whole["state"], whole["pass_count"]) == ("failed", 10)
        assert (whole["missing_count"], whole["ungraded_count"]) == (50, 0)


@pytest.mark.slow  # each lost worker is noticed once its lease has run out
async def test_cases_that_get_on_are_not_given_up_however_many_workers_are_lost(
    tmp_path: Path, app_key: str
) -> None:
    """Kill -9 four times, each time after one more case has ended; the fifth runs the rest."""
    waiters, gate = Waiters(), Gate()
    gate.released = waiters
    answered = 1

    def answer(asked: Asked) -> Step:
        number = _number(asked)
        return Reply(text=f"word{number}") if number < answered else Stall(gate=gate)

    api = ScriptedModelApi(models=MODELS)
    api.script(answer, when=is_case, forever=True)
    seed = with_dataset(tmp_path, 6, max_concurrency=1)
    async with playing(
        tmp_path, app_key, seed=seed, model_api=api, judge_model=MODEL, worker=False
    ) as scene:
        variables = environment_of(scene.stage.settings)
        asked = scene.comment(1, ASK)
        for _ in range(4):
            async with worker(variables) as lost:
                await scene.until(lambda: waiters.count > 0, "a case that is not answered")
                lost.send_signal(signal.SIGKILL)
                await lost.wait()
            await scene.until(lambda: waiters.count == 0, "the end of its connections")
            answered += 1
        answered = 6
        async with worker(variables):
            await scene.reacted(1, asked, "rocket")
        whole = await report_of(scene)
        assert (whole["state"], whole["pass_count"]) == ("complete", 6)
        asked_for = sorted(_number(one) for one in api.requests)
        assert asked_for == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5]


def _number(asked: Asked) -> int:
    return int(asked.prompt.rpartition("word")[2])
