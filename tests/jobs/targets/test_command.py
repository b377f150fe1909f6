"""Programs as targets: a stranger's in a sandbox, and the person's own."""

import sys
from pathlib import Path
from typing import Any

import pytest

from jobs.datasets.dialogue import Reply
from jobs.errors import Refused
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.targets.target import TargetFailed
from tests.jobs.datasets.given import a_case
from tests.jobs.targets.asking import EXACT, a_world, ask

ECHO = """
import json, sys
asked = json.load(sys.stdin)
print(json.dumps({"content": f"{len(asked['history'])} {len(asked['turns'])} {asked['message']}",
                  "usage": {"input_tokens": 3, "output_tokens": 1},
                  "tool_calls": [{"name": "look"}]}))
"""


async def own(tmp_path: Path, program: str, *texts: str, **fields: Any) -> list[Reply]:
    path = tmp_path / "program.py"
    path.write_text(program)
    command = f"{sys.executable} {path}"
    async with a_world(tmp_path, own_command=command) as world:
        history = [{"role": "user", "content": "hi"}]
        case = a_case(EXACT, history=history)
        return await ask("command", {"command": command, **fields}, world, *texts, case=case)


async def boxed(tmp_path: Path, program: str, **fields: Any) -> Reply:
    programs = tmp_path / "suite/programs"
    programs.mkdir(parents=True)
    (programs / "bot.py").write_text(program)
    (tmp_path / "suite/sample.jsonl").write_text("the answers")
    async with a_world(tmp_path, sandboxes=BubblewrapMaker()) as world:
        command = {"command": "python3 /programs/bot.py", **fields}
        return (await ask("command", command, world))[0]


async def test_a_program_is_told_all_and_answers_in_json(tmp_path: Path) -> None:
    first, second = await own(tmp_path, ECHO, "one", "two")
    assert (first.text, second.text) == ("1 0 one", "1 1 two")
    assert first.usage is not None
    assert first.usage.input_tokens == 3
    assert [one.name for one in first.tool_calls] == ["look"]


async def test_plain_text_is_an_answer_too(tmp_path: Path) -> None:
    (reply,) = await own(tmp_path, "print(' Paris ')")
    assert reply.text == "Paris"
    (reply,) = await own(tmp_path, "print('{\"city\": 1}')")
    assert reply.text == '{"city": 1}', "JSON without `content` is text"


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("import sys; sys.exit('no key')", "exit code 1: no key"),
        ("1/0", "ZeroDivisionError"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "exit code -9"),
        ("print('x' * 2_000_000)", "more than 1,000,000 bytes"),
        ("print('{\"content\": 3}')", "content"),
        ("import time; print('x', flush=True); time.sleep(600)", "not done within 2 s"),
    ],
)
async def test_a_program_that_does_not_end_well_gives_no_answer(
    tmp_path: Path, program: str, told: str
) -> None:
    with pytest.raises(TargetFailed, match=told):
        await own(tmp_path, program, timeout_seconds=2)


async def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    async with a_world(tmp_path, own_command="/nowhere/bot") as world:
        with pytest.raises(TargetFailed, match="/nowhere/bot cannot be started"):
            await ask("command", {"command": "/nowhere/bot"}, world)


async def test_a_program_of_ones_own_is_not_told_what_opens_the_app(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBENCH_GITHUB_WEBHOOK_SECRET", "hush")
    monkeypatch.setenv("OWN_SERVICE", "http://127.0.0.1:9")
    program = "import os; print(sorted(n for n in os.environ if n[:5] in ('SKILL', 'OWN_S')))"
    (reply,) = await own(tmp_path, program)
    assert reply.text == "['OWN_SERVICE']"


async def test_a_strangers_program_sees_nothing_but_its_own(tmp_path: Path) -> None:
    program = """
import json, os, socket, sys
asked = json.load(sys.stdin)
print("noise", file=sys.stderr)
def reaches():
    try:
        socket.create_connection(("127.0.0.1", 22), 1)
    except OSError:
        return False
    return True
print(os.path.exists("%s"), reaches(), "HOME" in os.environ, asked["message"])
"""
    reply = await boxed(tmp_path, program % (tmp_path / "suite/sample.jsonl"))
    assert reply.text == "False False True a question"


async def test_a_strangers_program_is_told_of_like_any_other(tmp_path: Path) -> None:
    with pytest.raises(TargetFailed, match="exit code 3: gone"):
        await boxed(tmp_path, "import sys; print('gone', file=sys.stderr); sys.exit(3)")


async def test_a_strangers_program_is_stopped_in_time(tmp_path: Path) -> None:
    with pytest.raises(TargetFailed, match="not done within 1 s"):
        await boxed(tmp_path, "while True: pass", timeout_seconds=1)


async def test_without_a_sandbox_no_strangers_program_runs(tmp_path: Path) -> None:
    async with a_world(tmp_path, own_command="cat") as world:
        with pytest.raises(Refused, match="needs a sandbox"):
            await ask("command", {"command": "cat /etc/passwd"}, world)


async def test_a_program_of_ones_own_that_never_stops_talking_is_stopped(tmp_path: Path) -> None:
    endless = "import sys\nwhile True: sys.{}.write('x' * 65536)"
    with pytest.raises(TargetFailed, match="printed more than"):
        await own(tmp_path, endless.format("stdout"))
    with pytest.raises(TargetFailed, match=r"not done within 0\.5 s"):
        await own(tmp_path, endless.format("stderr"), timeout_seconds=0.5)


async def test_the_limit_that_held_is_the_one_that_is_told(tmp_path: Path) -> None:
    command = f"{sys.executable} -c 'while True: pass'"
    async with a_world(tmp_path, own_command=command, wall_s=0.5) as world:
        with pytest.raises(TargetFailed, match=r"not done within 0\.5 s"):
            await ask("command", {"command": command, "timeout_seconds": 90}, world)
