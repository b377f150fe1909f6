"""Enough, not more: trials through the front door until it is sure, and tiers."""

import asyncio
import json
import re
import signal
from pathlib import Path

from demo.model_api import Asked, Gate, Reply, ScriptedModelApi, Stall
from demo.model_api.behaviour import behave
from demo.model_api.steps import Step
from tests.stories.eval_sets import ended
from tests.stories.pulls import check_on, mark_eval, open_pull, tree
from tests.stories.pulls import ended as pull_ended
from tests.stories.scene import Scene, playing
from tests.stories.test_cancel import MODEL, MODELS, cancelled
from tests.stories.test_crash import environment_of, is_judging, sessions, worker
from tests.stories.test_environments import define
from tests.stories.test_trials import ATTEMPTS, SHUT, begun, has_the_skill

RUN = "@skillbench run scripted-demo --until-sure"
SURE = "**Until sure** 🎯 sure after 8 of at most 20 trials that the score is higher with the skill"


def alike(asked: Asked) -> Step:
    """The judge finds nothing of what is asked in either output."""
    reply = behave(asked)
    if not is_judging(asked):
        return reply
    answer = json.loads(reply.text)
    for one in answer["verdicts"]:
        one |= {"verdict": "fail", "quotation": ""}
    return Reply(text=json.dumps(answer))


async def test_a_skill_that_always_wins_is_sure_after_eight_trials_and_no_more_are_paid(
    scene: Scene,
) -> None:
    """The rule, its error rate and what it is about stand in the report; the marker says why."""
    report = await ended(scene, RUN)
    assert begun(scene.stage.model_api) == 16
    assert SURE in report
    assert "(8 wins, 0 ties, 0 losses; e-value 56.8)" in report
    assert "This is about this one eval case" in report
    assert "at most 5% of the time" in report
    assert ", mean of 8 trials" in report
    assert '"trials": 8' in report
    assert '"stopped": {"why": "higher", "wins": 8, "ties": 0, "losses": 0, "most": 20}' in report


async def test_what_was_sure_is_not_measured_again_unless_the_cap_is_higher(scene: Scene) -> None:
    """Eight trials are eight trials to whoever asks for a fixed number."""
    await ended(scene, f"{RUN} --trials 12")
    for command in (f"{RUN} --trials 10", "@skillbench run scripted-demo --trials 8"):
        said = scene.comment(2, command)
        await scene.reacted(2, said, "rocket")
        assert "Measured before" in scene.bot_comments(2)[-1]
    assert begun(scene.stage.model_api) == 16
    await ended(scene, RUN)
    assert len(scene.reports(2)) == 2


async def test_trials_that_can_show_nothing_any_more_stop_early(
    tmp_path: Path, app_key: str
) -> None:
    """With a cap of eight a single tie is one too many."""
    api = ScriptedModelApi(behaviour=alike)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        report = await ended(scene, f"{RUN} --trials 8")
    assert begun(api) == 2
    assert "🤷 not sure after 1 of at most 8 trials; stopped, since even if all of the" in report


async def test_fewer_trials_than_can_ever_be_enough_are_refused_with_the_number(
    scene: Scene,
) -> None:
    asked = scene.comment(2, f"{RUN} --trials 5")
    await scene.reacted(2, asked, "confused")
    [answer] = scene.bot_comments(2)
    assert "5 trials can never be enough to be sure: it takes 8 at least" in answer
    assert begun(scene.stage.model_api) == 0


async def test_a_limit_that_the_fewest_trials_are_expected_to_pass_refuses_it_with_the_numbers(
    tmp_path: Path, app_key: str
) -> None:
    """What one trial took is known; half of what eight take is no limit to be sure within."""
    api = ScriptedModelApi(models=MODELS)
    async with playing(tmp_path, app_key, model_api=api, judge_model=MODEL) as scene:
        report = await ended(scene, f"@skillbench run {MODEL}")
        [cost] = re.findall(r'"cost_usd": ([0-9.]+)', report)
        define(scene.repository, f"budgets:\n  per_run: {float(cost) * 4:.4f}\n")
        paid = len(api.requests)
        refused = scene.comment(2, f"@skillbench run {MODEL} --until-sure --fresh")
        await scene.reacted(2, refused, "confused")
        said = scene.bot_comments(2)[-1]
        assert "with 8 trials, the fewest that can be enough to be sure, is expected" in said
        assert len(api.requests) == paid


