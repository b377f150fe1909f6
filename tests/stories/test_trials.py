"""Both arms several times over: interleaved, each trial judged by itself, none paid twice."""

import asyncio
import signal
from pathlib import Path

from demo.model_api import Asked, Gate, HttpError, ScriptedModelApi, Stall
from tests.stories.scene import Scene, playing
from tests.stories.test_crash import (
    environment_of,
    is_judging,
    is_reading_outputs,
    sessions,
    worker,
)

SHUT = HttpError(status=403, type="permission_error")
ATTEMPTS = 2
"""Of a session that the platform ends."""


def has_the_skill(asked: Asked) -> bool:
    return not is_judging(asked) and "===== BEGIN SKILL.md =====" in asked.prompt


def begun(api: ScriptedModelApi) -> int:
    """Sessions that have asked for their first answer."""
    return sum(not is_judging(asked) and asked.turn == 0 for asked in api.requests)


async def test_trials_are_judged_one_by_one_and_told_as_means_with_their_range(
    scene: Scene,
) -> None:
    """Three trials: six sessions, three rows, one marker."""
    asked = scene.comment(2, "@skillbench run scripted-demo --trials 3")
    await scene.reacted(2, asked, "rocket")
    [report] = scene.reports(2)
    assert begun(scene.stage.model_api) == 6
    headline = next(line for line in report.splitlines() if line.startswith("## "))
    assert headline.endswith(", mean of 3 trials")
    assert "| Trials | 3 trials, each judged by itself |" in report
    assert [line[:4] for line in report.splitlines() if line[:4] in {"| 1 ", "| 2 ", "| 3 "}] == [
        "| 1 ",
        "| 2 ",
        "| 3 ",
    ]
    assert '"trials": 3' in report


async def test_more_trials_than_recorded_are_new_work_and_fewer_are_not(scene: Scene) -> None:
    """Two answer for one, and not for three."""
    for trials, reports in ((2, 1), (1, 1), (3, 2)):
        asked = scene.comment(2, f"@skillbench run scripted-demo --trials {trials}")
        await scene.reacted(2, asked, "rocket")
        assert len(scene.reports(2)) == reports


async def test_a_trial_that_the_platform_spoilt_is_run_once_more_after_the_others(
    tmp_path: Path, app_key: str
) -> None:
    """The outage has passed by then: only the lost session runs again, and the run is whole."""
    api = ScriptedModelApi()
    api.fail(SHUT, times=ATTEMPTS, when=has_the_skill)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        asked = scene.comment(2, "@skillbench run scripted-demo --trials 3")
        await scene.reacted(2, asked, "rocket")
        [report] = scene.reports(2)
    assert ", mean of 3 trials" in report
    assert "6 sessions and 6 readings expected, observed and scored" in report
    assert '"state": "complete"' in report


async def test_one_session_that_stays_lost_leaves_the_run_without_any_number(
    tmp_path: Path, app_key: str
) -> None:
    """Both trials fail, and when they run once more the first one again: one has a score."""
    api = ScriptedModelApi()
    api.fail(SHUT, times=3 * ATTEMPTS, when=has_the_skill)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        asked = scene.comment(2, "@skillbench run scripted-demo --trials 2")
        await scene.reacted(2, asked, "confused")
        [report] = scene.reports(2)
    assert "Not graded" in report
    assert "sessions: 4 expected, 4 observed, 3 scored" in report
    assert "1 were lost with skill and 0 without skill" in report
    assert "| 2 | — | — | ⚠️ not scored: left out" in report
    assert '"score": null' in report
    assert '"invalid": true' in report
    assert "%" not in report.split("### Sessions")[0]


async def test_a_worker_lost_between_trials_costs_only_what_is_missing(
    tmp_path: Path, app_key: str
) -> None:
    """Kill -9 while the second trial is judged: its sessions and the first trial are kept."""
    gate = Gate()
    api = ScriptedModelApi()
    api.fail(Stall(gate=gate), when=lambda asked: is_judging(asked) and begun(api) == 4)
    async with playing(tmp_path, app_key, model_api=api, worker=False) as scene:
        environment = environment_of(scene.stage.settings)
        async with worker(environment) as first:
            asked = scene.comment(2, "@skillbench run scripted-demo --trials 3")
            await asyncio.wait_for(gate.reached.wait(), 120)
            paid = sessions(scene)
            first.send_signal(signal.SIGKILL)
            await first.wait()
        async with worker(environment):
            await scene.reacted(2, asked, "rocket")
        [report] = scene.reports(2)
        assert begun(api) == 6
        assert sessions(scene) - paid == paid / 2
        assert ", mean of 3 trials" in report
        # six readings, and those two at most that were open when the worker died
        assert 6 < sum(map(is_reading_outputs, api.requests)) <= 8


async def test_trials_that_were_finished_before_a_cancel_are_not_paid_again(
    tmp_path: Path, app_key: str
) -> None:
    """Whoever asks for the same again takes over the sessions of the first trial."""
    gate = Gate()
    api = ScriptedModelApi()
    api.fail(Stall(gate=gate), when=lambda asked: has_the_skill(asked) and begun(api) > 2)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        command = "@skillbench run scripted-demo --trials 2"
        first = scene.comment(2, command)
        await asyncio.wait_for(gate.reached.wait(), 60)
        scene.comment(2, "@skillbench cancel")
        await scene.reacted(2, first, "confused")
        before = begun(api)
        second = scene.comment(2, command)
        await scene.reacted(2, second, "rocket")
        [report] = scene.reports(2)
    assert ", mean of 2 trials" in report
    assert 1 <= begun(api) - before <= 2
