"""What gives a comparison away, as people meet it: in a report, over time, and before a run."""

import asyncio
import re
import signal
from pathlib import Path

from demo.model_api import Asked, Gate, ScriptedModelApi, Stall
from demo.model_api.guesser import is_guessing
from tests.stories.scene import Scene, playing
from tests.stories.test_crash import environment_of, worker
from tests.stories.test_repo_file import push
from tests.stories.test_trials import SHUT

GUESSED = re.compile(
    r"- Guesser: `scripted-demo-judge`, asked which scrubbed output( of trial \d)? had the skill, "
    r"named the right one: “.+”\. A guess is right half of the time by chance alone, and changes "
    r"no score; cost: "
)
SCRUBBED = re.compile(r"- Give-aways replaced before judging: \d+ with the skill, \d+ without it\.")


def guesses(api: ScriptedModelApi) -> list[Asked]:
    return [asked for asked in api.requests if is_guessing(asked)]


async def a_report(scene: Scene, command: str = "run scripted-demo") -> str:
    """The last report on issue 2 once a command has ended."""
    asked = scene.comment(2, f"@skillbench {command}")
    await scene.reacted(2, asked, "rocket")
    return scene.reports(2)[-1]


async def the_answer(scene: Scene, command: str, holds: str) -> str:
    before = len(scene.bot_comments(2))
    scene.comment(2, f"@skillbench {command}")
    await scene.until(
        lambda: any(holds in one for one in scene.bot_comments(2)[before:]), f"the {command}"
    )
    return scene.bot_comments(2)[-1]


async def test_a_guess_is_told_in_the_report_and_over_time_in_the_summary(
    tmp_path: Path, app_key: str
) -> None:
    """The name of the file that the skill writes stands in the task, so no scrub may take it."""
    api = ScriptedModelApi()
    async with playing(tmp_path, app_key, model_api=api, guesser_share=1.0) as scene:
        report = await a_report(scene)
        [asked] = guesses(api)
        trials = await a_report(scene, "run scripted-demo --trials 2 --force")
        again = await a_report(scene, "rejudge")
        assert len(guesses(api)) == 2
        summary = await the_answer(scene, "summary --skill release-notes", "Summary of")
    assert (asked.tools, asked.turn) == ((), 0)
    assert "with_skill" not in asked.prompt
    assert GUESSED.search(report), report
    assert '"guess": true' in report
    assert "Higher with the skill by 100 points: 100% against 0%" in report
    assert "of trial 1 had the skill" in trials
    for said in (report, trials, again):
        assert SCRUBBED.search(said), said
        assert "4 assertions: " in said
    assert GUESSED.search(again), again
    assert "#### Do outputs give their arm away?" in summary
    assert "| 2 of 2: 100% (34.2% to 100%) | nothing can be said: the interval holds one" in summary


async def test_a_guesser_that_fails_changes_nothing_and_is_said(
    tmp_path: Path, app_key: str
) -> None:
    api = ScriptedModelApi()
    api.fail(SHUT, when=is_guessing)
    async with playing(tmp_path, app_key, model_api=api, guesser_share=1.0) as scene:
        report = await a_report(scene)
        summary = await the_answer(scene, "summary --skill release-notes", "Summary of")
    assert len(guesses(api)) == 1
    assert "Higher with the skill by 100 points: 100% against 0%" in report
    assert "- Guesser: not guessed, which changes nothing: its model could not be reached" in report
    assert '"guess"' not in report
    assert "give their arm away" not in summary


async def test_a_worker_lost_while_the_guesser_is_asked_costs_one_question_and_no_result(
    tmp_path: Path, app_key: str
) -> None:
    """Kill -9: sessions and scores are there already, the report comes once, with the guess."""
    gate, api = Gate(), ScriptedModelApi()
    api.fail(Stall(gate=gate), times=1, when=is_guessing)
    async with playing(tmp_path, app_key, model_api=api, worker=False, guesser_share=1.0) as scene:
        environment = environment_of(scene.stage.settings)
        async with worker(environment) as first:
            scene.label(2)
            await asyncio.wait_for(gate.reached.wait(), 120)
            others = len(api.requests) - len(guesses(api))
            first.send_signal(signal.SIGKILL)
            await first.wait()
        async with worker(environment):
            await scene.label_gone(2)
        [report] = scene.reports(2)
    assert len(guesses(api)) == 2
    assert len(api.requests) - len(guesses(api)) == others
    assert GUESSED.search(report), report


async def test_a_model_that_nobody_serves_is_said(tmp_path: Path, app_key: str) -> None:
    async with playing(tmp_path, app_key, guesser_share=1.0, guesser_model="claude-haiku") as scene:
        report = await a_report(scene)
    assert "Higher with the skill by 100 points: 100% against 0%" in report
    assert "- Guesser: not guessed, which changes nothing: " in report
    assert "claude-haiku" in report


async def test_a_repository_may_do_without_it_and_estimates_tell_of_it(
    tmp_path: Path, app_key: str
) -> None:
    api = ScriptedModelApi()
    async with playing(tmp_path / "scene", app_key, model_api=api, guesser_share=0.5) as scene:
        wanted = await the_answer(scene, "estimate scripted-demo", "stimate")
        push(scene, tmp_path / "pushed", "guesser: false\n")
        report = await a_report(scene)
        unwanted = await the_answer(scene, "estimate scripted-demo --force", "stimate")
    assert "a guesser is asked about 50% of runs" in wanted
    assert "guesser" not in unwanted
    assert "Guesser" not in report
    assert guesses(api) == []


async def test_lint_tells_what_its_assertions_test(scene: Scene, tmp_path: Path) -> None:
    folder = tmp_path / "pushed"
    push(scene, folder, "canaries: false\n")
    text = (folder / "_automation/evals/github-issue-2.json").read_text()
    first = re.search(r'"assertions": \[\s*"([^"]+)"', text)
    assert first
    copied = "Breaking changes come first, then features, then fixes"
    (folder / "_automation/evals/github-issue-2.json").write_text(
        text.replace(first[1], copied).replace(
            copied + '"', copied + '", "Uses the script group.sh", "Calls the shell"', 1
        )
    )
    scene.repository.push(folder, by="maria")
    lint = await the_answer(scene, "lint", "Lint")
    assert "| A1 | stands word for word in the skill's SKILL.md" in lint
    assert "| A2 | tests how the work was done, not what came of it" in lint
    report = await a_report(scene)
    assert "; A1 stands word for word in SKILL.md" in report
