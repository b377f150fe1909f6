"""Whole sessions of the launcher `api`: scripted model, real loop, real sandboxes."""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from config.settings import Settings
from demo.model_api import Call, Drop, HttpError, Reply, ScriptedModelApi, Stall
from jobs.errors import Transient
from jobs.models.agent import ModelAgent
from jobs.models.doors import Doors
from jobs.models.retries import RetryPolicy
from jobs.sandbox import SandboxMaker
from jobs.sessions.api_launcher import ApiLauncher
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.sessions.bundle import read_bundle
from jobs.sessions.session_spec import SessionSpec
from jobs.sessions.unconfined import UnconfinedMaker
from jobs.values import SKILL_OR_NONE, Arm, SessionResult
from tests.builders import a_model, a_run_spec, an_eval_case, an_input_file, some_limits

KEY = "sk-host-secret-4711"
SKILL = "# Count\n\nRun `skill/scripts/count.sh input/input_001.txt`.\n"
COUNT = Call("Bash", {"command": "wc -w < input/input_001.txt > output/count.txt"})
DONE = Reply(text="There are 3 words.")


@dataclass
class Launch:
    """A launcher in front of a scripted API, and the sessions it is given."""

    api: ScriptedModelApi
    launcher: ApiLauncher
    folder: Path

    def spec(self, arm: Arm = Arm.WITHOUT_SKILL, **limits: Any) -> SessionSpec:
        model = a_model(asked="scripted-demo", sent="scripted-demo", identity="scripteddemo")
        with_skill = arm is Arm.WITH_SKILL
        return SessionSpec(
            arm=arm,
            run=a_run_spec(model=model, eval_case=an_eval_case(inputs=(an_input_file(),))),
            trial=1,
            skill_folder=self.folder / "skill" if with_skill else None,
            skill_text=SKILL if with_skill else None,
            inputs_folder=self.folder / "input",
            limits=some_limits(**limits),
            bundle=self.folder / f"{arm}.zip",
            scratch=self.folder / "sessions",
        )

    async def run(self, session: SessionSpec | None = None, **limits: Any) -> SessionResult:
        async with asyncio.timeout(30):
            return await self.launcher.run(session or self.spec(**limits))

    def read(self, result: SessionResult, name: str) -> str:
        """A file of the session's bundle; the bundle must tell the same as the result."""
        unpacked = self.folder / f"unpacked-{secrets.token_hex(4)}"
        assert read_bundle(self.folder / f"{result.arm}.zip", unpacked) == result
        return (unpacked / name).read_text()

    def left(self) -> list[Path]:
        return list((self.folder / "sessions").iterdir())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "input").mkdir()
    (tmp_path / "input/input_001.txt").write_text("Roses are red\n")
    (tmp_path / "skill/scripts").mkdir(parents=True)
    (tmp_path / "skill/SKILL.md").write_text(SKILL)
    script = tmp_path / "skill/scripts/count.sh"
    script.write_text('#!/bin/sh\nwc -w < "$1" > output/by-skill.txt\n')
    script.chmod(0o755)
    return tmp_path


async def launched(folder: Path, maker: SandboxMaker) -> AsyncIterator[Launch]:
    api = ScriptedModelApi(key=KEY)
    async with api.serve() as server:
        settings = Settings(
            _env_file=None, anthropic_api_key=KEY, anthropic_base_url=server.anthropic_url
        )
        agent = ModelAgent(Doors(settings), retries=RetryPolicy(attempts=2, stalls=2, first_s=0.0))
        yield Launch(api, ApiLauncher(agent, maker, memory_mb=500), folder)


@pytest.fixture
async def launch(folder: Path, maker: SandboxMaker) -> AsyncIterator[Launch]:
    """In every kind of sandbox."""
    async for one in launched(folder, maker):
        yield one


@pytest.fixture
async def quick(folder: Path) -> AsyncIterator[Launch]:
    """Where the sandbox is not what a test is about."""
    async for one in launched(folder, UnconfinedMaker()):
        yield one


