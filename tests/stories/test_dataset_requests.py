"""Runs of the operator's own datasets, as the bot's pages ask for them: carried on, run again."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from redis.asyncio import Redis

from bot.blobs import Blobs
from bot.queues import enqueue
from bot.store.live_datasets import RedisLiveRuns
from demo.model_api import Asked, HttpError, Reply, ScriptedModelApi
from demo.model_api.steps import Step
from jobs.datasets.keeping import FOLDER, DatasetKeeping
from jobs.datasets.live import ENDED, LiveState
from jobs.requests import WEB, DatasetOptions, Request
from tests.stories.scene import WAIT_S, Scene, playing
from tests.stories.test_cancel import MODEL, MODELS
from tests.stories.test_datasets import a_case, answering, is_case

FIRST, SECOND = "aaaaaaaaaaaa", "bbbbbbbbbbbb"


def write_suite(scene: Scene, cases: int) -> None:
    """The operator puts a suite into the data folder."""
    suite = scene.stage.settings.data_dir / "datasets" / "capitals"
    suite.mkdir(parents=True)
    lines = [json.dumps(a_case(number)) for number in range(cases)]
    (suite / "sample.jsonl").write_text("\n".join(lines))


@dataclass(frozen=True, slots=True)
class Asking:
    """Asks as the pages do, and waits as they do: told, not polling."""

    redis: Redis
    live: RedisLiveRuns
    keeping: DatasetKeeping

    async def ask(self, run_id: str, **options: object) -> None:
        named = DatasetOptions(benchmark="capitals", dataset="sample", run_id=run_id)
        now = datetime.now(UTC)
        request = Request(
            key=f"web:{run_id}:{now.timestamp()}",
            kind="dataset",
            repo=WEB,
            issue=0,
            asker="maria",
            origin="web",
            models=() if options.get("resume") or options.get("again_of") else (MODEL,),
            dataset=named.model_copy(update={"target_type": "llm_api", **options}),
            asked_at=now,
        )
        assert await enqueue(self.redis, request)

    async def report(self, run_id: str) -> dict[str, Any]:
        """The report of a run that has ended."""
        stored = await self.keeping.blobs.get(f"{FOLDER}/{run_id}/report.json")
        found: dict[str, Any] = json.loads(stored or b"")
        return found

    async def ended(self, run_id: str) -> LiveState:
        async with asyncio.timeout(WAIT_S):
            while (run := await self.live.look(run_id)) is None or run.state not in ENDED:
                await asyncio.sleep(0.05)
            return run.state

    async def done(self, run_id: str, cases: int) -> None:
        """Wait until so many cases have ended."""
        async with asyncio.timeout(WAIT_S):
            while (run := await self.live.look(run_id)) is None or run.done < cases:
                await asyncio.sleep(0.05)


@asynccontextmanager
async def asking(scene: Scene) -> AsyncIterator[Asking]:
    settings = scene.stage.settings
    async with Redis.from_url(settings.redis_url) as redis:
        yield Asking(redis, RedisLiveRuns(redis), DatasetKeeping(Blobs(settings.blobs)))


async def test_a_run_that_was_cancelled_goes_on_with_what_is_missing(
    tmp_path: Path, app_key: str
) -> None:
    api = answering(latency_s=0.3)
    async with (
        playing(tmp_path, app_key, model_api=api, judge_model=MODEL) as scene,
        asking(scene) as pages,
    ):
        write_suite(scene, 60)
        await pages.ask(FIRST, parallel=4)
        await pages.done(FIRST, 8)
        await pages.live.cancel(FIRST, "maria")
        assert await pages.ended(FIRST) == "cancelled"
        assert await pages.keeping.get_state(FIRST) == "cancelled"
        report = await pages.report(FIRST)
        ended = {one["id"] for one in report["cases"]}
        assert 8 <= len(ended) < 60
        before = len(api.requests)

        await pages.ask(FIRST, resume=True)
        await pages.done(FIRST, 60)
        assert await pages.ended(FIRST) == "complete"
        later = [one.prompt for one in api.requests[before:]]
        assert len(later) == len(set(later)) == 60 - len(ended)
        report = await pages.report(FIRST)
        assert (report["pass_count"], report["missing_count"]) == (60, 0)


async def test_what_was_ungraded_is_run_again_in_a_run_of_its_own(
    tmp_path: Path, app_key: str
) -> None:
    is_sick = True

    def answer(asked: Asked) -> Step:
        word = asked.prompt.rpartition(" ")[2]
        if is_sick and word in {"word1", "word3"}:
            return HttpError(status=400, type="invalid_request_error")
        return Reply(text=word)

    api = ScriptedModelApi(models=MODELS)
    api.script(answer, when=is_case, forever=True)
    async with (
        playing(tmp_path, app_key, model_api=api, judge_model=MODEL) as scene,
        asking(scene) as pages,
    ):
        write_suite(scene, 6)
        await pages.ask(FIRST)
        assert await pages.ended(FIRST) == "complete"
        report = await pages.report(FIRST)
        assert (report["graded_count"], report["ungraded_count"]) == (4, 2)
        is_sick = False
        before = len(api.requests)
        await pages.ask(SECOND, again_of=FIRST)
        assert await pages.ended(SECOND) == "complete"
        assert len(api.requests) == before + 2
        report = await pages.report(SECOND)
        assert (report["graded_count"], report["pass_count"]) == (6, 6)


async def test_a_file_that_has_changed_ends_the_run_that_is_carried_on(
    tmp_path: Path, app_key: str
) -> None:
    """The answer names both files by what they hold; nothing is asked of the model."""
    api = answering(latency_s=0.3)
    async with (
        playing(tmp_path, app_key, model_api=api, judge_model=MODEL) as scene,
        asking(scene) as pages,
    ):
        write_suite(scene, 40)
        await pages.ask(FIRST, parallel=2)
        await pages.done(FIRST, 2)
        await pages.live.cancel(FIRST, "maria")
        assert await pages.ended(FIRST) == "cancelled"
        asked = len(api.requests)
        plan = await pages.keeping.get_plan(FIRST)
        assert plan is not None
        data = scene.stage.settings.data_dir / "datasets" / "capitals" / "sample.jsonl"
        data.write_text(json.dumps(a_case(1)))
        await pages.ask(FIRST, resume=True)
        word = scene.stage.settings.data_dir / "blobs" / "datasets" / FIRST / "word.md"
        await scene.until(lambda: word.exists() and plan.digest in word.read_text(), "the refusal")
        assert len(api.requests) == asked
