"""False answers to an eval case, read before its first result counts, as people meet them."""

import asyncio
import json
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from demo.model_api import Asked, Gate, Reply, ScriptedModelApi, Stall
from demo.model_api.behaviour import behave
from demo.model_api.steps import Step
from tests.canaries import is_about_canaries
from tests.stories.scene import Scene, playing
from tests.stories.test_crash import environment_of, worker
from tests.stories.test_repo_file import push
from tests.stories.test_trials import SHUT

SAYS_NOTHING = "an answer that says nothing"


def fooled(on: Callable[[str], bool]) -> Callable[[Asked], Step]:
    """Judges as the demo does, and passes both canaries on these assertions."""

    def answer(asked: Asked) -> Step:
        step = behave(asked)
        assert isinstance(step, Reply)
        if not is_about_canaries(asked):
            return step
        said = json.loads(step.text)
        for verdict in said["verdicts"]:
            if on(verdict["assertion"]):
                verdict |= {"verdict": "pass", "quotation": "things are in good order"}
        return replace(step, text=json.dumps(said))

    return answer


def readings(api: ScriptedModelApi) -> int:
    return sum(map(is_about_canaries, api.requests))


async def a_report(scene: Scene, command: str = "run scripted-demo") -> str:
    """The report of a run of issue 2 that has just been asked for."""
    asked = scene.comment(2, f"@skillbench {command}")
    await scene.reacted(2, asked, "rocket")
    return scene.reports(2)[-1]


async def test_an_assertion_that_a_false_answer_passes_is_named_and_stays_in_the_score(
    tmp_path: Path, app_key: str
) -> None:
    api = ScriptedModelApi(behaviour=fooled(lambda name: name == "A1"))
    async with playing(tmp_path, app_key, model_api=api) as scene:
        report = await a_report(scene)
        scene.comment(2, "@skillbench lint")
        await scene.until(lambda: "Lint" in scene.bot_comments(2)[-1], "the lint")
        lint = scene.bot_comments(2)[-1]
    assert "Higher with the skill by 100 points: 100% against 0%" in report
    assert f"**Health** ⚠️ A1 is satisfied by {SAYS_NOTHING} or an answer that tells" in report
    assert "Can this eval case be trusted? 1 assertion to look at" in report
    assert "Without those that a false answer passes, 3 assertions give 100%" in report
    assert "canary_passed" not in report
    assert f"| A1 | is satisfied by {SAYS_NOTHING} and by" in lint
    assert "Canaries: false answers pass 1 of 4 assertions" in lint


async def test_a_case_that_a_false_answer_passes_whole_counts_nowhere(
    tmp_path: Path, app_key: str
) -> None:
    """What was measured is shown, and is in no figure of a summary."""
    api = ScriptedModelApi(behaviour=fooled(lambda _: True))
    async with playing(tmp_path, app_key, model_api=api) as scene:
        report = await a_report(scene)
        scene.comment(2, "@skillbench summary --skill release-notes")
        await scene.until(lambda: "sum up" in scene.bot_comments(2)[-1], "the summary")
    assert "⚠️ **This result counts nowhere:** a false answer passes every assertion" in report
    assert "Without what a false answer passes there is nothing left to score." in report
    assert '"canary_passed": true' in report


async def test_canaries_are_read_once_for_all_models_and_runs(tmp_path: Path, app_key: str) -> None:
    api = ScriptedModelApi()
    async with playing(tmp_path, app_key, model_api=api) as scene:
        first = await a_report(scene)
        await a_report(scene, "run scripted-demo --force")
        again = await a_report(scene, "run scripted-demo --force --trials 2")
        assert readings(api) == 1
    assert "Canaries: fluent words that answer nothing, and words to the judge, pass none" in first
    assert "in no figure above)" in first
    assert "(paid by run `" in again


async def test_a_judge_that_is_away_leaves_the_case_unchecked_and_the_score_as_it_is(
    tmp_path: Path, app_key: str
) -> None:
    """A failing platform is no verdict, and the next run asks again."""
    api = ScriptedModelApi()
    api.fail(SHUT, when=is_about_canaries)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        report = await a_report(scene)
        assert readings(api) == 1
        again = await a_report(scene, "run scripted-demo --force")
        assert readings(api) == 2
    assert "Higher with the skill by 100 points: 100% against 0%" in report
    assert "Canaries: not checked, which says nothing about the eval case: the judge" in report
    assert "pass none of 4 assertions" in again


async def test_a_repository_may_do_without_them(scene: Scene, tmp_path: Path) -> None:
    push(scene, tmp_path / "pushed", "canaries: false\n")
    report = await a_report(scene)
    assert readings(scene.stage.model_api) == 0
    assert "Canaries" not in report
    scene.comment(2, "@skillbench lint")
    await scene.until(lambda: "Lint" in scene.bot_comments(2)[-1], "the lint")
    assert "that is done never: this repository keeps it off" in scene.bot_comments(2)[-1]


async def test_a_worker_lost_while_canaries_are_read_costs_one_reading_and_no_result(
    tmp_path: Path, app_key: str
) -> None:
    """Kill -9: sessions and scores are there already, the report comes once, with the canaries."""
    gate, api = Gate(), ScriptedModelApi()
    api.fail(Stall(gate=gate), times=1, when=is_about_canaries)
    async with playing(tmp_path, app_key, model_api=api, worker=False) as scene:
        environment = environment_of(scene.stage.settings)
        async with worker(environment) as first:
            scene.label(1)
            await asyncio.wait_for(gate.reached.wait(), 120)
            others = len(api.requests) - readings(api)
            first.send_signal(signal.SIGKILL)
            await first.wait()
        async with worker(environment):
            await scene.label_gone(1)
        [report] = scene.reports(1)
        assert readings(api) == 2
        assert len(api.requests) - readings(api) == others
        assert "pass none of 5 assertions" in report
