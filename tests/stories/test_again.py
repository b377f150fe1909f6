"""A run that has ended, taken up once more: judged by another judge, told in today's words."""

import asyncio
import shutil
import signal
from pathlib import Path

import pytest

from demo.model_api import Asked, Gate, Reply, ScriptedModelApi, Stall
from demo.model_api.behaviour import behave
from demo.model_api.steps import Step
from tests.stories.pulls import mark_eval, open_pull, tree
from tests.stories.scene import Scene, playing
from tests.stories.test_crash import (
    counted_for_the_day,
    environment_of,
    is_judging,
    is_reading_outputs,
    sessions,
    worker,
)

OTHER_JUDGE = "scripted-demo"
"""A model that judges as well as any."""


async def a_run(scene: Scene, issue: int = 2, options: str = "") -> str:
    """Have a run carried out; gives its id."""
    asked = scene.comment(issue, f"@skillbench run scripted-demo{options}")
    await scene.reacted(issue, asked, "rocket")
    report = scene.reports(issue)[-1]
    return report.split('"run": "')[1][:12]


async def test_another_judge_reads_the_same_outputs_and_no_session_runs(scene: Scene) -> None:
    """Two readings more, both scores side by side, and the newer one is the run's."""
    run = await a_run(scene)
    paid = sessions(scene)
    judged = len(scene.stage.model_api.requests) - paid
    spent = await counted_for_the_day(scene)
    asked = scene.comment(2, f"@skillbench rejudge --judge {OTHER_JUDGE}")
    await scene.reacted(2, asked, "rocket")
    assert sessions(scene) == paid
    assert len(scene.stage.model_api.requests) - paid == 2 * judged
    assert await counted_for_the_day(scene) == spent  # what was set aside is settled
    report, again = scene.reports(2)
    assert f"## ⚖️ Judged again by `{OTHER_JUDGE}`" in again
    assert "| Before | `scripted-demo-judge` | 100% | 0% |" in again
    assert f"| **Now** | `{OTHER_JUDGE}` | 100% | 0% |" in again
    assert "Every assertion was judged as before." in again
    assert f'"run": "{run}"' in again
    assert f'"judge": "{OTHER_JUDGE}"' in again
    assert '"judge": "scripted-demo-judge"' in report


async def test_a_run_with_another_judge_is_no_new_run_and_is_told_of_rejudge(
    scene: Scene,
) -> None:
    """What differs is the reading, so that is what is offered."""
    run = await a_run(scene)
    paid = len(scene.stage.model_api.requests)
    asked = scene.comment(2, f"@skillbench run scripted-demo --judge {OTHER_JUDGE}")
    await scene.reacted(2, asked, "rocket")
    assert len(scene.stage.model_api.requests) == paid
    reply = scene.bot_comments(2)[-1]
    assert f"`@skillbench rejudge {run} --judge {OTHER_JUDGE}`" in reply


async def test_a_run_of_a_pull_request_is_told_and_judged_again_where_it_stands(
    scene: Scene, tmp_path: Path
) -> None:
    mark_eval(scene)
    number = open_pull(scene, tree(tmp_path / "1", "Be brief."))
    asked = scene.comment(number, "@skillbench run")
    await scene.reacted(number, asked, "rocket")
    told = scene.comment(number, "@skillbench report")
    await scene.reacted(number, told, "rocket")
    assert "is up to date" in scene.bot_comments(number)[-1]
    assert len(scene.reports(number)) == 1
    judged = scene.comment(number, f"@skillbench rejudge --judge {OTHER_JUDGE}")
    await scene.reacted(number, judged, "rocket")
    assert f"## ⚖️ Judged again by `{OTHER_JUDGE}`" in scene.bot_comments(number)[-1]
    refused = scene.comment(number, "@skillbench lint")
    await scene.reacted(number, refused, "confused")
    assert "Ask on the issue that holds the eval case." in scene.bot_comments(number)[-1]


@pytest.mark.parametrize("command", ["rejudge", "report"])
async def test_a_run_whose_blobs_were_swept_is_read_from_its_archive(
    tmp_path: Path, scene: Scene, command: str
) -> None:
    """The archive on the release is the record for ever."""
    run = await a_run(scene, options=" --trials 2")
    shutil.rmtree(tmp_path / "data" / "blobs" / "runs")
    asked = scene.comment(2, f"@skillbench {command} {run}")
    await scene.reacted(2, asked, "rocket")
    assert len(scene.reports(2)) == (2 if command == "rejudge" else 1)


