"""What a reader gets of the judge: panels, outages, what could not be verified."""

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from demo.model_api import Asked, Gate, HttpError, ScriptedModelApi, Stall
from demo.model_api.unsure_judge import REASON, be_unsure
from tests.stories.pushes import push
from tests.stories.scene import Scene, playing
from tests.stories.test_crash import (
    counted_for_the_day,
    environment_of,
    is_reading_outputs,
    sessions,
    worker,
)

JUDGE, OTHER = "scripted-demo-judge", "scripted-demo"
PANEL = f"--judge {JUDGE},{OTHER}"
SHUT = HttpError(status=403, type="permission_error")


def read_by(judge: str) -> Callable[[Asked], bool]:
    """Readings of the sessions' outputs by one of the judges."""

    def holds(asked: Asked) -> bool:
        return is_reading_outputs(asked) and asked.model == judge

    return holds


def readings(scene: Scene, judge: str) -> int:
    return sum(map(read_by(judge), scene.stage.model_api.requests))


def head(report: str) -> str:
    return next(line for line in report.splitlines() if line.startswith("## "))


def score_in(report: str) -> str:
    return report.split('"score": ')[1].split("}", maxsplit=1)[0]


async def run(scene: Scene, options: str = "", reaction: str = "rocket") -> str:
    asked = scene.comment(2, f"@skillbench run scripted-demo {options}")
    await scene.reacted(2, asked, reaction)
    return scene.reports(2)[-1]


async def test_a_panel_reads_in_both_orders_each_and_tells_how_far_it_agrees(scene: Scene) -> None:
    report = await run(scene, PANEL)
    assert readings(scene, JUDGE) == readings(scene, OTHER) == 2
    assert f"judges `{OTHER}`, `{JUDGE}`" in report
    assert f"Judge 1 of 2, `{OTHER}`: 100% with the skill, 0% without it" in report
    assert f"Judge 2 of 2, `{JUDGE}`: 100% with the skill, 0% without it" in report
    assert "Between the judges Krippendorff's alpha is 1.00" in report
    assert "Readings in both orders agree on" in report
    assert f'"judge": "{OTHER},{JUDGE}"' in report
    assert '"agreement": {"pairs": {' in report
    assert await counted_for_the_day(scene) == 0


async def test_a_panel_comes_from_the_repositorys_file_too(scene: Scene, tmp_path: Path) -> None:
    file = {".github/skillbench.yml": f"judge:\n  - {JUDGE}\n  - {OTHER}\n"}
    push(scene, tmp_path / "pushed", file)
    await scene.github.deliveries_done()
    report = await run(scene)
    assert f'"judge": "{OTHER},{JUDGE}"' in report


async def test_a_finished_run_is_judged_again_by_a_panel(scene: Scene) -> None:
    await run(scene)
    paid = sessions(scene)
    asked = scene.comment(2, f"@skillbench rejudge {PANEL}")
    await scene.reacted(2, asked, "rocket")
    again = scene.reports(2)[-1]
    assert sessions(scene) == paid
    assert f"## ⚖️ Judged again by `{OTHER}`, `{JUDGE}`" in again
    assert f"| **Now** | `{OTHER}`, `{JUDGE}` | 100% | 0% |" in again


@pytest.mark.parametrize("out", [JUDGE, OTHER])
async def test_an_outage_of_one_judge_of_a_panel_changes_no_score_and_is_told(
    tmp_path: Path, app_key: str, out: str
) -> None:
    api = ScriptedModelApi()
    api.fail(SHUT, times=100, when=read_by(out))
    async with playing(tmp_path, app_key, model_api=api) as scene:
        report = await run(scene, PANEL)
    assert score_in(report) == '{"with_skill": 1.0, "without_skill": 0.0'
    assert f"Left out of the panel: `{out}` gave no score" in report
    assert f"`{out}`: no score, so it has no part in that of the run" in report


async def test_a_judge_of_a_panel_that_loses_one_reading_has_no_part_in_the_score(
    tmp_path: Path, app_key: str
) -> None:
    api = ScriptedModelApi()
    api.fail(SHUT, times=1, when=read_by(OTHER))
    async with playing(tmp_path, app_key, model_api=api) as scene:
        report = await run(scene, PANEL)
    assert score_in(report) == '{"with_skill": 1.0, "without_skill": 0.0'
    assert "A pass of the judge gave no verdicts" in report


