"""The sessions without a skill are paid for once, and used again for its next version."""

import asyncio
import re
import signal
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from demo.model_api import Asked, Gate, HttpError, Reply, ScriptedModelApi, Stall
from demo.model_api.behaviour import behave
from demo.model_api.steps import Reported, Step
from demo.play import PERSON
from tests.canaries import is_about_canaries
from tests.stories.pushes import another_version, measure, push, write
from tests.stories.scene import Scene, playing, steady
from tests.stories.test_budgets import set_aside_today
from tests.stories.test_cancel import MODEL, MODELS
from tests.stories.test_crash import environment_of, is_judging, is_reading_outputs, worker
from tests.stories.test_trials import ATTEMPTS, SHUT, begun, has_the_skill

GOLDEN = Path(__file__).parent / "golden"
CHANGED = re.compile(r"<duration> (?:[▲▼] \d+%|=)")
WHOLE = Decimal("0.53")
"""What both arms and their judging cost by that bill, in USD."""
LINE = "**Baseline** ♻️ the session without the skill was that of [run "


LOST = (1, 2, 5, 6)
"""Attempts at a session without the skill: both at the first trial's, and both once more, after
those of the other two trials."""


def begun_without(api: ScriptedModelApi) -> int:
    """Sessions without a skill that have asked for their first answer."""
    return sum(
        not is_judging(asked) and asked.turn == 0 and not has_the_skill(asked)
        for asked in api.requests
    )


async def reported(scene: Scene, count: int) -> str:
    """Wait for so many reports on issue 1; gives the newest."""
    await scene.until(lambda: len(scene.reports(1)) == count, f"report {count}")
    return scene.reports(1)[-1]


class Bill:
    """Answers as the demo does, with the tokens of real work, and adds them up.

    A working session reads its whole conversation anew at every turn, some ten thousand tokens; a
    reading of the judge is one answer to one prompt.
    """

    def __init__(self) -> None:
        self.usd = 0.0

    def __call__(self, asked: Asked) -> Step:
        step = behave(asked)
        assert isinstance(step, Reply)
        if is_about_canaries(asked):  # read once for an eval case, whatever is run again
            return step
        worked = Reported(input=15_000 + 5_000 * asked.turn, output=1_500)
        tokens = Reported(input=4_000, output=500) if is_judging(asked) else worked
        self.usd += (3 * tokens.input + 15 * tokens.output) / 1_000_000
        return replace(step, tokens=tokens)

    def take(self) -> float:
        """What was paid since this was asked last."""
        paid, self.usd = self.usd, 0.0
        return paid


async def test_a_run_after_a_change_of_the_skill_costs_little_more_than_half(
    tmp_path: Path, app_key: str
) -> None:
    """Counted where the model is, not by our own books."""
    bill = Bill()
    api = ScriptedModelApi(behaviour=bill)
    async with playing(tmp_path / "scene", app_key, model_api=api) as scene:
        await measure(scene)
        whole = bill.take()
        push(scene, tmp_path / "pushed", another_version(1))
        report = await reported(scene, 2)
        again = bill.take()
        assert begun_without(api) == 1
        assert begun(api) == 3
        assert sum(map(is_reading_outputs, api.requests)) == 4
        assert 0 < again <= 0.55 * whole
        assert LINE in report
        assert "with the skill by 100 points: 100% against 0%" in report


async def test_the_day_is_charged_for_nothing_that_another_run_had_paid(
    tmp_path: Path, app_key: str
) -> None:
    """Our own books agree, and so does what is expected of the next one."""
    api = ScriptedModelApi(models=MODELS, behaviour=Bill())
    async with playing(
        tmp_path / "scene", app_key, model_api=api, model=MODEL, judge_model=MODEL
    ) as scene:
        await measure(scene)
        before = await set_aside_today(scene)
        assert before > WHOLE  # the canaries, which are read once
        again = scene.comment(1, f"@skillbench run {MODEL} --force")
        await scene.reacted(1, again, "rocket")
        assert 0 < await set_aside_today(scene) - before <= WHOLE * Decimal("0.55")
        said = len(scene.bot_comments(1))
        for options in ("", " --fresh"):
            scene.comment(1, f"@skillbench estimate {MODEL} --force{options}")
        await scene.until(lambda: len(scene.bot_comments(1)) == said + 2, "both estimates")
        told = sorted(scene.bot_comments(1)[said:], key=lambda one: "kept session" in one)
        assert f"about ${WHOLE}, about 129k tokens" in told[0]
        assert "about 64.5k tokens" in told[1]
        assert "1 kept session without the skill at hand" in told[1]


