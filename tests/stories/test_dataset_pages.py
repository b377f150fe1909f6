"""A dataset is asked for on the bot's own pages: begun, watched, repeated, refused, cancelled."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from bot.cli.serving import run_worker
from demo.model_api import Asked, HttpError, Reply, ScriptedModelApi
from demo.model_api.steps import Step
from jobs.alongside import alongside
from tests.stories.scene import Scene, playing
from tests.stories.test_cancel import MODEL, MODELS
from tests.stories.test_datasets import a_case, answering, is_case

WAIT_S = 60


def put_dataset(scratch: Path, cases: int) -> None:
    """A dataset in the operator's own folder."""
    suite = scratch / "data/datasets/capitals"
    suite.mkdir(parents=True)
    (suite / "metadata.json").write_text(json.dumps({"target": {"type": "llm_api"}}))
    lines = [json.dumps(a_case(number)) for number in range(cases)]
    (suite / "sample.jsonl").write_text("\n".join(lines))


@dataclass(frozen=True, slots=True)
class Browser:
    """Somebody at the machine."""

    client: httpx.AsyncClient
    scene: Scene

    async def press(self, page: str, path: str, **fields: str) -> str:
        """Send a form of a page; gives the address that it leads to."""
        shown = (await self.client.get(page)).text
        key = re.search(r'name="key" value="(\w+)"', shown)
        assert key is not None, shown
        answer = await self.client.post(path, data=fields | {"key": key[1]})
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    async def begin(self, **fields: str) -> str:
        asked = {"dataset": "capitals/sample", "model": MODEL} | fields
        return await self.press("/tasks/new", "/tasks", **asked)

    async def until(self, address: str, holds: Callable[[str], bool]) -> str:
        """Load a page anew until it shows something; gives its HTML."""
        page = ""
        try:
            async with asyncio.timeout(WAIT_S):
                while not holds(page):
                    await asyncio.sleep(0.05)
                    page = (await self.client.get(address)).raise_for_status().text
        except TimeoutError:
            raise AssertionError(f"{address} never showed it, but:\n{page}") from None
        return page


@asynccontextmanager
async def at_the_machine(
    scratch: Path, app_key: str, api: ScriptedModelApi, *, worker: bool = True
) -> AsyncIterator[Browser]:
    async with (
        playing(scratch, app_key, model_api=api, judge_model=MODEL, worker=worker) as scene,
        httpx.AsyncClient(base_url=scene.stage.bot_url, timeout=30) as client,
    ):
        yield Browser(client, scene)


def has_ended(page: str) -> bool:
    return "Report as JSON" in page


async def test_a_run_is_begun_on_a_page_and_its_report_stands_there(
    tmp_path: Path, app_key: str
) -> None:
    put_dataset(tmp_path, 12)
    api = answering(wrong=3)
    async with at_the_machine(tmp_path, app_key, api) as browser:
        address = await browser.begin(limit="11", parallel="4", system_prompt="Be brief.")
        page = await browser.until(address, has_ended)
        assert "pass rate 90.9%" in page
        assert "10 of 11; 11 of 11 cases graded." in page
        assert "parity:even" in page
        assert len(api.requests) == 11
        report = (await browser.client.get(f"{address}/report.json")).json()
        assert report["runtime_target"]["system_prompt"] == "Be brief."
        assert [case["id"] for case in report["cases"]] == [f"case-{n}" for n in range(11)]
        case = (await browser.client.get(f"{address}/case?id=case-3")).text
        assert "Please say word3" in case
        assert "no idea" in case
        assert "capitals/sample" in (await browser.client.get("/tasks")).text
        # nobody is told on GitHub of what was asked for here
        assert browser.scene.bot_comments(1) == []


async def test_what_cannot_be_run_is_refused_on_its_page(tmp_path: Path, app_key: str) -> None:
    put_dataset(tmp_path, 2)
    async with at_the_machine(tmp_path, app_key, answering()) as browser:
        address = await browser.begin(ids="case-1, case-9")
        page = await browser.until(address, lambda page: "It was not begun" in page)
        assert "capitals/sample has no case `case-9`" in page
        assert "refused" in (await browser.client.get("/tasks")).text


async def test_a_run_is_cancelled_and_resumed_with_nothing_repeated(
    tmp_path: Path, app_key: str
) -> None:
    put_dataset(tmp_path, 30)
    go_on = asyncio.Event()

    def answer(asked: Asked) -> Step:
        word = asked.prompt.rpartition(" ")[2]
        is_slow = int(word.removeprefix("word")) >= 10 and not go_on.is_set()
        return Reply(text=word, latency_s=60.0 if is_slow else 0.0)

    api = ScriptedModelApi(models=MODELS)
    api.script(answer, when=is_case, forever=True)
    async with at_the_machine(tmp_path, app_key, api) as browser:
        address = await browser.begin(parallel="5")
        await browser.until(address, lambda page: "10 of 30" in page)
        await browser.press(address, f"{address}/cancel")
        page = await browser.until(address, has_ended)
        assert "cancelled" in page
        assert "10 of 30 cases graded" in page
        go_on.set()
        before = len(api.requests)
        assert await browser.press(address, f"{address}/resume") == address
        page = await browser.until(address, lambda page: "30 of 30 cases graded" in page)
        assert len(api.requests) - before == 20
        assert "complete" in page


async def test_what_is_cancelled_before_a_worker_comes_asks_no_model(
    tmp_path: Path, app_key: str
) -> None:
    put_dataset(tmp_path, 3)
    api = answering()
    async with at_the_machine(tmp_path, app_key, api, worker=False) as browser:
        address = await browser.begin()
        await browser.press(address, f"{address}/cancel")
        async with alongside(run_worker(browser.scene.stage.settings, tmp_path / "work")):
            await browser.until(address, lambda page: 'class="state cancelled"' in page)
    assert not api.requests


async def test_what_is_ungraded_is_run_again_by_a_button(tmp_path: Path, app_key: str) -> None:
    """The new run holds all cases; only the one that the model refused is asked once more."""
    put_dataset(tmp_path, 6)
    refusing = asyncio.Event()
    refusing.set()

    def answer(asked: Asked) -> Step:
        word = asked.prompt.rpartition(" ")[2]
        if word == "word4" and refusing.is_set():
            return HttpError(400, "invalid_request_error", "not this one")
        return Reply(text=word)

    api = ScriptedModelApi(models=MODELS)
    api.script(answer, when=is_case, forever=True)
    async with at_the_machine(tmp_path, app_key, api) as browser:
        first = await browser.begin()
        page = await browser.until(first, has_ended)
        assert "5 of 6 cases graded" in page
        assert "Ungraded, and in no average: 1 case, the target gave no answer." in page
        refusing.clear()
        before = len(api.requests)
        again = await browser.press(first, f"{first}/rerun")
        assert again != first
        page = await browser.until(again, has_ended)
        assert "6 of 6 cases graded" in page
        assert len(api.requests) - before == 1
        assert "5 of 6 cases graded" in (await browser.client.get(first)).text
