"""What the two arms are given and what is taken from them: alike but for the skill."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from demo.model_api import Call, Reply, ScriptedModelApi
from jobs.values import SKILL_OR_NONE, Arm, SessionEnd
from tests.jobs.sessions.launching import SKILL_TEXT, Bench

DONE = Reply(text="There are three words.")
SAMPLE = Path(__file__).parents[3] / "demo/sample/csv-profile"


def bash(command: str) -> Reply:
    return Reply(calls=(Call("Bash", {"command": command}),))


@pytest.fixture
def api() -> ScriptedModelApi:
    return ScriptedModelApi()


@pytest.fixture
async def bench(api: ScriptedModelApi, tmp_path: Path) -> AsyncIterator[Bench]:
    async with api.serve() as server:
        yield Bench(api, server, tmp_path)


async def test_the_requests_of_the_arms_differ_in_the_skill_alone(bench):
    bench.api.script(DONE)
    for arm in SKILL_OR_NONE:
        await bench.run(bench.spec(arm))
    with_skill, without = bench.api.requests
    assert with_skill.prompt.endswith(without.prompt)
    assert SKILL_TEXT.strip() in with_skill.prompt.removesuffix(without.prompt)
    assert "skill" not in without.prompt.lower()
    assert with_skill.system == without.system
    assert with_skill.body["tools"] == without.body["tools"]
    assert with_skill.tools == ("Bash", "Read", "Write", "Edit", "Glob")
    assert with_skill.max_tokens == without.max_tokens


async def test_the_skill_is_whole_on_disk_with_its_modes(bench):
    look = "cat skill/reference.md; test -x skill/scripts/count.sh && wc -c < skill/data.bin"
    bench.api.script(bash(look), DONE)
    done = await bench.run()
    assert done.tool_results == ["Split at white space.\n256"]
    assert done.result.skill_loaded is True


async def test_the_other_arm_finds_no_skill_anywhere(bench):
    bench.api.script(bash("ls; find /box /home /tmp -iname '*skill*'"), DONE)
    done = await bench.run(bench.spec(Arm.WITHOUT_SKILL))
    assert done.tool_results == ["input\noutput"]
    assert done.result.skill_loaded is None


async def test_a_session_that_changes_its_skill_changes_nobody_else_s(bench):
    spec = bench.spec()
    bench.api.script(bash("echo spoilt > skill/SKILL.md; rm skill/reference.md"), DONE)
    done = await bench.run(spec)
    assert done.result.failed_tool_calls == 0
    assert (spec.skill_folder / "SKILL.md").read_text() == SKILL_TEXT
    assert (spec.skill_folder / "reference.md").exists()


async def test_a_response_md_of_the_agent_s_own_is_kept_beside_its_last_message(bench):
    bench.api.script(bash("echo mine > output/response.md"), DONE)
    done = await bench.run()
    assert done.files == ["response.md", "response_2.md"]
    assert done.read("response.md") == "mine\n"
    assert done.read("response_2.md") == "There are three words.\n"


async def test_links_and_special_files_are_named_and_not_followed(bench):
    bench.api.script(bash("ln -s /etc/passwd output/a; mkfifo output/b; echo x > output/c"), DONE)
    done = await bench.run()
    assert done.files == ["c", "response.md"]
    assert [line.split(":")[0] for line in done.result.left_out] == ["a", "b"]


@pytest.mark.parametrize("arm", Arm)
async def test_a_scripted_model_left_alone_hands_in_a_file_and_a_message(bench, arm):
    done = await bench.run(bench.spec(arm))
    assert done.result.end is SessionEnd.COMPLETED
    assert done.files == ["answer.md", "response.md"]
    assert done.result.failed_tool_calls == 0


async def test_the_sample_skill_makes_the_demo_s_difference_by_its_own_script(bench):
    spec = bench.spec()
    visits = (SAMPLE / "examples/visits.csv").read_bytes()
    (spec.inputs_folder / "input_001.txt").write_bytes(visits)
    text = (SAMPLE / "SKILL.md").read_text()
    done = await bench.run(replace(spec, skill_folder=SAMPLE, skill_text=text))
    assert "The file has 14 data rows and 5 columns." in done.read("profile.md")
