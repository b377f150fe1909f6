"""Measurements in trouble: killed, cancelled, asked for twice; nothing is paid for again."""

import asyncio
import signal
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.blobs import Blobs
from bot.wiring import wired
from demo.model_api import Gate, HttpError, ScriptedModelApi, Stall
from jobs.errors import Transient
from jobs.late import late_key
from jobs.planning.rows import CARRIED_ON
from jobs.requests import Repo, Request
from tests.stories.scene import WAIT_S, NoPacing, Scene, playing
from tests.stories.test_crash import environment_of, worker
from tests.stories.triggers import (
    MODEL,
    MODELS,
    TRIGGER,
    ask,
    is_control,
    queries,
    reports,
    spent,
)


async def test_a_killed_worker_is_replaced_and_no_session_that_ended_is_repeated(
    tmp_path: Path, app_key: str
) -> None:
    """Kill -9 in the middle: what was seen is kept, the report comes once."""
    api, gate = ScriptedModelApi(models=MODELS), Gate()
    api.fail(Stall(gate=gate), when=lambda asked: "last two commits" in asked.prompt)
    async with playing(
        tmp_path, app_key, model_api=api, worker=False, model=MODEL, queries_at_once=1
    ) as scene:
        environment = environment_of(scene.stage.settings)
        async with worker(environment) as first:
            scene.comment(2, f"{TRIGGER} --runs-per-query 1")
            await asyncio.wait_for(gate.reached.wait(), 120)
            first.send_signal(signal.SIGKILL)
            await first.wait()
        assert len(queries(scene)) == 9
        async with worker(environment):
            await scene.until(lambda: len(reports(scene)) == 1, "the report")
            await scene.until(lambda: "Finished" in scene.bot_comments(2)[0], "the end")
        asked = [one.prompt for one in queries(scene)]
        assert len(asked) == 11
        assert len(set(asked)) == 10
        assert sum(is_control(one) and not one.turn for one in api.requests) == 2
        assert CARRIED_ON in scene.bot_comments(2)[0]
        assert "Sessions ended with their worker" in reports(scene)[0]


async def test_two_who_ask_for_the_same_at_once_share_one_measurement(
    tmp_path: Path, app_key: str
) -> None:
    """One bill, two answers; also where the worker of the first one is lost."""
    api, gate = ScriptedModelApi(), Gate()
    api.fail(Stall(gate=gate), when=lambda asked: "last two commits" in asked.prompt)
    async with playing(tmp_path, app_key, model_api=api, worker=False, queries_at_once=1) as scene:
        environment = environment_of(scene.stage.settings)
        async with worker(environment) as first:
            scene.comment(2, f"{TRIGGER} --runs-per-query 1")
            await asyncio.wait_for(gate.reached.wait(), 120)
            scene.comment(1, f"{TRIGGER} --runs-per-query 1")
            await scene.until(lambda: bool(scene.bot_comments(1)), "the second acknowledgement")
            first.send_signal(signal.SIGKILL)
            await first.wait()
        async with worker(environment):
            await scene.until(
                lambda: all("Finished" in scene.bot_comments(one)[0] for one in (1, 2)), "both ends"
            )
            living = [scene.bot_comments(one)[0] for one in (1, 2)]
        assert len(reports(scene, 1)) + len(reports(scene, 2)) == 1
        assert sum("measured before" in body for body in living) == 1
        assert all("[report](" in body for body in living)
        assert len(queries(scene)) == 11


def a_trigger(scene: Scene) -> Request:
    """What a comment asks for, to be carried out by hand."""
    return Request(
        key="comment:sample-org/skills:1:1",
        kind="trigger",
        repo=Repo(owner="sample-org", name="skills", installation_id=scene.github.installation_id),
        issue=2,
        asker="maria",
        origin="comment",
        skill="release-notes",
        asked_at=datetime.now(UTC),
    )


async def test_a_platform_that_stays_away_is_said_and_nothing_stays_set_aside(
    tmp_path: Path, app_key: str
) -> None:
    """No session could be carried out: no verdict about anything, and no money."""
    api = ScriptedModelApi()
    broken = HttpError(status=400, type="invalid_request_error", message="not today")
    api.fail(broken, times=1_000)
    async with playing(tmp_path, app_key, model_api=api, worker=False) as scene:
        request = a_trigger(scene)
        async with wired(scene.stage.settings, tmp_path / "wired", pacer=NoPacing()) as wiring:
            with pytest.raises(Transient, match="control sessions"):
                await wiring.carry_out(request, last_try=False)
            assert await spent(scene) > 0
            await wiring.carry_out(request, last_try=True)
        assert "control sessions could not be carried out" in scene.bot_comments(2)[-1]
        assert await spent(scene) == 0


async def test_a_report_that_github_would_not_take_is_kept_and_costs_nothing_more(
    tmp_path: Path, app_key: str
) -> None:
    """After the last try it waits in the store; whoever carries it out again only posts."""
    async with playing(tmp_path, app_key, worker=False) as scene:
        request = a_trigger(scene)
        async with wired(scene.stage.settings, tmp_path / "wired", pacer=NoPacing()) as wiring:
            carrying_out = asyncio.create_task(wiring.carry_out(request, last_try=True))
            await scene.until(lambda: bool(scene.bot_comments(2)), "the acknowledgement")
            scene.github.faults.answer(502, on="POST */comments", times=None)
            await asyncio.wait_for(carrying_out, 120)
            assert reports(scene) == []
            assert await Blobs(scene.stage.settings.blobs).exists(late_key(request))
            paid = len(scene.stage.model_api.requests)
            scene.github.faults.clear()
            await wiring.carry_out(request, last_try=False)
        assert len(reports(scene)) == 1
        assert "Finished: 1 report" in scene.bot_comments(2)[0]
        assert len(scene.stage.model_api.requests) == paid


async def test_a_cancelled_measurement_is_settled_and_what_was_seen_is_taken_over(
    tmp_path: Path, app_key: str
) -> None:
    api, gate = ScriptedModelApi(models=MODELS), Gate()
    api.fail(Stall(gate=gate), when=lambda asked: "last two commits" in asked.prompt)
    async with playing(tmp_path, app_key, model_api=api, model=MODEL, queries_at_once=1) as scene:
        scene.comment(2, f"{TRIGGER} --runs-per-query 1")
        await asyncio.wait_for(gate.reached.wait(), WAIT_S)
        cancel = scene.comment(2, "@skillbench cancel")
        await scene.reacted(2, cancel, "+1")
        await scene.until(lambda: "🛑 Cancelled by maria" in scene.bot_comments(2)[0], "the end")
        before = await spent(scene)
        assert 0 < before < 1
        await ask(scene, f"{TRIGGER} --runs-per-query 1")
        assert len(queries(scene)) == 11
        assert len(reports(scene)) == 1
        assert before < await spent(scene) < 1
