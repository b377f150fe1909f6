"""The same road with sessions in the real Claude Code."""

import json
import random
import re
from pathlib import Path

import pytest

from demo.github import LocalGitHub, RepositoryHandle
from demo.model_api import Asked, Call, Reply, ScriptedModelApi
from demo.model_api.behaviour import behave
from demo.model_api.steps import Step
from demo.play import seed_samples
from tests.jobs.claude_code.sessions import real_cli
from tests.stories.scene import PERSON, playing
from tests.stories.test_crash import is_judging
from tests.stories.test_environments import seeded, spending


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
    assert re.search(r"`claude-code` `2\.\d+\.\d+`, skill installed", report)
    assert "sandbox `bubblewrap`" in report
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


FRONT_MATTER = "---\nname: {name}\ndescription: Profiles tables of numbers.\n---\n"
LARGE = 32 * 1024 * 1024


def write_skill(tree: Path, name: str, text: str, more_bytes: int = 0) -> None:
    """A skill, and the eval case of issue 7 for it."""
    (tree / name).mkdir(parents=True)
    (tree / name / "SKILL.md").write_text(text, encoding="utf-8")
    # of noise, since what packs well is refused at another door
    (tree / name / "data.bin").write_bytes(random.Random(7).randbytes(more_bytes))
    case = {
        "id": "github-issue-7",
        "prompt": "Say how many rows the table has.",
        "expected_output": "The number of rows.",
        "target_skills": [name],
        "assertions": ["States the number of rows"],
    }
    evals = tree / "_automation" / "evals"
    evals.mkdir(parents=True)
    (evals / "github-issue-7.json").write_text(json.dumps(case), encoding="utf-8")


@pytest.mark.parametrize(
    ("skill", "words"),
    [
        (("review", FRONT_MATTER.format(name="review")), "Rename the skill"),
        (("tables", "# Tables\n\nCount the rows.\n"), "has no description"),
        (("tables", FRONT_MATTER.format(name="tables"), LARGE), "31,457,280 is the most"),
    ],
    ids=["bundled name", "no front matter", "too large"],
)
async def test_a_skill_that_cannot_be_installed_is_refused_and_the_other_launcher_takes_it(
    tmp_path: Path, app_key: str, skill: tuple[str, str] | tuple[str, str, int], words: str
) -> None:
    """A clear reply, nothing half-done, nothing charged; in a prompt such a skill has a place."""
    tree = tmp_path / "tree"
    write_skill(tree, *skill)

    def seed(github: LocalGitHub) -> RepositoryHandle:
        repository = seed_samples(github)
        repository.push(tree, by=PERSON)
        repository.open_issue(author=PERSON, title="Rows", body="See the file.", number=7)
        return repository

    binary = str(real_cli().binary)
    async with playing(tmp_path, app_key, seed=seed, claude_binary=binary) as scene:
        asked = scene.comment(7, "@skillbench run scripted-demo --launcher claude-code")
        await scene.reacted(7, asked, "confused")
        [said] = scene.bot_comments(7)
        assert words in said
        assert scene.stage.model_api.requests == []
        assert await spending(scene) == []

        asked = scene.comment(7, "@skillbench run scripted-demo --launcher api")
        await scene.reacted(7, asked, "rocket")
        assert len(scene.reports(7)) == 1


WITH_HOSTS = """
environment: online
environments:
  online:
    hosts: [cran.r-project.org]
    packages:
      commands: [sort]
"""
FETCH = """
import urllib.request
try:
    urllib.request.urlopen("https://wanted.example/data.csv")
except OSError as error:
    print(error)
"""


def fetch_something(asked: Asked) -> Step:
    """A session's first step: ask for a host that nobody has allowed."""
    if is_judging(asked) or asked.turn > 0 or not asked.tools:
        return behave(asked)
    return Reply(calls=(Call("Bash", {"command": f"python3 -c '{FETCH}' > output/said.txt"}),))


@pytest.mark.parametrize("launcher", ["api", "claude-code"])
async def test_hosts_that_were_refused_are_in_the_report_for_each_arm(
    tmp_path: Path, app_key: str, launcher: str
) -> None:
    """Both arms may reach the same hosts, both are refused the same, and the reader sees it."""
    api = ScriptedModelApi(behaviour=fetch_something)
    async with playing(
        tmp_path,
        app_key,
        model_api=api,
        seed=seeded(WITH_HOSTS),
        claude_binary=str(real_cli().binary),
    ) as scene:
        asked = scene.comment(2, f"@skillbench run scripted-demo --launcher {launcher}")
        await scene.reacted(2, asked, "rocket")
        [report] = scene.reports(2)
    assert "**Hosts were refused**: 1 with the skill, 1 without it." in report
    assert "- With the skill: wanted.example" in report
    assert "- Without it: wanted.example" in report
    assert "hosts that can be reached: cran.r-project.org" in report


async def test_a_program_that_is_too_old_is_refused_before_money_is_set_aside(
    tmp_path: Path, app_key: str
) -> None:
    """Its version is asked for in the sandbox; here another program stands in its place."""
    async with playing(tmp_path, app_key, claude_binary="/bin/echo") as scene:
        asked = scene.comment(2, "@skillbench run scripted-demo --launcher claude-code")
        await scene.reacted(2, asked, "confused")
        assert "2.1.197 or newer is needed" in scene.bot_comments(2)[-1]
        assert scene.stage.model_api.requests == []
        assert await spending(scene) == []
