"""A worker dies at the worst moment: another goes on, and nobody pays twice."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path

from pydantic import SecretStr
from redis.asyncio import Redis

from bot.store.budget import RedisBudget
from config.settings import Settings
from demo.model_api import Asked, Gate, Reply, ScriptedModelApi, Stall
from jobs.judging.prompt import SYSTEM as JUDGE_SYSTEM
from jobs.planning.rows import CARRIED_ON
from tests.canaries import is_about_canaries
from tests.money import spent_today
from tests.stories.scene import Scene, playing


def is_judging(asked: Asked) -> bool:
    return JUDGE_SYSTEM in asked.system


def is_reading_outputs(asked: Asked) -> bool:
    """Whether a judge reads what sessions left, and no canaries."""
    return is_judging(asked) and not is_about_canaries(asked)


def environment_of(settings: Settings) -> dict[str, str]:
    """The settings as the variables of a process."""
    variables = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[2])}
    for name, definition in Settings.model_fields.items():
        value = getattr(settings, name)
        text = value.get_secret_value() if isinstance(value, SecretStr) else str(value)
        alias = definition.validation_alias
        key = f"SKILLBENCH_{name}".upper() if alias is None else name.upper()
        if not key.endswith("TIMEOUT"):
            variables[key] = text
    return variables


@asynccontextmanager
async def worker(environment: Mapping[str, str]) -> AsyncIterator[asyncio.subprocess.Process]:
    """A worker process of its own, gone at the end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", "worker", env=environment,
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def test_a_killed_worker_is_replaced_and_no_session_is_paid_twice(
    tmp_path: Path, app_key: str
) -> None:
    """Kill -9 while the judge reads: the sessions are there already, the report comes once."""
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
        async with worker(environment):
            await scene.label_gone(1)
        assert len(scene.reports(1)) == 1
        assert sessions(scene) == paid
        living, _ = scene.bot_comments(1)
        assert CARRIED_ON in living
        assert await counted_for_the_day(scene) >= scene.stage.settings.max_usd_per_run / 10


async def test_a_stopped_worker_hands_its_run_back_at_once(tmp_path: Path, app_key: str) -> None:
    """SIGTERM, as in every deployment: the next worker goes on without waiting for a lease."""
    gate = Gate()
    api = ScriptedModelApi()
    api.fail(Stall(gate=gate), times=1, when=lambda asked: not is_judging(asked))
    async with playing(tmp_path, app_key, model_api=api, worker=False) as scene:
        environment = environment_of(scene.stage.settings)
        async with worker(environment) as first:
            scene.label(1)
            await asyncio.wait_for(gate.reached.wait(), 120)
            first.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(first.wait(), 90) == 0
        async with worker(environment):
            await scene.label_gone(1)
        assert len(scene.reports(1)) == 1


async def test_an_ungraded_run_is_not_paid_again_because_its_report_came_late(
    tmp_path: Path, app_key: str
) -> None:
    """What was found is kept, though it is no score: only publishing is left to do."""
    api = ScriptedModelApi()
    api.script(Reply(text="No verdict of mine."), when=is_judging, forever=True)
    async with playing(tmp_path, app_key, model_api=api, worker=False) as scene:
        environment = environment_of(scene.stage.settings)
        async with worker(environment) as first:
            scene.label(1)
            await scene.until(lambda: bool(scene.bot_comments(1)), "the acknowledgement")
            gate = scene.github.faults.hold(on="POST */comments")
            await asyncio.wait_for(gate.reached.wait(), 60)
            paid = len(api.requests)
            first.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(first.wait(), 30) == 0
        scene.github.faults.clear()
        async with worker(environment):
            await scene.label_gone(1)
        assert len(api.requests) == paid
        [report] = scene.reports(1)
        assert "Not graded" in report


async def counted_for_the_day(scene: Scene) -> Decimal:
    """What the day has cost: a judge's pass that was lost counts with all it might have spent."""
    settings = scene.stage.settings
    async with Redis.from_url(settings.redis_url) as redis:
        return await spent_today(RedisBudget(redis, per_day=settings.max_usd_per_day))


def sessions(scene: Scene) -> int:
    """How many requests the sessions under test have made."""
    return sum(not is_judging(asked) for asked in scene.stage.model_api.requests)
