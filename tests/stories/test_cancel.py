"""A benchmark is called off: nothing of it runs on, one comment says so, nothing is paid twice."""

import asyncio
import os
import signal
from contextlib import AsyncExitStack
from decimal import Decimal
from pathlib import Path

import pytest
from redis.asyncio import Redis

from bot.queues import REQUESTS
from bot.store.budget import RedisBudget
from demo.model_api import (
    CLAUDE_LIKE,
    DEMO_MODELS,
    Asked,
    Call,
    Gate,
    Reply,
    ScriptedModelApi,
    Stall,
)
from demo.model_api.behaviour import behave
from demo.model_api.steps import Step
from tests.jobs.claude_code.sessions import real_cli
from tests.money import spent_today
from tests.stories.scene import WAIT_S, Scene, playing
from tests.stories.test_crash import (
    environment_of,
    is_judging,
    is_reading_outputs,
    sessions,
    worker,
)

MODEL = "claude-sonnet-4-6"
"""It has a price, other than the demo's own."""
MODELS = (*DEMO_MODELS, *CLAUDE_LIKE)
SLEEP = f"sleep 4711.{os.getpid()}"
"""A command that nobody else on this machine runs."""


def has_skill(asked: Asked) -> bool:
    """Whether a request is of the session that has the skill."""
    return not is_judging(asked) and "csv-profile" in asked.prompt


def lacks_skill(asked: Asked) -> bool:
    return not is_judging(asked) and not has_skill(asked)


def sleep_long(asked: Asked) -> Step:
    """Both sessions start a command that takes longer than any test."""
    if is_judging(asked) or asked.turn > 0:
        return behave(asked)
    return Reply(calls=(Call("Bash", {"command": SLEEP}),))


def sleepers() -> int:
    """How many processes of this machine run the long command."""
    count = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        count += words[:2] == [part.encode() for part in SLEEP.split()]
    return count


async def spent(scene: Scene) -> Decimal:
    async with Redis.from_url(scene.stage.settings.redis_url) as redis:
        return await spent_today(RedisBudget(redis, per_day=Decimal(50)))


async def cancelled(scene: Scene, issue: int, by: str = "maria") -> str:
    """Wait for the one comment that says so, and give it."""
    words = f"### 🛑 Cancelled by {by}"
    await scene.until(
        lambda: any(words in body for body in scene.bot_comments(issue)), "the cancel"
    )
    [body] = scene.bot_comments(issue)
    return body


@pytest.mark.parametrize("launcher", ["api", "claude-code"])
async def test_a_command_stops_sessions_of_another_process_within_seconds(
    tmp_path: Path, app_key: str, launcher: str
) -> None:
    """Two workers: whichever runs it, its commands are killed, and the label comes off."""
    api = ScriptedModelApi(behaviour=sleep_long, models=MODELS)
    binary = str(real_cli().binary)
    async with playing(
        tmp_path, app_key, model_api=api, worker=False,
        model=MODEL, launcher=launcher, claude_binary=binary,
    ) as scene:  # fmt: skip
        environment = environment_of(scene.stage.settings)
        async with worker(environment), worker(environment):
            scene.label(1)
            await scene.until(lambda: sleepers() == 2, "the two long commands")
            assert await spent(scene) == Decimal(5)
            comment = scene.comment(1, "@skillbench cancel")
            async with asyncio.timeout(10):
                while sleepers():
                    await asyncio.sleep(0.05)
            await scene.label_gone(1)
            said = await cancelled(scene, 1)
            assert "🛑 cancelled" in said
            assert scene.reactions(1, comment) == ["+1"]
            assert scene.reactions(1) == ["eyes", "confused"]
            assert scene.repository.labels(1) == []
            assert Decimal(0) < await spent(scene) < Decimal("0.2")
            assert scene.reports(1) == []


async def test_a_label_taken_off_cancels_and_put_on_again_pays_only_what_is_missing(
    tmp_path: Path, app_key: str
) -> None:
    """The session that had ended is taken over; what it cost is counted once."""
    api, gate = ScriptedModelApi(models=MODELS), Gate()
    api.fail(Stall(gate=gate), times=1, when=lacks_skill)
    async with playing(tmp_path, app_key, model_api=api, model=MODEL) as scene:
        scene.label(1)
        await asyncio.wait_for(gate.reached.wait(), WAIT_S)
        bundles = scene.stage.settings.data_dir / "blobs" / "left"
        await scene.until(lambda: len(list(bundles.glob("*/*"))) == 1, "the first session")
        scene.repository.unlabel(1, "needs-benchmark", by="maria")
        await cancelled(scene, 1)
        before = await spent(scene)
        assert Decimal(0) < before < Decimal("0.2")
        asked = [one for one in api.requests if has_skill(one)]

        scene.label(1)
        await scene.label_gone(1)
        assert len(scene.reports(1)) == 1
        assert "### Finished: 1 report" in scene.bot_comments(1)[1]
        assert scene.repository.labels(1) == ["benchmarked"]
        assert [one for one in api.requests if has_skill(one)] == asked
        assert before < await spent(scene) < before + Decimal("0.5")
        assert list(bundles.glob("*/*")) == []


