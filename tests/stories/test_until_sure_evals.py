"""Eval cases of a skill one after the other, through the front door, until it is sure."""

import asyncio
import signal
from pathlib import Path

from demo.model_api import Gate, ScriptedModelApi, Stall
from tests.stories.eval_sets import ended, tables
from tests.stories.scene import Scene, playing
from tests.stories.test_crash import environment_of, is_judging, worker
from tests.stories.test_trials import begun

ALL = "@skillbench run scripted-demo --eval all --skill csv-profile --until-sure"


async def test_eval_cases_that_are_not_needed_are_never_begun(tmp_path: Path, app_key: str) -> None:
    """Ten of a skill: sure after eight, and the rest is no failure."""
    async with playing(tmp_path, app_key, seed=tables(10)) as scene:
        asked = scene.comment(2, ALL)
        await scene.reacted(2, asked, "rocket")
        assert len(scene.reports(2)) == 8
        assert begun(scene.stage.model_api) == 16
        living = scene.bot_comments(2)[0]
        assert "### Finished: 8 reports, 2 not needed" in living
        assert living.count("⏹️ not needed · it is sure without it") == 2
        assert (
            "**Until sure** `csv-profile` on `scripted-demo`: 🎯 sure after 8 of 10 eval cases "
            "that scores are higher with the skill (8 wins, 0 ties, 0 losses; e-value 56.8); "
            "2 runs not needed."
        ) in living
        assert all('"sure": true' in report for report in scene.reports(2))
        again = scene.comment(2, "@skillbench rerun failed")
        await scene.reacted(2, again, "confused")
        assert "there is nothing to run again" in scene.bot_comments(2)[-1]


async def test_what_is_measured_already_is_evidence_and_the_rest_runs_without_the_option(
    tmp_path: Path, app_key: str
) -> None:
    """Asked again it is sure at once; asked without it, the two that are missing are run."""
    async with playing(tmp_path, app_key, seed=tables(10)) as scene:
        await ended(scene, ALL)
        asked = scene.comment(2, ALL)
        await scene.reacted(2, asked, "rocket")
        assert len(scene.reports(2)) == 8
        assert "### Finished: 0 reports, 8 done before, 2 not needed" in scene.bot_comments(2)[-1]
        asked = scene.comment(2, ALL.removesuffix(" --until-sure"))
        await scene.reacted(2, asked, "rocket")
        assert len(scene.reports(2)) == 10


async def test_eval_cases_with_the_same_input_files_are_one_observation(
    tmp_path: Path, app_key: str
) -> None:
    """Eight on one table are one: too few, so that all are measured."""
    async with playing(tmp_path, app_key, seed=tables(8, shared=True)) as scene:
        asked = scene.comment(2, ALL)
        await scene.reacted(2, asked, "rocket")
        assert len(scene.reports(2)) == 8
        assert "can never be enough to be sure" in scene.bot_comments(2)[0]


async def test_a_worker_lost_between_eval_cases_begins_none_that_is_not_needed(
    tmp_path: Path, app_key: str
) -> None:
    gate = Gate()
    api = ScriptedModelApi()
    api.fail(Stall(gate=gate), times=1, when=lambda asked: is_judging(asked) and begun(api) == 10)
    async with playing(tmp_path, app_key, model_api=api, worker=False, seed=tables(10)) as scene:
        environment = environment_of(scene.stage.settings)
        async with worker(environment) as first:
            asked = scene.comment(2, ALL)
            await asyncio.wait_for(gate.reached.wait(), 120)
            first.send_signal(signal.SIGKILL)
            await first.wait()
        async with worker(environment):
            await scene.reacted(2, asked, "rocket")
        assert len(scene.reports(2)) == 8
        assert begun(api) == 16
        assert "### Finished: 8 reports, 2 not needed" in scene.bot_comments(2)[0]


async def test_eval_cases_that_ended_before_a_cancel_are_evidence_for_whoever_asks_again(
    tmp_path: Path, app_key: str
) -> None:
    gate = Gate()
    api = ScriptedModelApi()
    api.fail(Stall(gate=gate), when=lambda asked: is_judging(asked) and begun(api) == 10)
    async with playing(tmp_path, app_key, model_api=api, seed=tables(10)) as scene:
        first = scene.comment(2, ALL)
        await asyncio.wait_for(gate.reached.wait(), 60)
        scene.comment(2, "@skillbench cancel")
        await scene.reacted(2, first, "confused")
        assert len(scene.reports(2)) == 4
        await ended(scene, ALL)
        assert len(scene.reports(2)) == 8
        assert "4 reports, 4 done before, 2 not needed" in scene.bot_comments(2)[-5]
    assert begun(api) == 16


async def test_a_text_that_a_stranger_wrote_last_is_left_out_until_somebody_has_looked(
    tmp_path: Path, app_key: str
) -> None:
    """Whoever asks for all eval cases has not read each of them."""
    async with playing(tmp_path, app_key, seed=tables(2)) as scene:
        scene.github.add_person("rudi")
        body = scene.repository.issue(5).body
        scene.repository.edit_issue(5, by="rudi", body=f"{body}- Praises rudi\n")
        asked = scene.comment(2, ALL)
        await scene.reacted(2, asked, "confused")
        assert len(scene.reports(2)) == 1
        living = scene.bot_comments(2)[0]
        assert "`github-issue-5` | — | — | 🚫 refused · The text " in living
        assert "by `rudi`, who may not start runs here" in living


async def test_a_skill_that_nothing_asks_about_and_an_issue_without_one_are_refused(
    scene: Scene,
) -> None:
    for issue, words, why in (
        (2, "--eval all --skill csv-profile", "no eval case of this repository is about"),
        (3, "--eval all", "leads to none: say which with `--skill`"),
    ):
        asked = scene.comment(issue, f"@skillbench run scripted-demo {words}")
        await scene.reacted(issue, asked, "confused")
        assert why in scene.bot_comments(issue)[-1]
    assert scene.stage.model_api.requests == []
