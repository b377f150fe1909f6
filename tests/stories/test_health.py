"""Whether a measurement may be believed comes first: what makes it void leaves no number behind."""

import asyncio
import json
import signal
import zipfile
from pathlib import Path
from typing import Any

import pytest

from demo.github import LocalGitHub, RepositoryHandle
from demo.model_api import Asked, Call, Gate, HttpError, Reply, ScriptedModelApi, Stall
from demo.model_api.behaviour import behave
from demo.model_api.steps import Step
from demo.play import HERE, seed_samples
from tests.jobs.claude_code.sessions import real_cli
from tests.stories.pushes import write
from tests.stories.scene import PERSON, Scene, playing
from tests.stories.test_crash import environment_of, is_judging, is_reading_outputs, worker
from tests.stories.test_environments import spending
from tests.stories.test_trials import begun

LAUNCHERS = ["api", "claude-code"]
SHUT = HttpError(status=403, type="permission_error")
OFFERED = "- csv-profile: "
DORMANT = """\
## Skills
- csv-profile

## Should load
no

## Query
Say in one sentence what a release note is.

## Rubric Criteria (Assertions)
- Says that it tells users what changed
"""


def manifests(scene: Scene) -> list[dict[str, Any]]:
    """What is written down of every run, in the bot's own store."""
    folder = scene.stage.settings.data_dir / "blobs" / "runs"
    return [json.loads(place.read_text()) for place in folder.glob("*/manifest.json")]


def archived(scene: Scene, name: str) -> dict[str, Any]:
    """A file of the only archive."""
    [archive] = (scene.stage.settings.data_dir / "blobs" / "archives").glob("*.zip")
    with zipfile.ZipFile(archive) as packed:
        return json.loads(packed.read(name))


def only_report(scene: Scene, issue: int) -> str:
    [report] = scene.reports(issue)
    return report


@pytest.mark.parametrize("launcher", LAUNCHERS)
async def test_what_a_run_is_to_consist_of_is_written_down_before_its_first_session(
    tmp_path: Path, app_key: str, launcher: str
) -> None:
    """When the first session asks for its first answer, the manifest is there."""
    there: list[int] = []
    scenes: list[Scene] = []

    def look(asked: Asked) -> Step:
        if not is_judging(asked):
            there.append(len(manifests(scenes[0])))
        return behave(asked)

    binary = str(real_cli().binary)
    api = ScriptedModelApi(behaviour=look)
    async with playing(tmp_path, app_key, model_api=api, claude_binary=binary) as scene:
        scenes.append(scene)
        asked = scene.comment(1, f"@skillbench run scripted-demo --launcher {launcher}")
        await scene.reacted(1, asked, "rocket")
        [manifest] = manifests(scene)
        report = only_report(scene, 1)
        kept, result = archived(scene, "manifest.json"), archived(scene, "result.json")["run"]
    assert set(there) == {1}
    assert kept == manifest
    assert [(one["arm"], one["order"]) for one in manifest["sessions"]] == [
        ("with_skill", 1),
        ("without_skill", 2),
    ]
    assert manifest["sessions"][1]["skill_sha"] == "no skill"
    assert [one["number"] for one in manifest["readings"]] == [1, 2]
    met = {
        name: [one[name] for one in result["sessions"]]
        for name in ("launcher_version", "limits", "memory_mb", "sandbox", "environment")
    }
    assert met == {name: [manifest["conditions"][name]] * 2 for name in met}
    assert bool(manifest["conditions"]["launcher_version"]) is (launcher == "claude-code")
    assert "2 sessions and 2 readings expected, observed and scored" in report
    assert "baseline proven free of the skill" in report
    assert result["sessions"][1]["skill_traces"] == []
    assert result["sessions"][1]["skills_listed"] == []


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("", ""),
        ("SKILLBENCH_SESSION_MAX_TURNS", "limits: turns {} at first, {} then"),
        ("SKILLBENCH_SESSION_MEMORY_MB", "memory in MB: {} at first, {} then"),
    ],
    ids=["the same world", "another limit", "other memory"],
)
async def test_a_run_is_carried_on_in_the_world_in_which_it_began_or_not_at_all(
    tmp_path: Path, app_key: str, setting: str, told: str
) -> None:
    """Killed in its second trial: the first manifest holds, and a changed world is said."""
    gate = Gate()
    api = ScriptedModelApi()
    api.fail(Stall(gate=gate), when=lambda asked: not is_judging(asked) and begun(api) > 2)
    async with playing(tmp_path, app_key, model_api=api, worker=False) as scene:
        environment = environment_of(scene.stage.settings)
        async with worker(environment) as first:
            asked = scene.comment(2, "@skillbench run scripted-demo --trials 2")
            await asyncio.wait_for(gate.reached.wait(), 120)
            before = manifests(scene)
            first.send_signal(signal.SIGKILL)
            await first.wait()
        paid = len(api.requests)
        was = int(environment.get(setting, 0))
        changed = {setting: str(was + 1)} if setting else {}
        async with worker(environment | changed):
            await scene.reacted(2, asked, "confused" if told else "rocket")
        report = only_report(scene, 2)
        assert manifests(scene) == before
        if not told:
            assert "4 sessions and 4 readings expected, observed and scored" in report
            return
        said = f"invalid: the world changed while the run went on: {told.format(was, was + 1)}"
        assert said in report
        assert "sessions: 4 expected, 2 observed, 2 scored" in report
        assert '"score": null' in report
        assert not [one for one in api.requests[paid:] if not is_judging(one)]