async def test_a_request_that_waits_is_cancelled_and_never_starts(
    tmp_path: Path, app_key: str
) -> None:
    api, gate = ScriptedModelApi(models=MODELS), Gate()
    api.fail(Stall(gate=gate), times=1, when=lambda asked: not is_judging(asked))
    async with playing(tmp_path, app_key, model_api=api, max_requests_overall=1) as scene:
        scene.label(1)
        await asyncio.wait_for(gate.reached.wait(), WAIT_S)
        first = scene.comment(2, "@skillbench run scripted-demo")
        async with Redis.from_url(scene.stage.settings.redis_url) as redis, asyncio.timeout(WAIT_S):
            while await redis.zcard(REQUESTS) < 2:
                await asyncio.sleep(0.02)
        second = scene.comment(2, "@skillbench cancel")
        said = await cancelled(scene, 2)
        assert "before it started" in said
        assert scene.reactions(2, second) == ["+1"]
        await scene.reacted(2, first, "confused")
        gate.released.set()
        await scene.label_gone(1)
        assert len(scene.reports(1)) == 1
        assert scene.reports(2) == []


async def test_a_cancelled_request_of_a_killed_worker_is_not_taken_up(
    tmp_path: Path, app_key: str
) -> None:
    """Nobody knows what its sessions had spent, so as much as they might is counted."""
    api, gate = ScriptedModelApi(models=MODELS), Gate()
    api.fail(Stall(gate=gate), times=1, when=lambda asked: not is_judging(asked))
    async with playing(tmp_path, app_key, model_api=api, worker=False, model=MODEL) as scene:
        environment = environment_of(scene.stage.settings)
        async with worker(environment) as first:
            scene.label(1)
            await asyncio.wait_for(gate.reached.wait(), 120)
            first.send_signal(signal.SIGKILL)
            await first.wait()
        paid = sessions(scene)
        scene.comment(1, "@skillbench cancel")
        async with worker(environment):
            await scene.label_gone(1)
        await cancelled(scene, 1)
        assert sessions(scene) == paid
        assert Decimal(2) <= await spent(scene) <= Decimal(4)


async def test_a_stranger_cancels_nothing(tmp_path: Path, app_key: str) -> None:
    """Nor does somebody with read access, unless they asked themselves."""
    api, gate = ScriptedModelApi(models=MODELS), Gate()
    api.fail(Stall(gate=gate), times=1, when=lambda asked: not is_judging(asked))
    async with playing(tmp_path, app_key, model_api=api) as scene:
        scene.github.add_person("passer-by")
        scene.label(1)
        await asyncio.wait_for(gate.reached.wait(), WAIT_S)
        scene.comment(1, "@skillbench cancel", by="passer-by")
        await scene.until(lambda: len(scene.bot_comments(1)) == 2, "the answer")
        assert "nothing to cancel" in scene.bot_comments(1)[1]
        gate.released.set()
        await scene.label_gone(1)
        assert len(scene.reports(1)) == 1


async def test_two_who_ask_for_the_same_at_once_are_answered_by_one_run(
    tmp_path: Path, app_key: str
) -> None:
    """A label and a command, two workers: one run is paid, each asker gets an answer."""
    api, gate = ScriptedModelApi(models=MODELS), Gate()
    api.fail(Stall(gate=gate), times=1, when=lambda asked: not is_judging(asked))
    async with (
        playing(tmp_path, app_key, model_api=api, worker=False, max_concurrent_requests=1) as scene,
        AsyncExitStack() as workers,
    ):
        scene.github.add_person("hubot", {"sample-org/skills": "write"})
        environment = environment_of(scene.stage.settings)
        for _ in range(2):
            await workers.enter_async_context(worker(environment))
        scene.label(1)
        comment = scene.comment(1, "@skillbench run scripted-demo", by="hubot")
        await asyncio.wait_for(gate.reached.wait(), 120)
        await scene.until(lambda: len(scene.bot_comments(1)) == 2, "both acknowledgements")
        gate.released.set()
        await scene.label_gone(1)
        await scene.reacted(1, comment, "rocket")
        [report] = scene.reports(1)
        living = [body for body in scene.bot_comments(1) if body != report]
        assert len(living) == 2
        assert sum("⏭️ done before" in body for body in living) == 1
        assert all("[report](" in body for body in living)
        assert "rocket" in scene.reactions(1)
        assert len([one for one in api.requests if is_reading_outputs(one)]) == 2
        starts = [one for one in api.requests if not is_judging(one) and one.turn == 0]
        assert len(starts) == 2
