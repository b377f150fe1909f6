"""`retry` and `rerun failed`: the same question under the same conditions, asked once more."""

import asyncio
import shutil
from pathlib import Path

from demo.model_api import Gate, HttpError, ScriptedModelApi, Stall
from tests.stories.scene import Scene, playing
from tests.stories.test_crash import is_judging, sessions
from tests.stories.test_trials import ATTEMPTS, has_the_skill

SHUT = HttpError(status=403, type="permission_error")


async def test_a_retry_repeats_the_latest_run_with_its_conditions(scene: Scene) -> None:
    """Trials, mode and other arm as they were, though there is a finished one."""
    first = scene.comment(2, "@skillbench run scripted-demo --trials 2 --vs self --mode installed")
    await scene.reacted(2, first, "rocket")
    again = scene.comment(2, "@skillbench retry")
    await scene.reacted(2, again, "rocket")
    reports = scene.reports(2)
    assert len(reports) == 2
    for report in reports:
        assert '"mode": "installed", "vs": "self"' in report
        assert '"trials": 2' in report


async def test_a_retry_names_the_run_that_it_repeats(tmp_path: Path, scene: Scene) -> None:
    """Also one that only its report tells of, since the rest was swept."""
    first = scene.comment(2, "@skillbench run scripted-demo --mode installed")
    await scene.reacted(2, first, "rocket")
    second = scene.comment(2, "@skillbench run scripted-demo")
    await scene.reacted(2, second, "rocket")
    run = scene.reports(2)[0].split('"run": "')[1][:12]
    for folder in ("requests", "runs"):
        shutil.rmtree(tmp_path / "data" / "blobs" / folder)
    again = scene.comment(2, f"@skillbench retry {run}")
    await scene.reacted(2, again, "rocket")
    assert '"mode": "installed"' in scene.reports(2)[-1]


async def test_a_retry_passes_over_what_was_asked_of_a_description(scene: Scene) -> None:
    """An issue holds runs of several kinds; the benchmark is the one that is repeated."""
    for command in ("run scripted-demo", "trigger --skill release-notes"):
        asked = scene.comment(2, f"@skillbench {command}")
        await scene.reacted(2, asked, "rocket")
    again = scene.comment(2, "@skillbench retry")
    await scene.reacted(2, again, "rocket")
    assert len([one for one in scene.reports(2) if '"eval_id": "github-issue-2"' in one]) == 2
    failed = scene.comment(2, "@skillbench rerun failed")
    await scene.reacted(2, failed, "confused")
    assert "there is nothing to run again" in scene.bot_comments(2)[-1]


async def test_only_what_failed_is_run_again(tmp_path: Path, app_key: str) -> None:
    """Of two runs the one without a score; when it has one, there is nothing left."""
    api = ScriptedModelApi()
    api.fail(SHUT, times=ATTEMPTS, when=has_the_skill)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        failed = scene.comment(2, "@skillbench run scripted-demo")
        await scene.reacted(2, failed, "confused")
        good = scene.comment(2, "@skillbench run scripted-demo --vs self")
        await scene.reacted(2, good, "rocket")
        paid = sessions(scene)
        again = scene.comment(2, "@skillbench rerun failed")
        await scene.reacted(2, again, "rocket")
        assert len(scene.reports(2)) == 3
        assert '"vs": "none"' in scene.reports(2)[-1]
        assert '"state": "complete"' in scene.reports(2)[-1]
        assert sessions(scene) > paid
        paid = len(api.requests)
        last = scene.comment(2, "@skillbench rerun failed")
        await scene.reacted(2, last, "confused")
        assert "there is nothing to run again" in scene.bot_comments(2)[-1]
        assert len(api.requests) == paid
        assert any(map(is_judging, api.requests))


async def test_where_nothing_has_run_there_is_nothing_to_repeat(scene: Scene) -> None:
    """Both say so, and neither begins anything."""
    asked = scene.comment(2, "@skillbench rerun failed")
    await scene.reacted(2, asked, "confused")
    assert "there is nothing to run again" in scene.bot_comments(2)[-1]
    retried = scene.comment(2, "@skillbench retry")
    await scene.reacted(2, retried, "confused")
    assert "no run has ended on this issue yet" in scene.bot_comments(2)[-1]


async def test_what_a_person_cancelled_has_not_failed_and_can_be_repeated(
    tmp_path: Path, app_key: str
) -> None:
    """Nobody wants it back by asking for what failed; by its own name it comes back as it was."""
    gate = Gate()
    api = ScriptedModelApi()
    api.fail(Stall(gate=gate), when=has_the_skill)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        first = scene.comment(2, "@skillbench run scripted-demo --trials 2")
        await asyncio.wait_for(gate.reached.wait(), 60)
        scene.comment(2, "@skillbench cancel")
        await scene.reacted(2, first, "confused")
        failed = scene.comment(2, "@skillbench rerun failed")
        await scene.reacted(2, failed, "confused")
        assert scene.reports(2) == []
        again = scene.comment(2, "@skillbench retry")
        await scene.reacted(2, again, "rocket")
        [report] = scene.reports(2)
        assert '"trials": 2' in report