async def test_the_report_says_which_session_was_used_again(scene: Scene, tmp_path: Path) -> None:
    """The whole comment."""
    await measure(scene)
    push(scene, tmp_path / "pushed", another_version(1))
    report = re.sub(CHANGED, "<duration>", steady(await reported(scene, 2)))
    assert report == (GOLDEN / "baseline_report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("options", ["--fresh", "--vs self"])
async def test_both_arms_run_where_somebody_asks_for_it(scene: Scene, options: str) -> None:
    await measure(scene)
    asked = scene.comment(1, f"@skillbench run scripted-demo --force {options}")
    await scene.reacted(1, asked, "rocket")
    assert begun(scene.stage.model_api) == 4
    assert "♻️" not in scene.reports(1)[-1]


async def test_both_arms_always_run_where_the_repository_says_so(
    scene: Scene, tmp_path: Path
) -> None:
    folder = write(tmp_path / "strict", {".github/skillbench.yml": "baseline: {max_age_days: 0}\n"})
    scene.repository.push(folder, by=PERSON)
    await measure(scene)
    asked = scene.comment(1, "@skillbench run scripted-demo --force")
    await scene.reacted(1, asked, "rocket")
    assert begun(scene.stage.model_api) == 4


async def test_as_many_trials_are_used_again_as_there_are(tmp_path: Path, app_key: str) -> None:
    """One of three was lost to the platform, also when it ran once more after the others.

    That run has no score. The next one takes the two that were sound, and runs the third.
    """
    api = ScriptedModelApi()
    api.fail(
        SHUT,
        times=len(LOST),
        when=lambda asked: (
            not is_judging(asked) and not has_the_skill(asked) and begun_without(api) in LOST
        ),
    )
    async with playing(tmp_path, app_key, model_api=api) as scene:
        for number, end in ((1, "confused"), (2, "rocket")):
            asked = scene.comment(2, "@skillbench run scripted-demo --trials 3 --force")
            await scene.reacted(2, asked, end)
            assert begun_without(api) == len(LOST) + 2 + (number - 1)
        first, second = scene.reports(2)
        assert "♻️" not in first
        assert "2 of 3 sessions without the skill were those of [run" in second
        third = scene.comment(2, "@skillbench run scripted-demo --trials 3 --force")
        await scene.reacted(2, third, "rocket")
        assert begun_without(api) == len(LOST) + 2 + 1
        assert "3 of 3 sessions without the skill were those of [run" in scene.reports(2)[-1]
        # one trial may use more than each of three may: another measurement
        fourth = scene.comment(2, "@skillbench run scripted-demo --trials 1 --force")
        await scene.reacted(2, fourth, "rocket")
        assert "♻️" not in scene.reports(2)[-1]


async def test_a_session_that_met_another_model_is_not_used_again(
    tmp_path: Path, app_key: str
) -> None:
    """The provider has put another snapshot behind the name: the baseline runs anew."""
    served = "scripted-demo-20260101"

    def answer(asked: Asked) -> Step:
        step = behave(asked)
        assert isinstance(step, Reply)
        return step if is_judging(asked) else replace(step, served_model=served)

    api = ScriptedModelApi(behaviour=answer)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        await measure(scene)
        served = "scripted-demo-20260202"
        asked = scene.comment(1, "@skillbench run scripted-demo --force")
        await scene.reacted(1, asked, "rocket")
        report = scene.reports(1)[-1]
        assert begun(api) == 4
        assert "♻️" not in report
        assert "The session without the skill ran anew: that of run " in report
        assert "the arms were answered by different models" in report
        again = scene.comment(1, "@skillbench run scripted-demo --force")
        await scene.reacted(1, again, "rocket")
        assert begun(api) == 5
        assert LINE in scene.reports(1)[-1]


async def test_a_session_with_the_skill_that_the_platform_ended_takes_no_kept_one(
    tmp_path: Path, app_key: str
) -> None:
    """There is nothing to compare it with, and asking again finds it still there."""
    api = ScriptedModelApi()
    async with playing(tmp_path, app_key, model_api=api) as scene:
        await measure(scene)
        api.fail(HttpError(status=403, type="permission_error"), times=ATTEMPTS, when=has_the_skill)
        asked = scene.comment(1, "@skillbench run scripted-demo --force")
        await scene.reacted(1, asked, "confused")
        assert "Not graded" in scene.reports(1)[-1]
        again = scene.comment(1, "@skillbench run scripted-demo --force")
        await scene.reacted(1, again, "rocket")
        assert begun_without(api) == 1
        assert LINE in scene.reports(1)[-1]


async def test_whoever_carries_a_run_on_uses_the_same_kept_session(
    tmp_path: Path, app_key: str
) -> None:
    """Kill -9 while it is judged, twice: both before and after nothing runs without the skill."""
    gates = [Gate(), Gate()]
    api = ScriptedModelApi()
    async with playing(tmp_path, app_key, model_api=api, worker=False) as scene:
        environment = environment_of(scene.stage.settings)
        async with worker(environment) as first:
            await measure(scene)
            api.fail(Stall(gate=gates[0]), when=has_the_skill)
            asked = scene.comment(1, "@skillbench run scripted-demo --force")
            await asyncio.wait_for(gates[0].reached.wait(), 120)
            first.send_signal(signal.SIGKILL)
            await first.wait()
        api.fail(Stall(gate=gates[1]), when=is_judging)
        async with worker(environment) as second:
            await asyncio.wait_for(gates[1].reached.wait(), 120)
            second.send_signal(signal.SIGKILL)
            await second.wait()
        async with worker(environment):
            await scene.reacted(1, asked, "rocket")
        assert begun_without(api) == 1
        assert LINE in scene.reports(1)[-1]