async def test_a_session_works_with_tools_and_hands_in_its_files(launch):
    launch.api.script(Reply(text="I count.", calls=(COUNT,)), DONE)
    result = await launch.run()
    assert (result.end, result.detail, result.turns, result.tool_calls) == ("completed", "", 2, 1)
    assert [file.path for file in result.outputs] == ["count.txt", "response.md"]
    assert launch.read(result, "output/count.txt").strip() == "3"
    assert launch.read(result, "output/response.md") == "There are 3 words.\n"
    assert result.skill_loaded is None
    assert launch.left() == [], "the workspace is gone"


async def test_the_skill_is_on_disk_and_in_the_prompt_of_one_arm_alone(launch):
    by_skill = Call("Bash", {"command": "skill/scripts/count.sh input/input_001.txt; ls"})
    launch.api.script(Reply(calls=(by_skill,)), DONE)
    arms = [await launch.run(launch.spec(arm)) for arm in (Arm.WITH_SKILL, Arm.WITHOUT_SKILL)]
    assert [arm.skill_loaded for arm in arms] == [True, None]
    assert launch.read(arms[0], "output/by-skill.txt").strip() == "3"
    assert [file.path for file in arms[1].outputs] == ["response.md"]
    prompts = [asked.prompt for asked in launch.api.requests if asked.turn == 0]
    assert SKILL.strip() in prompts[0]
    assert prompts[0].endswith(prompts[1])
    listings = [asked.last.results[0].text for asked in launch.api.requests if asked.turn == 1]
    assert ["skill" in listing.split() for listing in listings] == [True, False]
    systems = {asked.system for asked in launch.api.requests}
    tools = {asked.tools for asked in launch.api.requests}
    assert len(systems) == len(tools) == 1
    assert tools == {("Bash", "Read", "Write", "Edit", "Glob")}


async def test_a_session_sees_nothing_of_the_host_and_not_its_arm(folder):
    """No key, no home, no path, no name of the arm: in neither environment nor folders."""
    look = Call(
        "Bash",
        {"command": "env; pwd; cat /proc/1/environ /proc/self/mountinfo; ls -laR . $HOME /tmp"},
    )
    async for launch in launched(folder, BubblewrapMaker()):
        launch.api.script(Reply(calls=(look,)), DONE)
        for arm in SKILL_OR_NONE:
            await launch.run(launch.spec(arm))
        seen = [asked.last.results[0].text for asked in launch.api.requests if asked.turn == 1]
    assert len(seen) == 2
    for text in seen:
        assert KEY not in text
        assert "ANTHROPIC" not in text
        assert not [arm for arm in Arm if arm in text]
        assert "poem" not in text


async def test_the_last_text_is_the_answer_although_a_tool_call_followed(quick):
    quick.api.script(Reply(text="Total is 42", calls=(COUNT,)), Reply())
    result = await quick.run()
    assert result.end == "completed"
    assert quick.read(result, "output/response.md") == "Total is 42\n"


async def test_nothing_said_and_nothing_left_is_no_output(quick):
    quick.api.script(Reply())
    result = await quick.run()
    assert (result.end, result.scored, result.outputs) == ("no_output", True, ())


async def test_an_answer_cut_before_its_file_was_written_is_not_scored(quick):
    write = Call("Write", {"file_path": "output/report.md", "content": "# Long"})
    quick.api.script(Reply(text="Here it comes.", calls=(write,), stop="max_tokens"))
    result = await quick.run()
    assert (result.end, result.scored) == ("max_tokens", False)
    assert "output limit" in result.detail


async def test_an_answer_cut_after_a_file_was_written_is_scored(quick):
    quick.api.script(Reply(calls=(COUNT,)), Reply(text="And now", stop="max_tokens"))
    result = await quick.run()
    assert (result.end, result.scored) == ("max_tokens", True)


async def test_a_refusal_is_told_and_not_tried_again(quick):
    quick.api.script(Reply(calls=(COUNT,)), Reply(stop="refusal"))
    result = await quick.run()
    assert (result.end, result.scored, result.retries) == ("refused", False, 0)
    assert len(quick.api.requests) == 2


