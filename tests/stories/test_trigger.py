"""How often a description makes an agent use its skill, asked and answered on an issue."""

import re
from pathlib import Path

import pytest

from bot.blobs import Blobs
from demo.model_api import Asked, HttpError, Reply, ScriptedModelApi
from demo.model_api.behaviour import behave
from demo.model_api.steps import Step
from jobs.dashboard.triggers import find_trigger_history
from tests.jobs.claude_code.sessions import real_cli
from tests.stories.scene import Scene, playing
from tests.stories.triggers import (
    MODEL,
    MODELS,
    TRIGGER,
    a_set,
    ask,
    queries,
    reports,
    seeded,
    spent,
    without_bill,
)

GOLDEN = Path(__file__).parent / "golden"


async def test_a_description_is_measured_and_reported(tmp_path: Path, app_key: str) -> None:
    """The whole road, with a model that has a price."""
    api = ScriptedModelApi(models=MODELS)
    async with playing(tmp_path, app_key, model_api=api, model=MODEL) as scene:
        assert await ask(scene, TRIGGER) == "rocket"
        [report] = reports(scene)
        assert without_bill(report) == (GOLDEN / "trigger_report.md").read_text(encoding="utf-8")
        living, _ = scene.bot_comments(2)
        assert "### Finished: 1 report" in living
        assert "· cost $" in living
        assert len(queries(scene)) == 30
        assert 0 < await spent(scene) < 1


async def test_the_same_is_measured_in_the_real_claude_code(tmp_path: Path, app_key: str) -> None:
    """Skills installed for real: what fires is what fires in our own loop."""
    binary = str(real_cli().binary)
    async with playing(tmp_path, app_key, claude_binary=binary, queries_at_once=4) as scene:
        command = f"{TRIGGER} --launcher claude-code --runs-per-query 1"
        assert await ask(scene, command) == "rocket"
        [report] = reports(scene)
    assert "fires when it should in 3 of 6 queries" in report
    assert "stays quiet when it should in 4 of 4 queries" in report
    assert re.search(r"launcher `claude-code` `2\.\d+\.\d+`", report)
    assert "`csv-profile`" in report


async def test_what_was_measured_is_not_measured_again_unless_forced(scene: Scene) -> None:
    await ask(scene, TRIGGER)
    paid = len(queries(scene))
    assert await ask(scene, TRIGGER) == "rocket"
    said = scene.bot_comments(2)[-1]
    assert "Measured before" in said
    assert re.search(r"\[the report\]\(http://127\.0\.0\.1:\d+/sample-org/skills/issues/2#", said)
    assert len(queries(scene)) == paid
    await ask(scene, f"{TRIGGER} --alone")
    assert len(reports(scene)) == 2, "other neighbours are another measurement"
    await ask(scene, f"{TRIGGER} --force")
    assert len(reports(scene)) == 3
    blobs = Blobs(scene.stage.settings.blobs)
    history = await find_trigger_history(scene.repository.full_name, "release-notes", blobs)
    assert len(history) == 3, "each measurement is a point of the skill's history"
    assert {one.url in said for one in history} == {True, False}, "and knows its report"


async def test_the_models_of_the_repositorys_file_go_before_the_operators(
    tmp_path: Path, app_key: str
) -> None:
    api = ScriptedModelApi(models=MODELS)
    seed = seeded(tmp_path, {".github/skillbench.yml": f"models: [{MODEL}]\n"})
    async with playing(tmp_path, app_key, model_api=api, seed=seed) as scene:
        assert await ask(scene, f"{TRIGGER} --runs-per-query 1") == "rocket"
        assert {one.model for one in queries(scene)} == {MODEL}
        assert await ask(scene, f"{TRIGGER} scripted-demo --runs-per-query 1") == "rocket"
        assert {one.model for one in queries(scene)} == {MODEL, "scripted-demo"}


async def test_several_models_are_measured_one_after_the_other(
    tmp_path: Path, app_key: str
) -> None:
    """One living comment, a report for each; a name that is none is refused for itself."""
    api = ScriptedModelApi(models=MODELS)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        command = f"{TRIGGER} {MODEL} scripted-demo nosuch-1 --runs-per-query 1"
        assert await ask(scene, command) == "confused"
        assert len(reports(scene)) == 2
        assert "2 reports, 1 without a result" in scene.bot_comments(2)[0]
        models = [one.model for one in queries(scene)]
        assert models == [MODEL] * 10 + ["scripted-demo"] * 10


async def test_a_missing_eval_set_is_answered_with_the_three_places(scene: Scene) -> None:
    assert await ask(scene, "@skillbench trigger --skill csv-profile") == "confused"
    said = scene.bot_comments(2)[-1]
    assert "## Trigger queries" in said
    assert "`csv-profile/evals/trigger.json`" in said
    assert "`--eval-set PATH`" in said
    assert scene.stage.model_api.requests == []


