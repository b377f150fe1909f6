"""The same road with sessions in the real Claude Code."""

from pathlib import Path

from demo.model_api import Asked, Call, Reply, ScriptedModelApi
from demo.model_api.behaviour import behave
from demo.model_api.steps import Step
from tests.jobs.claude_code.sessions import real_cli
from tests.stories.scene import playing


def use_the_skill_tool(asked: Asked) -> Step:
    """In the arm that has it: load the skill, then do as it says. Elsewhere: as ever."""
    if "Skill" in asked.tools and "csv-profile" in asked.prompt and asked.turn == 0:
        return Reply(calls=(Call("Skill", {"skill": "csv-profile"}),))
    return behave(asked)


async def test_a_run_in_claude_code_is_compared_and_says_so(tmp_path: Path, app_key: str) -> None:
    """The skill is installed, not pasted, and whether it was loaded is what happened."""
    api = ScriptedModelApi(behaviour=use_the_skill_tool)
    binary = str(real_cli().binary)
    async with playing(tmp_path, app_key, model_api=api, claude_binary=binary) as scene:
        comment = scene.comment(1, "@skillbench run scripted-demo --launcher claude-code")
        await scene.reacted(1, comment, "rocket")
        [report] = scene.reports(1)
    assert "`claude-code`, skill installed" in report
    assert "| Skill loaded | yes | — |" in report
    assert '"launcher": "claude-code", "mode": "installed"' in report


async def test_a_launcher_that_is_not_installed_is_refused_by_name(
    tmp_path: Path, app_key: str
) -> None:
    """Before anything is spent, with what the operator must do."""
    async with playing(tmp_path, app_key, claude_binary="/nowhere/claude") as scene:
        comment = scene.comment(2, "@skillbench run scripted-demo --launcher claude-code")
        await scene.reacted(2, comment, "confused")
        assert "SKILLBENCH_CLAUDE_BINARY" in scene.bot_comments(2)[-1]
        assert scene.stage.model_api.requests == []