@pytest.mark.parametrize(
    ("failure", "end"),
    [
        (HttpError(status=429, type="rate_limit_error", message="API Error: 429"), "rate_limited"),
        (HttpError(status=500, message="API Error: 500"), "error"),
        (Drop(after_events=2), "error"),
    ],
    ids=["rate limit", "server error", "dropped stream"],
)
async def test_an_api_error_is_no_answer(quick, failure, end):
    quick.api.script(failure, forever=True)
    result = await quick.run()
    assert (result.end, result.scored, result.outputs) == (end, False, ())
    assert "API Error" not in quick.read(result, "transcript.jsonl")
    assert len(quick.api.requests) == 4, "two attempts at the answer, two at the session"


async def test_a_silent_stream_is_tried_again_then_stalled_with_what_there_is(quick):
    silences = [Stall() for _ in range(4)]
    counting = Reply(text="I count.", calls=(COUNT,))
    quick.api.script(counting, *silences[:2], counting, *silences[2:])
    result = await quick.run(idle_s=0.3)
    assert (result.end, result.scored) == ("stalled", False)
    assert quick.read(result, "output/count.txt").strip() == "3"
    assert result.retries == 3, "an answer asked for again, a session begun again, and again"


async def test_a_platform_that_recovers_costs_a_fresh_session_and_nothing_else(quick):
    broken = HttpError(status=500)
    quick.api.script(Reply(calls=(COUNT,)), broken, broken, Reply(calls=(COUNT,)), DONE)
    result = await quick.run()
    assert (result.end, result.scored, result.turns) == ("completed", True, 2)
    assert result.usage.requests == 3, "the answer of the lost attempt is paid for, too"
    assert result.limits == quick.spec().limits, "as allowed, not what the first attempt left"
    transcript = [json.loads(line) for line in quick.read(result, "transcript.jsonl").splitlines()]
    assert [line["kind"] for line in transcript].count("prompt") == 2


async def test_a_sandbox_that_cannot_start_is_the_platforms_fault(folder):
    class NoSandbox:
        name = "none"

        def open(self, work, **_):
            raise Transient(f"no namespaces for {KEY}")

    async for launch in launched(folder, NoSandbox()):
        result = await launch.run()
    assert (result.end, result.scored, result.turns) == ("error", False, 0)
    assert KEY not in result.detail
    assert launch.read(result, "transcript.jsonl") == ""


async def test_no_process_of_a_session_outlives_it(launch):
    """What is judged is what was collected: nothing writes after the end."""
    left_behind = (
        "setsid sh -c 'while :; do date >> output/log; sleep 0.05; done' >/dev/null 2>&1 &"
    )
    launch.api.script(Reply(calls=(Call("Bash", {"command": left_behind}), COUNT)), DONE)
    result = await launch.run()
    assert result.end == "completed"
    assert launch.left() == []


async def test_a_cancelled_session_leaves_nothing(quick):
    stall = Stall()
    quick.api.script(stall)
    running = asyncio.create_task(quick.run())
    async with asyncio.timeout(10):
        await stall.gate.reached.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert quick.left() == []


async def test_a_limit_ends_a_session_with_what_it_left(quick):
    quick.api.script(Reply(text="Once more.", calls=(COUNT,)), forever=True)
    result = await quick.run(turns=3)
    assert (result.end, result.scored, result.turns) == ("max_turns", True, 3)
    assert quick.read(result, "output/count.txt").strip() == "3"


async def test_sessions_side_by_side_share_nothing(quick):
    write = Call(
        "Bash",
        {"command": "ls input output; echo x > output/mine.txt; echo >> input/*.txt"},
    )
    quick.api.script(Reply(calls=(write,)), DONE)
    one, other = quick.spec(), replace(quick.spec(), bundle=quick.folder / "other.zip")
    await asyncio.gather(quick.run(one), quick.run(other))
    listings = [asked.last.results[0].text for asked in quick.api.requests if asked.turn == 1]
    assert all("mine.txt" not in listing for listing in listings)
    assert (quick.folder / "input/input_001.txt").read_text() == "Roses are red\n"
