"""Commands in real sandboxes: what they see, what they cannot do, and how they end."""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from jobs.checks.check import Check, CheckFile
from jobs.checks.facts import NOTHING_LEFT
from jobs.checks.running import KEPT_CHARACTERS, TRIES, CheckRunner
from jobs.checks.staging import stage_check_files
from jobs.checks.verdict import MachineVerdict
from jobs.errors import Refused, Transient
from jobs.sandbox import Sandbox, SandboxMaker
from jobs.sessions.box import Bind
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.sessions.prepared import PLAIN, Prepared
from jobs.sessions.unconfined import UnconfinedMaker
from jobs.values import Arm
from tests.jobs.content.trees import write_tree
from tests.jobs.sessions.conftest import podman_engine, podman_maker  # noqa: F401

ARM = Arm.WITH_SKILL


def a_check(command: str, number: int = 1) -> Check:
    return Check(id=f"C{number}", command=command)


def a_runner(
    tmp_path: Path,
    sandboxes: SandboxMaker | None = None,
    *,
    timeout_s: float = 30,
    prepared: Prepared = PLAIN,
) -> CheckRunner:
    """A runner over one input and one file of the repository; made once in a test."""
    inputs = tmp_path / "staged" / "input"
    inputs.mkdir(parents=True)
    (inputs / "input_001.csv").write_text("a,b\n1,2\n")
    snapshot = write_tree(
        tmp_path / "commit", {"tests/check.py": "print(open('output/r.txt').read())"}
    )
    file = CheckFile(source="tests/check.py", path="tests/check.py", sha256="")
    files = tmp_path / "staged" / "checks"
    stage_check_files(snapshot, [Check(id="C1", command="", files=(file,))], files)
    return CheckRunner(
        sandboxes=sandboxes or BubblewrapMaker(),
        prepared=prepared,
        memory_mb=256,
        timeout_s=timeout_s,
        inputs=inputs,
        files=files,
        scratch=tmp_path / "scratch",
    )


def an_output(tmp_path: Path, **files: str) -> Path:
    output = tmp_path / "with_skill-1-unpacked" / "output"
    output.mkdir(parents=True)
    for name, text in files.items():
        (output / name.replace("_", ".")).write_text(text)
    return output


async def run(tmp_path: Path, *commands: str, **options: object) -> list[MachineVerdict]:
    runner = a_runner(tmp_path, **options)  # type: ignore[arg-type]
    checks = [a_check(command, number) for number, command in enumerate(commands, start=1)]
    try:
        return await runner.run(checks, an_output(tmp_path, r_txt="forty-two"), ARM)
    finally:
        left = list(runner.scratch.iterdir()) if runner.scratch.exists() else []
        assert left == [], "nothing is left behind"


@pytest.mark.parametrize("maker", [BubblewrapMaker, UnconfinedMaker])
async def test_a_command_finds_the_candidates_files_the_inputs_and_its_own(
    tmp_path: Path, maker: type[SandboxMaker]
):
    found = await run(
        tmp_path,
        "grep -q forty-two output/r.txt",
        "test $(wc -l < input/input_001.csv) -eq 2",
        "python3 tests/check.py",
        "grep -q fifty output/r.txt",
        "false",
        sandboxes=maker(),
    )
    assert [one.verdict for one in found] == ["pass", "pass", "pass", "fail", "fail"]
    assert [one.assertion for one in found] == ["C1", "C2", "C3", "C4", "C5"]
    assert found[2].output == "forty-two\n"
    assert found[3].found == "Exit code 1."


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("exit 3", "Exit code 3."),
        ("no-such-program-here", "Exit code 127."),
        ("exit 124", "Exit code 124: it ended something that took too long."),
        ("exit 255", "Exit code 255."),
        ("kill -SEGV $$", "Exit code 139: ended by signal 11."),
        ("kill -9 $$", "Exit code 137: ended by signal 9."),
        ("sleep 600", "Not done within 2 s."),
        ("python3 -c 'x = bytearray(10**9); x[::4096] = b\"1\" * len(x[::4096])'", ""),
        ("sleep 600 & exit 7", "Exit code 7."),
        ("if true; then", "Exit code 2."),
    ],
)
async def test_how_a_command_ended_is_told(tmp_path: Path, command: str, told: str):
    [found] = await run(tmp_path, command, timeout_s=2 if "sleep" in command else 30)
    assert found.verdict == "fail"
    assert found.found == told or (not told and "memory" in found.found + found.output.casefold())


async def test_what_a_command_is_given_cannot_be_changed(tmp_path: Path):
    """A candidate's own program, run by a check, may not rewrite what it is measured by."""
    found = await run(
        tmp_path,
        "echo 'print(1)' > tests/check.py",
        "echo x > output/r.txt",
        "rm -rf output input tests 2>/dev/null; test -e output/r.txt && test -e tests/check.py",
        "mv output gone",
        "chmod 777 output/r.txt",
        "echo x > scratch.txt && test -s scratch.txt",
        "test -e scratch.txt",
    )
    words = [one.verdict for one in found]
    assert words == ["fail", "fail", "pass", "fail", "fail", "pass", "fail"]


