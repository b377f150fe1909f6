"""Two people ask for the same run, and its worker dies: one run, paid once, two answers."""

import asyncio
import signal
from pathlib import Path

from redis.asyncio import Redis

from bot.queues import REQUESTS, now_ms
from demo.model_api import Gate, ScriptedModelApi, Stall
from tests.stories.scene import playing
from tests.stories.test_crash import environment_of, is_judging, sessions, worker

HOUR_MS = 3_600_000


async def test_a_twin_carries_on_the_run_of_a_worker_that_was_lost(
    tmp_path: Path, app_key: str
) -> None:
    """Whichever of the two requests comes to it first, the sessions are there already."""
    gate = Gate()
    api = ScriptedModelApi()
    api.fail(Stall(gate=gate), times=1, when=is_judging)
    async with playing(tmp_path, app_key, model_api=api, worker=False) as scene:
        environment = environment_of(scene.stage.settings)
        async with worker(environment) as first:
            scene.label(1)
            await asyncio.wait_for(gate.reached.wait(), 120)
            paid = sessions(scene)
            first.send_signal(signal.SIGKILL)
            await first.wait()
        async with (
            Redis.from_url(scene.stage.settings.redis_url) as redis,
            worker(environment),
        ):
            [request] = await redis.zrange(REQUESTS, 0, -1)
            await redis.zadd(REQUESTS, {request: now_ms() + HOUR_MS})  # the other comes first
            asked = scene.comment(1, "@skillbench run")
            await scene.reacted(1, asked, "rocket")
            assert len(scene.reports(1)) == 1
            await redis.zadd(REQUESTS, {request: now_ms()})
            await scene.label_gone(1)
        assert len(scene.reports(1)) == 1
        assert sessions(scene) == paid