async def test_a_report_is_rendered_again_where_somebody_has_deleted_it(scene: Scene) -> None:
    """Same run, same numbers, nothing paid."""
    run = await a_run(scene)
    [report] = scene.reports(2)
    paid = len(scene.stage.model_api.requests)
    comments = scene.repository.issue(2).comments
    gone = next(one for one in comments if f"report:{run}" in one.body)
    scene.repository.delete_comment(gone.id, by="maria")
    asked = scene.comment(2, f"@skillbench report {run}")
    await scene.reacted(2, asked, "rocket")
    assert scene.reports(2) == [report]
    assert "is up to date" in scene.bot_comments(2)[-1]
    assert len(scene.stage.model_api.requests) == paid


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("rejudge", "no run has been reported on this issue yet"),
        ("report", "no run has been reported on this issue yet"),
        ("rejudge 0123456789ab", "I know no run `0123456789ab`"),
    ],
)
async def test_a_run_that_is_not_there_is_refused(scene: Scene, command: str, words: str) -> None:
    """Nothing is guessed."""
    asked = scene.comment(3, f"@skillbench {command}")
    await scene.reacted(3, asked, "confused")
    assert words in scene.bot_comments(3)[-1]


async def test_a_run_that_no_judge_could_read_gets_its_score_from_another(
    tmp_path: Path, app_key: str
) -> None:
    """What its sessions left is whole, so nothing of them is paid again."""

    def only_the_other_judges(asked: Asked) -> Step:
        if is_judging(asked) and asked.model != OTHER_JUDGE:
            return Reply(text="No verdict of mine.")
        return behave(asked)

    api = ScriptedModelApi(behaviour=only_the_other_judges)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        first = scene.comment(2, "@skillbench run scripted-demo")
        await scene.reacted(2, first, "confused")
        paid = sessions(scene)
        asked = scene.comment(2, f"@skillbench rejudge --judge {OTHER_JUDGE}")
        await scene.reacted(2, asked, "rocket")
        assert sessions(scene) == paid
        again = scene.reports(2)[-1]
        assert "| Before | `scripted-demo-judge` | — | — | ⚠️ not graded |" in again
        assert '"state": "complete"' in again
        third = scene.comment(2, "@skillbench run scripted-demo")
        await scene.reacted(2, third, "rocket")
        assert sessions(scene) == paid


def is_read_again(asked: Asked) -> bool:
    return is_reading_outputs(asked) and asked.model == OTHER_JUDGE


async def test_a_worker_lost_while_it_judges_again_costs_what_is_missing(
    tmp_path: Path, app_key: str
) -> None:
    """The reading that had ended is kept, and one comment tells of both."""
    gate = Gate()
    api = ScriptedModelApi()
    api.fail(Stall(gate=gate), when=is_read_again)
    async with playing(tmp_path, app_key, model_api=api, worker=False) as scene:
        environment = environment_of(scene.stage.settings)
        async with worker(environment) as first:
            run = await a_run(scene)
            asked = scene.comment(2, f"@skillbench rejudge {run} --judge {OTHER_JUDGE}")
            await asyncio.wait_for(gate.reached.wait(), 120)
            first.send_signal(signal.SIGKILL)
            await first.wait()
        async with worker(environment):
            await scene.reacted(2, asked, "rocket")
        assert len(scene.reports(2)) == 2
        assert 3 <= sum(map(is_read_again, api.requests)) <= 4


async def test_a_judging_that_is_cancelled_leaves_the_run_as_it_was(
    tmp_path: Path, app_key: str
) -> None:
    """Told once, and the money that nobody spent is the day's again."""
    gate = Gate()
    api = ScriptedModelApi()
    api.fail(Stall(gate=gate), times=2, when=is_read_again)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        await a_run(scene)
        asked = scene.comment(2, f"@skillbench rejudge --judge {OTHER_JUDGE}")
        await asyncio.wait_for(gate.reached.wait(), 60)
        scene.comment(2, "@skillbench cancel")
        await scene.reacted(2, asked, "confused")
        assert len(scene.reports(2)) == 1
        assert any("Cancelled by maria" in body for body in scene.bot_comments(2))
        again = scene.comment(2, f"@skillbench rejudge --judge {OTHER_JUDGE}")
        await scene.reacted(2, again, "rocket")
        assert len(scene.reports(2)) == 2