async def test_a_command_has_no_network_no_key_and_learns_no_arm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    [seen, called] = await run(
        tmp_path,
        "env; cat /proc/self/mountinfo /proc/*/environ /proc/*/cmdline; ls -R / 2>/dev/null",
        "python3 -c \"import socket; socket.create_connection(('1.1.1.1', 53), 3)\"",
    )
    assert called.verdict == "fail"
    for word in ("with_skill", "without_skill", "sk-secret", "SKILL.md"):
        assert word not in seen.output


async def test_what_the_environment_adds_is_there(tmp_path: Path):
    tools = tmp_path / "prepared"
    tools.mkdir()
    (tools / "marker").write_text("here")
    prepared = Prepared(
        name="tools", binds=[Bind(tools, "/opt/tools")], variables={"WHERE": "/opt/tools"}
    )
    [found] = await run(tmp_path, 'grep -q here "$WHERE/marker"', prepared=prepared)
    assert found.verdict == "pass"


async def test_long_output_is_cut_in_the_middle(tmp_path: Path):
    [found] = await run(tmp_path, "echo first; seq 100000; echo last; false")
    assert len(found.output) < KEPT_CHARACTERS + 100
    assert found.output.startswith("first\n")
    assert "characters left out" in found.output


async def test_a_flood_is_ended(tmp_path: Path):
    [found] = await run(tmp_path, "yes")
    assert found.verdict == "fail"
    assert found.found == "Killed at its limit of output."


async def test_a_session_that_left_nothing_fails_every_check(tmp_path: Path):
    runner = a_runner(tmp_path, NoSandbox(Refused("nobody may be asked")))
    [found] = await runner.run([a_check("! grep -q secret output/r.txt")], an_output(tmp_path), ARM)
    assert (found.verdict, found.found) == ("fail", NOTHING_LEFT)


class NoSandbox:
    """A kind of sandbox that cannot start, for so many times."""

    name = "bubblewrap"

    def __init__(self, trouble: Exception, times: int = 1_000) -> None:
        self.trouble, self.left = trouble, times

    @asynccontextmanager
    async def open(
        self, work: Path, *, memory_mb: int, binds: Sequence[Bind] = (), **more: object
    ) -> AsyncIterator[Sandbox]:
        self.left -= 1
        if self.left >= 0:
            raise self.trouble
        async with BubblewrapMaker().open(work, memory_mb=memory_mb, binds=binds) as sandbox:
            yield sandbox

    async def problem(self) -> str | None:
        return None


@pytest.mark.parametrize("trouble", [Transient("the engine is away"), Refused("no such image")])
async def test_a_sandbox_that_cannot_start_is_no_fail(tmp_path: Path, trouble: Exception):
    [found] = await run(tmp_path, "true", sandboxes=NoSandbox(trouble))
    assert found.verdict is None
    assert found.found == f"Not measured: {trouble}."


async def test_files_that_cannot_be_laid_out_are_no_fail(tmp_path: Path):
    """A path that just fits where the session's files lie is too long where checks find them."""
    output = an_output(tmp_path, r_txt="forty-two")
    deep, longest = output, os.pathconf("/", "PC_PATH_MAX") - 2
    while (left := longest - len(str(deep)) - 1) > 0:
        deep /= "d" * (left if left <= 200 else min(200, left - 2))
        deep.mkdir()
    [found] = await a_runner(tmp_path).run([a_check("true")], output, ARM)
    assert found.verdict is None
    assert "could not be laid out" in found.found
    assert not list((tmp_path / "scratch").iterdir())


async def test_a_sandbox_that_could_not_start_once_is_tried_again(tmp_path: Path):
    sandboxes = NoSandbox(Transient("the engine was away"), times=TRIES - 1)
    [found] = await run(tmp_path, "true", sandboxes=sandboxes)
    assert found.verdict == "pass"


async def test_a_cancelled_command_is_gone_at_once(tmp_path: Path):
    """With all that it has started, and its folder."""
    runner = a_runner(tmp_path, timeout_s=600)
    output = an_output(tmp_path, r_txt="x")
    work = asyncio.create_task(runner.run([a_check("echo > begun; sleep 987654")], output, ARM))
    async with asyncio.timeout(30):
        while not list(runner.scratch.rglob("begun")):
            await asyncio.sleep(0.02)
    work.cancel()
    async with asyncio.timeout(10):
        with pytest.raises(asyncio.CancelledError):
            await work
    assert list(runner.scratch.iterdir()) == []
    commands = (path.read_bytes() for path in Path("/proc").glob("[1-9]*/cmdline") if path.exists())
    assert not any(b"987654" in command for command in commands)


@pytest.mark.slow  # a container for each command
async def test_commands_run_in_containers_just_the_same(
    tmp_path: Path,
    podman_maker: SandboxMaker,  # noqa: F811
):
    found = await run(
        tmp_path,
        "grep -q forty-two output/r.txt && test -e input/input_001.csv && test -e tests/check.py",
        "echo x > output/r.txt",
        "echo x > tests/check.py",
        "echo x > scratch.txt",
        "exit 9",
        sandboxes=podman_maker,
    )
    assert [one.verdict for one in found] == ["pass", "fail", "fail", "pass", "fail"]
    assert found[4].found == "Exit code 9."
