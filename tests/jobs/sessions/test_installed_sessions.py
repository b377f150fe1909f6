"""Sessions of the launcher `api` in mode `installed`: a skill to be found, or none."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from demo.model_api import Call, Reply, ScriptedModelApi
from jobs.errors import Refused
from jobs.matched import find_mismatch
from jobs.sessions.session_spec import SessionSpec
from jobs.sessions.skill_tools import Offered, render_skills
from jobs.values import SKILL_OR_NONE, Arm
from tests.builders import a_run_spec, a_skill
from tests.jobs.sessions.launching import SKILL_TEXT, Bench

USE = Reply(calls=(Call("Skill", {"skill": "word-count"}),))
LOOK = Reply(
    calls=(Call("Bash", {"command": "ls -A; ls -R .claude skill; cat .claude/skills/*/*.md"}),)
)
DONE = Reply(text="There are 3 words.")
TOOLS = ("Bash", "Read", "Write", "Edit", "Glob", "Skill")


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    api = ScriptedModelApi()
    async with api.serve() as server:
        yield Bench(api, server, tmp_path)


def installed(bench: Bench, arm: Arm = Arm.WITH_SKILL) -> SessionSpec:
    spec = bench.spec(arm)
    return replace(spec, run=spec.run.model_copy(update={"mode": "installed"}))


async def test_one_arm_is_offered_the_skill_and_the_other_is_told_that_there_is_none(bench):
    bench.api.script(LOOK, DONE, LOOK, DONE)
    having, lacking = [await bench.run(installed(bench, arm)) for arm in SKILL_OR_NONE]
    first = [asked for asked in bench.api.requests if asked.turn == 0]
    assert first[0].prompt == first[1].prompt, "the task alone"
    assert [asked.tools for asked in first] == [TOOLS, TOOLS]
    assert having.result.tools == lacking.result.tools == TOOLS
    assert having.result.memory_mb == 512
    listing = "At hand:\n- word-count: Counts words in text files."
    assert first[0].system.replace(listing, "At hand is none.") == first[1].system
    assert listing in first[0].system
    assert ".claude/skills/word-count/scripts:\ncount.sh" in having.tool_results[0]
    assert "# Counting words" in having.tool_results[0]
    assert lacking.tool_results[0].split("\n")[0] == "input"
    assert "word-count" not in lacking.tool_results[0]
    assert lacking.result.skill_loaded is None


async def test_the_tool_gives_the_skill_in_one_arm_and_fails_in_the_other(bench):
    bench.api.script(USE, DONE, USE, DONE)
    having, lacking = [await bench.run(installed(bench, arm)) for arm in SKILL_OR_NONE]
    assert having.tool_results == [
        "The skill lies in .claude/skills/word-count/.\n\n# Counting words\n\nSee `reference.md`.\n"
    ]
    assert (having.result.skill_loaded, having.result.failed_tool_calls) == (True, 0)
    assert lacking.tool_results == ["There is no skill 'word-count'. No skill is at hand."]
    assert (lacking.result.skill_loaded, lacking.result.failed_tool_calls) == (None, 1)


@pytest.mark.parametrize(
    ("call", "loaded"),
    [
        (Call("Read", {"file_path": ".claude/skills/word-count/reference.md"}), True),
        (Call("Bash", {"command": "cd .claude; cat skills/word-count/SKILL.md"}), True),
        (Call("Read", {"file_path": ".claude/skills/word-count/missing.md"}), False),
        (Call("Read", {"file_path": "skill/SKILL.md"}), False),
        (Call("Skill", {"skill": "another"}), False),
        (Call("Skill", {}), False),
        (Call("Bash", {"command": "wc -w input/*"}), False),
    ],
)
async def test_whether_it_was_loaded_is_what_happened(bench, call, loaded):
    spec = installed(bench)
    text = f"{SKILL_TEXT}Words are what stands between blanks, tabs and line ends.\n"
    (spec.skill_folder / "SKILL.md").write_text(text)
    bench.api.script(Reply(calls=(call,)), DONE)
    launched = await bench.run(replace(spec, skill_text=text))
    assert launched.result.skill_loaded is loaded


async def test_what_a_session_does_to_its_copy_changes_nothing_that_the_tool_gives(bench):
    """Its copy could be a link to anything of the worker's."""
    own = ".claude/skills/word-count/SKILL.md"
    spoil = Call("Bash", {"command": f"rm {own} && ln -s /etc/passwd {own}"})
    bench.api.script(Reply(calls=(spoil,)), USE, DONE)
    launched = await bench.run(installed(bench))
    assert "# Counting words" in launched.tool_results[1]


async def test_arms_with_and_without_the_tool_are_never_compared(bench):
    bench.api.script(DONE, DONE)
    one = await bench.run(installed(bench))
    other = await bench.run(bench.spec(Arm.WITHOUT_SKILL))
    run = installed(bench).run
    reason = find_mismatch(run, [one.result, other.result])
    assert reason is not None
    assert reason.startswith("the arms had different tools")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"description": ""}, "no description"),
        ({"for_people_only": True}, "disable-model-invocation"),
        ({"size_bytes": 40_000_000}, "is the most that a skill may have"),
    ],
)
async def test_a_skill_that_cannot_be_installed_is_refused_with_the_other_mode(
    bench, changes, words
):
    launcher = bench.launcher()
    skill = a_skill(**changes)
    with pytest.raises(Refused, match=words) as refused:
        launcher.check(a_run_spec(skill=skill, mode="installed"))
    assert "Or ask for `--mode forced`" in str(refused.value)
    launcher.check(a_run_spec(skill=skill, mode="forced"))


async def test_a_name_that_only_claude_code_has_taken_is_fine_here(bench):
    bench.launcher().check(a_run_spec(skill=a_skill(name="review"), mode="installed"))


def test_a_description_is_listed_on_one_line(tmp_path):
    """What follows a line break would read as another skill."""
    offered = [Offered("a", "Does this.\n- b: does that.", tmp_path)]
    assert render_skills(offered).endswith("At hand:\n- a: Does this. - b: does that.")
