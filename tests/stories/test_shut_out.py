"""GitHub shuts the bot out for a while, or out of the files alone: nobody is left unanswered."""

import asyncio
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

from redis.asyncio import Redis

from bot.blobs import Blobs
from bot.queues import REQUESTS
from demo.model_api import Asked, Gate, ScriptedModelApi, Stall
from demo.play import PERSON
from tests.bot.working import settled
from tests.stories.scene import WAIT_S, playing
from tests.stories.test_cancel import MODEL, MODELS, spent
from tests.stories.test_crash import is_judging
from tests.stories.test_leaving import running
from tests.stories.test_moved_places import endings
from tests.stories.test_outage import empty_redis, put_back


def is_working(asked: Asked) -> bool:
    return not is_judging(asked)


async def test_an_app_that_may_not_read_files_says_so_on_the_issue(
    tmp_path: Path, app_key: str
) -> None:
    """403 on the tarball alone: the issue is there, so whoever asked can be told."""
    async with playing(tmp_path, app_key) as scene:
        words = "Resource not accessible by integration"
        scene.github.faults.answer(403, on="GET */tarball/*", times=None, message=words)
        scene.label(1)
        await scene.label_gone(1)
        [said] = scene.bot_comments(1)
        assert "Contents (read)" in said
        assert scene.stage.model_api.requests == []
        assert scene.reactions(1) == ["eyes", "confused"]


async def test_a_result_of_a_suspended_installation_is_posted_when_it_is_back(
    tmp_path: Path, app_key: str
) -> None:
    """Suspended within a run, unheard: kept, and posted once, without another call of a model."""
    async with running(tmp_path, app_key) as (scene, gate):
        blobs = Blobs(scene.stage.settings.blobs)
        scene.github.suspend("sample-org", is_told=False)  # who hears of it stops the run at once
        gate.released.set()
        async with Redis.from_url(scene.stage.settings.redis_url) as redis:
            await settled(redis, REQUESTS)
        assert [one async for one in blobs.walk("late")]
        paid = len(scene.stage.model_api.requests)
        scene.github.suspend("sample-org", is_suspended=False)
        await put_back(scene, after=timedelta(hours=1))
        await scene.label_gone(1)
        # the scan at the start may have asked for the same once more; that finds the label gone
        async with asyncio.timeout(WAIT_S):
            while [one async for one in blobs.walk("late")]:
                await put_back(scene, after=timedelta(hours=13))
                await asyncio.sleep(0.2)
        assert len(scene.reports(1)) == 1
        assert "Finished: 1 report" in scene.bot_comments(1)[0]
        assert len(scene.stage.model_api.requests) == paid


async def test_a_request_whose_issue_is_deleted_while_it_is_cancelled_has_ended(
    tmp_path: Path, app_key: str
) -> None:
    """Nobody can be told; whoever found it unfinished would carry it out after all."""
    async with running(tmp_path, app_key) as (scene, gate):
        scene.repository.unlabel(1, "needs-benchmark", by=PERSON)
        scene.repository.delete_issue(1, by=PERSON)
        outcome = 'skillbench_requests_total{outcome="cancelled"} 1.0'
        async with asyncio.timeout(WAIT_S):
            while outcome not in await scene.get("/metrics"):
                await asyncio.sleep(0.05)
        gate.released.set()
        [reason] = endings(tmp_path)
        assert "is not there any more" in reason


async def test_an_old_delivery_of_a_label_that_was_taken_off_cancels_nothing(
    tmp_path: Path, app_key: str
) -> None:
    """Redelivered under the same id, after Redis has forgotten it, while the label is on."""
    api, gate = ScriptedModelApi(), Gate()
    api.fail(Stall(gate=gate), times=1, when=is_working)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        hook, secret = f"{scene.stage.bot_url}/webhook", scene.stage.settings
        scene.github.set_webhook("http://127.0.0.1:9/webhook", "shut")
        scene.label(1)
        scene.repository.unlabel(1, "needs-benchmark", by=PERSON)
        await scene.github.deliveries_done()
        stale = scene.github.deliveries[-1]
        scene.github.set_webhook(hook, secret.github_webhook_secret.get_secret_value())
        scene.label(1)
        await asyncio.wait_for(gate.reached.wait(), WAIT_S)
        scene.github.redeliver(stale)
        await scene.github.deliveries_done()
        gate.released.set()
        await scene.label_gone(1)
        assert len(scene.reports(1)) == 1
        assert not any("Cancelled" in said for said in scene.bot_comments(1))


async def test_a_run_that_breaks_gives_back_what_was_set_aside(
    tmp_path: Path, app_key: str
) -> None:
    """A defect of ours after the first session: the day loses what was spent and no more."""
    api, gate = ScriptedModelApi(models=MODELS), Gate()
    api.fail(Stall(gate=gate), times=1, when=is_working)
    async with playing(tmp_path, app_key, model_api=api, model=MODEL) as scene:
        scene.label(1)
        await asyncio.wait_for(gate.reached.wait(), WAIT_S)
        assert await spent(scene) == Decimal(5)
        [begun] = (tmp_path / "data/blobs/runs").glob("*/with_skill-1.begun")
        (begun.parent / "pass-1.json").write_text("not what a judge said")
        gate.released.set()
        await scene.label_gone(1)
        assert "failed" in scene.bot_comments(1)[0]
        assert await spent(scene) < Decimal(1)


async def test_what_a_run_costs_is_counted_though_redis_was_emptied_within_it(
    tmp_path: Path, app_key: str
) -> None:
    """The day's other runs are forgotten with Redis; this one has still to be told."""
    api, gate = ScriptedModelApi(models=MODELS), Gate()
    api.fail(Stall(gate=gate), times=1, when=is_working)
    async with playing(tmp_path, app_key, model_api=api, model=MODEL) as scene:
        scene.label(1)
        await asyncio.wait_for(gate.reached.wait(), WAIT_S)
        await empty_redis(scene)
        gate.released.set()
        await scene.label_gone(1)
        assert len(scene.reports(1)) == 1
        assert Decimal(0) < await spent(scene) < Decimal(1)