async def test_a_trial_that_stays_lost_ends_the_run(tmp_path: Path, app_key: str) -> None:
    """Run once more it fails again, and there is no score then: no further trial is paid."""
    api = ScriptedModelApi()
    api.fail(SHUT, times=2 * ATTEMPTS, when=has_the_skill)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        asked = scene.comment(2, RUN)
        await scene.reacted(2, asked, "confused")
        [report] = scene.reports(2)
    assert "Not graded" in report
    assert "**Until sure**" not in report
    assert sum(map(has_the_skill, api.requests)) == 2 * ATTEMPTS


async def test_a_worker_lost_in_the_middle_comes_to_the_same_decision(
    tmp_path: Path, app_key: str
) -> None:
    """Kill -9 while the fifth trial is judged: its sessions and what came before are kept."""
    gate = Gate()
    api = ScriptedModelApi()
    api.fail(Stall(gate=gate), when=lambda asked: is_judging(asked) and begun(api) == 10)
    async with playing(tmp_path, app_key, model_api=api, worker=False) as scene:
        environment = environment_of(scene.stage.settings)
        async with worker(environment) as first:
            asked = scene.comment(2, RUN)
            await asyncio.wait_for(gate.reached.wait(), 120)
            paid = sessions(scene)
            first.send_signal(signal.SIGKILL)
            await first.wait()
        async with worker(environment):
            await scene.reacted(2, asked, "rocket")
        [report] = scene.reports(2)
        assert begun(api) == 16
        assert sessions(scene) - paid == paid * 3 / 5
    assert SURE in report


async def test_trials_that_ended_before_a_cancel_are_taken_over(
    tmp_path: Path, app_key: str
) -> None:
    """Whoever asks for the same again pays for what is missing."""
    gate = Gate()
    api = ScriptedModelApi()
    api.fail(Stall(gate=gate), when=lambda asked: is_judging(asked) and begun(api) == 6)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        first = scene.comment(2, RUN)
        await asyncio.wait_for(gate.reached.wait(), 60)
        scene.comment(2, "@skillbench cancel")
        await scene.reacted(2, first, "confused")
        await cancelled(scene, 2)
        report = await ended(scene, RUN)
    assert begun(api) == 16
    assert SURE in report


async def test_another_judge_may_take_the_certainty_away(tmp_path: Path, app_key: str) -> None:
    """`rejudge` adds no trial, and says what its verdicts show."""
    is_other = False

    def behave_now(asked: Asked) -> Step:
        return alike(asked) if is_other else behave(asked)

    api = ScriptedModelApi(behaviour=behave_now)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        await ended(scene, RUN)
        paid = begun(api)
        is_other = True
        asked = scene.comment(2, "@skillbench rejudge")
        await scene.reacted(2, asked, "rocket")
        assert begun(api) == paid
        said = scene.bot_comments(2)[-1]
    assert "sure by the judge before, and by this one no longer (0 wins, 8 ties, 0 losses" in said


async def test_tiers_are_set_side_by_side_and_one_is_chosen(scene: Scene) -> None:
    """`estimate` starts nothing; `--tier standard` is three trials."""
    await ended(scene, "@skillbench run scripted-demo --tier standard")
    assert '"trials": 3' in scene.reports(2)[-1]
    asked = scene.comment(2, "@skillbench estimate scripted-demo --tier thorough")
    await scene.until(lambda: "🧮" in scene.bot_comments(2)[-1], "the estimate")
    said = scene.bot_comments(2)[-1]
    assert "| `quick` | one trial: a first look | " in said
    assert "| `standard` | three trials: how steady it is | " in said
    assert "about 11 of at most 20 trials" in said
    assert scene.reactions(2, asked) == ["eyes"]
    assert begun(scene.stage.model_api) == 6


async def test_on_a_pull_request_trials_of_each_eval_case_are_added(
    scene: Scene, tmp_path: Path
) -> None:
    """`--eval all` is what a pull request measures anyway; two versions alike are a tie."""
    mark_eval(scene)
    number = open_pull(scene, tree(tmp_path / "1", "Be brief."))
    await check_on(scene, number)
    scene.comment(number, "@skillbench run --eval all --until-sure --trials 8")
    await pull_ended(scene, number)
    [report] = scene.reports(number)
    assert "🤷 not sure after 1 of at most 8 trials" in report
    assert begun(scene.stage.model_api) == 2
