"""Two versions of a skill against each other, asked for in the ways people ask."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from demo.model_api import ScriptedModelApi
from tests.jobs.claude_code.sessions import real_cli
from tests.stories.scene import Scene, playing
from tests.stories.test_crash import is_judging
from tests.stories.versions import SAID_NOW, TwoVersions

CASE = 2
"""The issue whose eval case is about `release-notes`."""


@pytest.fixture
def versions(tmp_path: Path) -> TwoVersions:
    return TwoVersions(tmp_path)


@pytest.fixture
async def scene(tmp_path: Path, app_key: str, versions: TwoVersions) -> AsyncIterator[Scene]:
    async with playing(tmp_path, app_key, seed=versions) as playing_scene:
        yield playing_scene


async def test_a_version_is_compared_with_the_one_before(
    scene: Scene, versions: TwoVersions
) -> None:
    """Each session has its own version's text, and the report speaks of versions alone."""
    asked = scene.comment(CASE, "@skillbench run scripted-demo --vs previous")
    await scene.reacted(CASE, asked, "rocket")
    [report] = scene.reports(CASE)
    assert "| | This version | Base version |" in report
    assert '"score": {"candidate_skill": ' in report
    assert f"at commit `{versions.first[:7]}` (`--vs previous`)" in report
    shown, _, _ = report.partition("<!-- skillbench:v1")
    assert "without it" not in shown.lower()
    assert "with the skill" not in shown.lower()
    prompts = {one.prompt for one in scene.stage.model_api.requests if not is_judging(one)}
    told = [SAID_NOW in prompt for prompt in prompts if "===== BEGIN SKILL.md =====" in prompt]
    assert sorted(told) == [False, True]


async def test_two_names_for_one_version_are_one_run(scene: Scene, versions: TwoVersions) -> None:
    """`previous` and the commit's SHA lead to the same skill SHA."""
    first = scene.comment(CASE, "@skillbench run scripted-demo --vs previous")
    await scene.reacted(CASE, first, "rocket")
    second = scene.comment(CASE, f"@skillbench run scripted-demo --vs @{versions.first[:10]}")
    await scene.reacted(CASE, second, "rocket")
    assert len(scene.reports(CASE)) == 1
    reply = scene.bot_comments(CASE)[-1]
    assert "Measured before" in reply
    assert "with this version" in reply


async def test_a_version_is_not_compared_with_itself_unless_that_is_asked(scene: Scene) -> None:
    """`main` is the head: nothing to compare; `self` measures the noise, and says so."""
    asked = scene.comment(CASE, "@skillbench run scripted-demo --vs main")
    await scene.reacted(CASE, asked, "confused")
    assert "there is nothing to compare" in scene.bot_comments(CASE)[-1]
    assert scene.stage.model_api.requests == []
    again = scene.comment(CASE, "@skillbench run scripted-demo --vs self")
    await scene.reacted(CASE, again, "rocket")
    [report] = scene.reports(CASE)
    assert "both arms had the same version, so a difference is noise" in report
    assert '"vs": "self"' in report


async def test_commits_that_leave_a_skill_as_it_is_are_no_versions_of_it(
    scene: Scene, versions: TwoVersions
) -> None:
    """A skill's evals are not the skill; the version before is looked for behind them."""
    versions.change("release-notes/evals/notes.md", "Only about evals.\n")
    versions.push(scene.repository)
    asked = scene.comment(CASE, "@skillbench run scripted-demo --vs previous")
    await scene.reacted(CASE, asked, "rocket")
    [report] = scene.reports(CASE)
    assert f"at commit `{versions.first[:7]}` (`--vs previous`)" in report


async def test_a_skill_without_another_version_is_compared_with_none(scene: Scene) -> None:
    """Issue 1 is about a skill that never changed."""
    asked = scene.comment(1, "@skillbench run scripted-demo --vs previous")
    await scene.reacted(1, asked, "rocket")
    [report] = scene.reports(1)
    assert "There is no previous version" in report
    assert '"score": {"with_skill": ' in report
    again = scene.comment(1, "@skillbench run scripted-demo --vs previous")
    await scene.reacted(1, again, "rocket")
    answer = scene.bot_comments(1)[-1]
    assert "Measured before" in answer
    assert "There is no previous version of `csv-profile`" in answer


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("@0123456789abcdef", "there is no commit `0123456789abcdef`"),
        ("ref:no-such-branch", "there is no branch and no tag `no-such-branch`"),
    ],
)
async def test_a_version_that_is_nowhere_is_refused(scene: Scene, version: str, words: str) -> None:
    """Before anything is spent."""
    asked = scene.comment(CASE, f"@skillbench run scripted-demo --vs {version}")
    await scene.reacted(CASE, asked, "confused")
    assert words in scene.bot_comments(CASE)[-1]
    assert scene.stage.model_api.requests == []


async def test_both_versions_are_installed_in_claude_code(
    tmp_path: Path, app_key: str, versions: TwoVersions
) -> None:
    """The other launcher, where a skill lies on the disk in both arms."""
    api = ScriptedModelApi()
    binary = str(real_cli().binary)
    async with playing(
        tmp_path, app_key, seed=versions, model_api=api, claude_binary=binary
    ) as scene:
        command = "@skillbench run scripted-demo --launcher claude-code --vs previous"
        asked = scene.comment(CASE, command)
        await scene.reacted(CASE, asked, "rocket")
        [report] = scene.reports(CASE)
    assert "| | This version | Base version |" in report
    assert '"launcher": "claude-code", "mode": "installed", "vs": "sha:' in report