@pytest.mark.parametrize("launcher", LAUNCHERS)
async def test_a_task_that_tells_what_the_skill_says_is_refused_before_money(
    tmp_path: Path, app_key: str, launcher: str
) -> None:
    """The arm without the skill would read it in its own task."""
    words = (HERE / "sample" / "csv-profile" / "SKILL.md").read_text().split("---")[2]
    body = (
        f"## Skills\n- csv-profile\n\n## Query\nProfile it.\n{words}\n\n## Rubric Criteria\n- x\n"
    )

    def seed(github: LocalGitHub) -> RepositoryHandle:
        repository = seed_samples(github)
        repository.open_issue(author=PERSON, title="Told", body=body, number=7)
        return repository

    binary = str(real_cli().binary)
    async with playing(tmp_path, app_key, seed=seed, claude_binary=binary) as scene:
        asked = scene.comment(7, f"@skillbench run scripted-demo --launcher {launcher}")
        await scene.reacted(7, asked, "confused")
        assert "passage of the SKILL.md of `csv-profile`" in scene.bot_comments(7)[-1]
        assert scene.stage.model_api.requests == []
        assert await spending(scene) == []


async def test_a_copy_of_the_skill_among_the_inputs_is_refused_by_name(
    tmp_path: Path, app_key: str
) -> None:
    text = (HERE / "sample" / "csv-profile" / "SKILL.md").read_text()
    folder = write(tmp_path / "tree", {"notes/how-to.md": text})
    body = (
        "## Skills\n- csv-profile\n\n## Query\nProfile it.\n\n"
        "## Attached Files / Input Context\n- notes/how-to.md\n\n## Rubric Criteria\n- x\n"
    )

    def seed(github: LocalGitHub) -> RepositoryHandle:
        repository = seed_samples(github)
        repository.push(folder, by=PERSON)
        repository.open_issue(author=PERSON, title="Copy", body=body, number=7)
        return repository

    async with playing(tmp_path / "scene", app_key, seed=seed) as scene:
        asked = scene.comment(7, "@skillbench run scripted-demo")
        await scene.reacted(7, asked, "confused")
        said = scene.bot_comments(7)[-1]
        assert "`notes/how-to.md`, which is the `SKILL.md` of the skill `csv-profile`" in said
        assert scene.stage.model_api.requests == []


async def test_a_judge_s_outage_is_no_score_and_reading_again_gives_it_without_a_session(
    tmp_path: Path, app_key: str
) -> None:
    """One order of two is missing: no number anywhere, until a judge has read both."""
    api = ScriptedModelApi()
    api.fail(SHUT, times=1, when=is_reading_outputs)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        asked = scene.comment(2, "@skillbench run scripted-demo")
        await scene.reacted(2, asked, "confused")
        report = only_report(scene, 2)
        assert "invalid: reading " in report
        assert "readings: 2 expected, 2 observed, 1 scored" in report
        assert '"score": null' in report
        sessions = begun(api)
        again = scene.comment(2, "@skillbench rejudge")
        await scene.reacted(2, again, "rocket")
        assert '"score": {' in scene.reports(2)[-1]
        assert begun(api) == sessions


def load_it(asked: Asked) -> Step:
    """Load the skill wherever it is offered, also for a task that is none for it."""
    listed = OFFERED in asked.system or OFFERED in asked.prompt
    if "Skill" in asked.tools and listed and asked.turn == 0:
        return Reply(calls=(Call("Skill", {"skill": "csv-profile"}),))
    return behave(asked)


def with_dormant_case(github: LocalGitHub) -> RepositoryHandle:
    repository = seed_samples(github)
    repository.open_issue(author=PERSON, title="Not for it", body=DORMANT, number=7)
    return repository


@pytest.mark.parametrize("launcher", LAUNCHERS)
@pytest.mark.parametrize("wakes", [False, True], ids=["dormant", "woken"])
async def test_a_skill_that_is_to_stay_dormant_is_scored_on_that(
    tmp_path: Path, app_key: str, launcher: str, wakes: bool
) -> None:
    """Nobody names a mode: it runs where an agent may choose, by either launcher."""
    api = ScriptedModelApi(behaviour=load_it if wakes else behave)
    binary = str(real_cli().binary)
    async with playing(
        tmp_path, app_key, seed=with_dormant_case, model_api=api, claude_binary=binary
    ) as scene:
        asked = scene.comment(7, f"@skillbench run scripted-demo --launcher {launcher}")
        await scene.reacted(7, asked, "rocket")
        report = only_report(scene, 7)
    headline = next(line for line in report.splitlines() if line.startswith("## "))
    stayed = "🔴 Stayed dormant in 0 of 1" if wakes else "🟢 Stayed dormant in 1 of 1"
    assert headline.startswith(f"## {stayed} sessions, and did no harm")
    assert "### Did it stay dormant?" in report
    assert '"should_load": false' in report
    assert f'"loaded": {{"loaded": {int(wakes)}, "all": 1}}' in report


async def test_a_skill_that_is_to_stay_dormant_cannot_be_put_into_the_prompt(
    tmp_path: Path, app_key: str
) -> None:
    async with playing(tmp_path, app_key, seed=with_dormant_case) as scene:
        asked = scene.comment(7, "@skillbench run scripted-demo --mode forced")
        await scene.reacted(7, asked, "confused")
        assert "Ask for `--mode installed`" in scene.bot_comments(7)[-1]
        assert scene.stage.model_api.requests == []