async def test_without_a_word_of_which_skill_the_skills_are_named(scene: Scene) -> None:
    assert await ask(scene, "@skillbench trigger") == "confused"
    said = scene.bot_comments(2)[-1]
    assert "`csv-profile`" in said
    assert "`--skill`" in said


POSITIVES = """\
## Skills

release-notes

## Trigger queries

### Should trigger

- Turn these commit subjects into a changelog.
- <b>@everyone</b> | write release notes `now`
"""


async def test_an_issue_can_hold_the_queries_and_hostile_ones_do_no_harm(
    tmp_path: Path, app_key: str
) -> None:
    """Only positives: a report that says what was not measured."""
    seed = seeded(tmp_path, {}, body=POSITIVES)
    async with playing(tmp_path, app_key, seed=seed) as scene:
        assert await ask(scene, "@skillbench trigger --runs-per-query 1", issue=7) == "rocket"
        [report] = reports(scene, issue=7)
    assert "fires when it should in 2 of 2 queries" in report.split("\n")[1]
    assert "stays quiet" not in report.split("\n")[1]
    assert "how often it fires when it should not was not measured" in report
    assert "<b>" not in report
    assert "@everyone" not in report


@pytest.mark.parametrize(
    ("files", "command", "words"),
    [
        ({"q.json": "[]"}, "--eval-set q.json", "holds no queries"),
        ({"q.json": "{"}, "--eval-set ./q.json", "no valid JSON"),
        ({}, "--eval-set ../../etc/passwd", "is no file"),
        (
            {"old/release-notes/SKILL.md": "---\nname: release-notes\ndescription: Old.\n---\n"},
            "--skill release-notes/",
            "two skills are called `release-notes`",
        ),
    ],
    ids=["empty", "no JSON", "outside", "two of one name"],
)
async def test_what_cannot_be_measured_is_refused_for_nothing(
    tmp_path: Path, app_key: str, files: dict[str, str], command: str, words: str
) -> None:
    seed = seeded(tmp_path, files)
    async with playing(tmp_path, app_key, seed=seed) as scene:
        asked = TRIGGER if "--skill" not in command else "@skillbench trigger"
        assert await ask(scene, f"{asked} {command}") == "confused"
        assert words in scene.bot_comments(2)[-1]
        assert scene.stage.model_api.requests == []


def never_use_a_skill(asked: Asked) -> Step:
    return Reply(text="I do it myself.") if "Skill" in asked.tools else behave(asked)


async def test_a_model_that_never_uses_skills_is_no_verdict_about_the_skill(
    tmp_path: Path, app_key: str
) -> None:
    api = ScriptedModelApi(behaviour=never_use_a_skill)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        assert await ask(scene, TRIGGER) == "confused"
        said = scene.bot_comments(2)[-1]
        assert "The skill is not to blame" in said
        assert queries(scene) == []


async def test_sessions_that_break_are_missing_and_said_to_be(tmp_path: Path, app_key: str) -> None:
    """Never counted as quiet: the other queries stand, this one has no rate."""
    api = ScriptedModelApi()
    broken = HttpError(status=400, type="invalid_request_error", message="this one is refused")
    api.fail(broken, times=1_000, when=lambda asked: "which columns have gaps" in asked.prompt)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        await ask(scene, f"{TRIGGER} --runs-per-query 1")
        [report] = reports(scene)
        assert "no session seen" in report
        assert "1 query was not measured" in report
        assert "### Sessions that broke" in report
        assert "in 3 of 3 queries" in report
        await ask(scene, f"{TRIGGER} --runs-per-query 1")
        assert len(reports(scene)) == 2, "what has gaps may be measured again"


async def test_what_costs_more_than_a_run_may_waits_for_a_yes(tmp_path: Path, app_key: str) -> None:
    """The answer holds the numbers, and the very line to copy."""
    async with playing(tmp_path, app_key, max_tokens_per_run=100_000) as scene:
        assert await ask(scene, TRIGGER) == "confused"
        said = scene.bot_comments(2)[-1]
        assert "at most 34 sessions" in said
        assert "100,000 tokens" in said
        [line] = re.findall(r"^@skillbench .*$", said, re.MULTILINE)
        assert line == f"{TRIGGER} --yes"
        assert scene.stage.model_api.requests == []
        assert await ask(scene, line) == "rocket"
        assert len(reports(scene)) == 1


async def test_the_name_of_a_file_does_no_harm(tmp_path: Path, app_key: str) -> None:
    """A source is a path that somebody chose."""
    name = "a|b <i>@everyone`.json"
    seed = seeded(tmp_path, {name: a_set(("Write release notes", True))})
    async with playing(tmp_path, app_key, seed=seed) as scene:
        await ask(scene, f'{TRIGGER} --eval-set "{name}" --runs-per-query 1')
        [report] = reports(scene)
    assert "@everyone" not in report.replace(f'--eval-set "{name}"', "")
    assert "<i>" not in report