@pytest.mark.parametrize("times", [1, 100], ids=["one reading", "both readings"])
@pytest.mark.parametrize("options", ["", "--trials 2"], ids=["one trial", "two trials"])
async def test_an_outage_of_the_only_judge_is_no_score_and_never_zero(
    tmp_path: Path, app_key: str, times: int, options: str
) -> None:
    api = ScriptedModelApi()
    api.fail(SHUT, times=times, when=is_reading_outputs)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        asked = scene.comment(2, f"@skillbench run scripted-demo {options}")
        await scene.until(
            lambda: bool({"rocket", "confused"} & set(scene.reactions(2, asked))), "the end"
        )
        report = scene.reports(2)[-1]
        again = scene.comment(2, "@skillbench rejudge")
        await scene.until(
            lambda: bool({"rocket", "confused"} & set(scene.reactions(2, again))), "the end"
        )
        if times == 1:
            judged = scene.reports(2)[-1]
            assert score_in(judged) == '{"with_skill": 1.0, "without_skill": 0.0'
    if '"state": "complete"' in report:  # the lost reading was asked for once more
        assert score_in(report) == '{"with_skill": 1.0, "without_skill": 0.0'
    else:
        assert head(report) == "## ⚠️ Not graded: this run has no score"
        assert '"score": null' in report


async def test_a_panel_whose_judges_all_fail_has_no_score(tmp_path: Path, app_key: str) -> None:
    api = ScriptedModelApi()
    api.fail(SHUT, times=100, when=is_reading_outputs)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        report = await run(scene, PANEL, "confused")
    assert head(report) == "## ⚠️ Not graded: this run has no score"
    assert "No judge of the panel gave a score" in report
    assert '"score": null' in report


async def test_a_worker_lost_among_a_panel_pays_no_reading_twice(
    tmp_path: Path, app_key: str
) -> None:
    """Kill -9 while one judge reads and the other has read: its two readings are kept."""
    gate = Gate()
    api = ScriptedModelApi()
    api.fail(Stall(gate=gate), times=2, when=read_by(OTHER))
    async with playing(tmp_path, app_key, model_api=api, worker=False) as scene:
        environment = environment_of(scene.stage.settings)
        async with worker(environment) as first:
            asked = scene.comment(2, f"@skillbench run scripted-demo {PANEL}")
            await asyncio.wait_for(gate.reached.wait(), 120)
            await scene.until(lambda: len(kept(scene)) == 2, "the end of both other readings")
            paid = sessions(scene)
            first.send_signal(signal.SIGKILL)
            await first.wait()
        async with worker(environment):
            await scene.reacted(2, asked, "rocket")
        assert sessions(scene) == paid
        assert readings(scene, JUDGE) == 2
        assert 3 <= readings(scene, OTHER) <= 4
        assert score_in(scene.reports(2)[-1]) == '{"with_skill": 1.0, "without_skill": 0.0'


def kept(scene: Scene) -> list[Path]:
    """The readings of the second judge that lie in the store."""
    return list(Path(scene.stage.settings.data_dir).rglob("panel-2-pass-*.json"))


async def test_what_the_judge_cannot_verify_counts_for_neither_and_is_told(
    tmp_path: Path, app_key: str
) -> None:
    """For one candidate alone, in both readings: the assertion leaves both denominators."""
    api = ScriptedModelApi(behaviour=be_unsure(lambda assertion, _: assertion == "A1"))
    async with playing(tmp_path, app_key, model_api=api) as scene:
        report = await run(scene)
    assert "| Could not be verified, counts for neither | 1 | 1 |" in report
    assert f"❔ cannot verify: {REASON}" in report
    assert "1 assertion could not be verified" in report
    assert '"cannot_verify/cannot_verify": 2' in report


async def test_where_the_judge_can_verify_nothing_the_run_is_ungraded(
    tmp_path: Path, app_key: str
) -> None:
    api = ScriptedModelApi(behaviour=be_unsure(lambda _, candidate: candidate == "candidate_1"))
    async with playing(tmp_path, app_key, model_api=api) as scene:
        report = await run(scene, reaction="confused")
    assert head(report) == "## ⚠️ Not graded: this run has no score"
    assert "could verify no assertion for both outputs" in report
    assert REASON.rstrip(".") in report
    assert '"score": null' in report
