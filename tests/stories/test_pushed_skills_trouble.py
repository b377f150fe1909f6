"""A push's runs fail, are killed, cancelled, asked for again; the check run tells how it is."""

import asyncio
import signal
from pathlib import Path

from demo.github.check_actions import CheckActions
from demo.model_api import CLAUDE_LIKE, DEMO_MODELS, Gate, HttpError, ScriptedModelApi, Stall
from demo.play import PERSON
from tests.stories.pushes import another_version, check_done, checks_on, measure, push
from tests.stories.scene import WAIT_S, Scene, playing
from tests.stories.test_crash import environment_of, is_judging, worker

PRICED = "claude-sonnet-4-6"
"""A model with a price, other than the demo's own."""


async def test_a_run_that_comes_to_no_score_is_told_as_such(tmp_path: Path, app_key: str) -> None:
    api = ScriptedModelApi()
    async with playing(tmp_path / "bot", app_key, model_api=api) as scene:
        await measure(scene)
        api.fail(HttpError(status=400), times=100)
        commit = push(scene, tmp_path / "1", another_version(1))
        check = await check_done(scene, commit)
        assert (check.title, check.conclusion) == ("1 not graded", "neutral")
        assert "[⚠️ not graded](http://" in (check.summary or "")


async def test_a_run_without_a_score_is_not_told_with_the_score_of_an_earlier_one(
    tmp_path: Path, app_key: str
) -> None:
    """Pushed back to a version of which one trial is known, where two are wanted by now."""
    api = ScriptedModelApi()
    async with playing(tmp_path / "bot", app_key, model_api=api) as scene:
        await measure(scene)
        await check_done(scene, push(scene, tmp_path / "1", another_version(1)))
        api.fail(HttpError(status=400), times=1_000)
        commit = push(scene, tmp_path / "2", {".github/skillbench.yml": "trials: 2\n"})
        check = await check_done(scene, commit)
        assert (check.title, check.conclusion) == ("1 not graded", "neutral")


async def test_an_app_that_may_not_write_check_runs_measures_all_the_same(
    scene: Scene, tmp_path: Path
) -> None:
    scene.github.withdraw("checks")
    await measure(scene)
    push(scene, tmp_path / "1", another_version(1))
    await scene.until(lambda: len(scene.reports(1)) == 2, "the second report")
    assert scene.repository.repository.checks == []


async def test_what_came_to_nothing_can_be_asked_for_again_on_the_check_run(
    tmp_path: Path, app_key: str
) -> None:
    api = ScriptedModelApi()
    async with playing(tmp_path / "bot", app_key, model_api=api) as scene:
        await measure(scene)
        down = asyncio.Event()
        down.set()
        api.fail(HttpError(status=400), times=1_000, when=lambda _: down.is_set())
        commit = push(scene, tmp_path / "1", another_version(1))
        check = await check_done(scene, commit)
        assert check.title == "1 not graded"
        down.clear()
        person = scene.github.site.account(PERSON)
        CheckActions(scene.github.site).rerequest(scene.repository.repository, check, person)
        await scene.until(lambda: check.title == "1 the same", "the check run made again")
        assert (check.status, check.conclusion) == ("completed", "success")
        assert checks_on(scene, commit) == [check]


async def test_a_killed_workers_push_goes_on_with_another_and_is_told_once(
    tmp_path: Path, app_key: str
) -> None:
    api, gate = ScriptedModelApi(), Gate()
    async with playing(tmp_path / "bot", app_key, model_api=api, worker=False) as scene:
        environment = environment_of(scene.stage.settings)
        async with worker(environment) as first:
            await measure(scene)
            api.fail(Stall(gate=gate), times=1, when=is_judging)
            commit = push(scene, tmp_path / "1", another_version(1))
            await asyncio.wait_for(gate.reached.wait(), 2 * WAIT_S)
            first.send_signal(signal.SIGKILL)
            await first.wait()
        (check,) = checks_on(scene, commit)
        assert (check.status, check.title) == ("in_progress", "0 of 1 run done")
        async with worker(environment):
            check = await check_done(scene, commit)
        assert check.title == "1 the same"
        assert len(scene.reports(1)) == 2


async def test_a_push_can_be_cancelled_on_the_issue(tmp_path: Path, app_key: str) -> None:
    api, gate = ScriptedModelApi(), Gate()
    async with playing(tmp_path / "bot", app_key, model_api=api) as scene:
        await measure(scene)
        api.fail(Stall(gate=gate), times=1)
        commit = push(scene, tmp_path / "1", another_version(1))
        await asyncio.wait_for(gate.reached.wait(), WAIT_S)
        scene.comment(1, "@skillbench cancel")
        check = await check_done(scene, commit)
        assert (check.title, check.conclusion) == ("1 cancelled", "neutral")
        assert len(scene.reports(1)) == 1


async def test_what_a_budget_refuses_is_explained_in_the_check_run_alone(
    tmp_path: Path, app_key: str
) -> None:
    api = ScriptedModelApi(models=(*DEMO_MODELS, *CLAUDE_LIKE))
    async with playing(tmp_path / "bot", app_key, model_api=api, model=PRICED) as scene:
        await measure(scene)
        said = len(scene.bot_comments(1))
        budget = {".github/skillbench.yml": "budgets:\n  per_day: 0.01\n"}
        commit = push(scene, tmp_path / "1", {**budget, **another_version(1)})
        check = await check_done(scene, commit)
        assert (check.title, check.conclusion) == ("1 not possible", "neutral")
        assert "0.01" in (check.text or "")
        assert len(scene.bot_comments(1)) == said
        assert scene.repository.repository.commit_comments == []


async def test_lost_answers_about_the_check_run_leave_one_that_ends(
    scene: Scene, tmp_path: Path
) -> None:
    await measure(scene)
    for call in ("POST */check-runs", "PATCH */check-runs/*"):
        for after_effect in (True, False):
            scene.github.faults.drop_connection(on=call, after_effect=after_effect)
    commit = push(scene, tmp_path / "1", another_version(1))
    assert (await check_done(scene, commit)).title == "1 the same"
    assert len(scene.reports(1)) == 2
