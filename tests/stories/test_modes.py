"""A skill in the prompt or installed, as asked for: each launcher in the mode unusual for it."""

from pathlib import Path

import pytest

from demo.github import LocalGitHub, RepositoryHandle
from demo.model_api import Asked, Call, Reply, ScriptedModelApi
from demo.model_api.behaviour import behave
from demo.model_api.steps import Step
from demo.play import seed_samples
from tests.jobs.claude_code.sessions import real_cli
from tests.stories.scene import PERSON, playing
from tests.stories.test_claude_code import write_skill
from tests.stories.test_environments import spending

OFFERED = "- csv-profile: "
PASTED = "BEGIN SKILL.md"


def use_what_is_offered(asked: Asked) -> Step:
    """Load the skill where it is listed; elsewhere as ever."""
    if OFFERED in asked.system and asked.turn == 0:
        return Reply(calls=(Call("Skill", {"skill": "csv-profile"}),))
    return behave(asked)


async def test_a_skill_is_installed_for_our_own_loop_where_it_is_asked_for(
    tmp_path: Path, app_key: str
) -> None:
    """It is offered to one arm alone, both have the tool, and it is a run of its own."""
    api = ScriptedModelApi(behaviour=use_what_is_offered)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        asked = scene.comment(1, "@skillbench run scripted-demo --launcher api --mode installed")
        await scene.reacted(1, asked, "rocket")
        [report] = scene.reports(1)
        first = [one for one in api.requests if one.turn == 0 and "Skill" in one.tools]
        assert sorted(OFFERED in one.system for one in first) == [False, True]
        assert sorted("At hand is none." in one.system for one in first) == [False, True]
        assert not [one for one in api.requests if PASTED in one.prompt]

        again = scene.comment(1, "@skillbench run scripted-demo --mode installed")
        await scene.reacted(1, again, "rocket")
        assert "--mode installed --force`" in scene.bot_comments(1)[-1]
        assert len(scene.reports(1)) == 1

        other = scene.comment(1, "@skillbench run scripted-demo")
        await scene.reacted(1, other, "rocket")
        assert len(scene.reports(1)) == 2
    assert "| Launcher | `api`, skill installed, loaded on demand, sandbox" in report
    assert "| Skill loaded | yes | — |" in report
    assert '"launcher": "api", "mode": "installed"' in report


async def test_a_skill_stands_in_the_prompt_of_claude_code_where_it_is_asked_for(
    tmp_path: Path, app_key: str
) -> None:
    """Claude Code then has no skill to list, in either arm."""
    api = ScriptedModelApi()
    binary = str(real_cli().binary)
    async with playing(tmp_path, app_key, model_api=api, claude_binary=binary) as scene:
        asked = scene.comment(1, "@skillbench run scripted-demo --launcher claude-code mode=forced")
        await scene.reacted(1, asked, "rocket")
        [report] = scene.reports(1)
    first = [one for one in api.requests if one.turn == 0 and "Skill" in one.tools]
    assert {PASTED in one.prompt for one in first} == {False, True}
    assert not [one for one in api.requests if OFFERED in f"{one.system}{one.prompt}"]
    assert "skill in the prompt, its files at `skill/`" in report
    assert "| Skill loaded | yes | — |" in report
    assert '"launcher": "claude-code", "mode": "forced"' in report


@pytest.mark.parametrize(
    "head", ["", "---\nname: tables\ndescription: Counts.\ndisable-model-invocation: true\n---\n"]
)
async def test_a_skill_that_cannot_be_installed_is_refused_before_money_and_pasted_if_asked(
    tmp_path: Path, app_key: str, head: str
) -> None:
    """No agent would be offered it, so there would be nothing to compare."""
    tree = tmp_path / "tree"
    write_skill(tree, "tables", f"{head}# Tables\n\nCount the rows.\n")

    def seed(github: LocalGitHub) -> RepositoryHandle:
        repository = seed_samples(github)
        repository.push(tree, by=PERSON)
        repository.open_issue(author=PERSON, title="Rows", body="See the file.", number=7)
        return repository

    async with playing(tmp_path, app_key, seed=seed) as scene:
        asked = scene.comment(7, "@skillbench run scripted-demo --mode installed")
        await scene.reacted(7, asked, "confused")
        assert "Or ask for `--mode forced`" in scene.bot_comments(7)[-1]
        assert scene.stage.model_api.requests == []
        assert await spending(scene) == []

        asked = scene.comment(7, "@skillbench run scripted-demo --mode forced")
        await scene.reacted(7, asked, "rocket")
        assert len(scene.reports(7)) == 1
