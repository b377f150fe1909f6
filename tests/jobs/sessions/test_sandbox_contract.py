"""What every kind of sandbox keeps: the command runs, is limited, and leaves nothing."""

import asyncio
import os
from pathlib import Path

import pytest

from jobs.sandbox import CommandResult, Sandbox, SandboxMaker
from jobs.sessions.workspace import Workspace
from tests.jobs.sessions.conftest import find_maker
from tests.jobs.sessions.watching import Doorbell, Sleeper


@pytest.fixture(params=["bubblewrap", "none", "podman", "dockerd"])
def maker(request: pytest.FixtureRequest) -> SandboxMaker:
    """Every kind of sandbox, the docker one on every engine that can be had here."""
    return find_maker(request)


@pytest.fixture
def tells_out_of_memory(request: pytest.FixtureRequest, maker: SandboxMaker) -> bool:
    """Whether this kind can say that it was the memory limit that ended a command."""
    kind = request.node.callspec.params["maker"]
    return kind != "podman" or request.getfixturevalue("podman_engine").tells_out_of_memory


async def run(sandbox: Sandbox, script: str, *, timeout_s: float = 20, **more) -> CommandResult:
    return await sandbox.run(["sh", "-c", script], timeout_s=timeout_s, **more)


async def test_output_and_error_come_interleaved_with_the_exit_code(sandbox):
    result = await run(sandbox, "echo one; echo two >&2; echo three; exit 5")
    assert result == CommandResult(5, b"one\ntwo\nthree\n", truncated=False, timed_out=False)


async def test_a_command_gets_its_input_however_long_it_is(sandbox):
    result = await run(sandbox, "wc -c", stdin=b"x" * 1_500_000)
    assert result.output.strip() == b"1500000"


async def test_input_that_nobody_reads_hinders_nothing(sandbox):
    result = await run(sandbox, "exec <&-; echo done", stdin=b"x" * 1_500_000)
    assert result.output == b"done\n"


async def test_without_input_a_command_reads_an_empty_file(sandbox):
    assert (await run(sandbox, "cat; echo end")).output == b"end\n"


async def test_output_is_cut_at_the_cap_and_says_so(sandbox):
    result = await run(sandbox, "head -c 100000 /dev/zero", max_output=1_000)
    assert (len(result.output), result.truncated, result.exit_code) == (1_000, True, 0)


async def test_endless_output_is_not_read_for_ever(sandbox):
    result = await run(sandbox, "yes", max_output=1_000)
    assert (result.killed_for, result.exit_code) == ("output", 137)
    assert result.truncated
    assert not result.timed_out


async def test_a_command_that_takes_too_long_is_killed_and_keeps_its_output(sandbox):
    sleeper = Sleeper()
    result = await run(sandbox, f"echo so far; {sleeper.command}", timeout_s=1.5)
    assert result == CommandResult(137, b"so far\n", truncated=False, timed_out=True)
    assert sleeper.pids() == []


async def test_ignoring_signals_does_not_help_against_the_time_limit(sandbox):
    result = await run(sandbox, "trap '' TERM INT HUP; while :; do :; done", timeout_s=0.5)
    assert result.timed_out


@pytest.mark.parametrize(
    "start",
    [
        pytest.param("{0} &", id="in the background"),
        pytest.param("nohup {0} >/dev/null 2>&1 &", id="nohup"),
        pytest.param("setsid {0} >/dev/null 2>&1 </dev/null &", id="a session of its own"),
        pytest.param("(setsid sh -c '({0} &) &' &)", id="forked twice"),
        pytest.param("cd / && setsid {0} >/dev/null 2>&1 &", id="away from the work folder"),
    ],
)
async def test_what_is_left_running_dies_with_its_command(sandbox, workspace, start):
    sleeper = Sleeper()
    Doorbell(workspace.work)
    result = await run(sandbox, f"{start.format(sleeper.command)}\necho out")
    assert result.exit_code == 0
    assert sleeper.pids() == []


async def test_the_work_folder_does_not_change_once_a_command_has_ended(sandbox, workspace):
    """Archive and judge must see the same bytes."""
    loop = "setsid sh -c 'echo > bell; while :; do date >> output/log; done' >/dev/null 2>&1 &"
    bell = Doorbell(workspace.work)
    await run(sandbox, f"{loop}\nuntil [ -s output/log ]; do :; done")
    await bell.rung()
    log = workspace.output / "log"
    before = log.stat()
    await run(sandbox, "true")
    assert log.stat().st_mtime_ns == before.st_mtime_ns
    assert log.stat().st_size == before.st_size


async def test_a_cancelled_command_leaves_no_process(sandbox, workspace):
    sleeper, bell = Sleeper(), Doorbell(workspace.work)
    script = f"setsid {sleeper.command} & echo > bell; {sleeper.command}"
    task = asyncio.create_task(run(sandbox, script))
    await bell.rung()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sleeper.pids() == []


async def test_a_command_cancelled_at_once_leaves_no_process(sandbox):
    for steps in range(4):
        sleeper = Sleeper()
        task = asyncio.create_task(run(sandbox, sleeper.command))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert sleeper.pids() == []


async def test_many_processes_that_are_modest_each_are_held_to_one_memory_limit(
    sandbox, tells_out_of_memory
):
    hold = 'BEGIN { x = "x"; while (length(x) < 60000000) x = x x; system("sleep 30") }'
    result = await run(sandbox, f"awk '{hold}' &\n" * 6 + "wait")
    assert (result.exit_code, result.timed_out) == (137, False)
    assert result.killed_for == "memory" or not tells_out_of_memory


async def test_memory_that_forked_processes_share_counts_once(sandbox):
    """A worker pool over one large table is no bomb."""
    table = "table=$(head -c 60000000 /dev/zero | tr '\\0' x)"
    result = await run(sandbox, f"{table}\nfor i in 1 2 3 4 5; do (sleep 1; : $i) & done; wait")
    assert (result.killed_for, result.exit_code) == ("", 0)


async def test_too_many_processes_end_the_command(sandbox):
    sleeper = Sleeper()
    # awk goes on where a shell gives up: when no further process can be had
    script = f'BEGIN {{ while (1) system("{sleeper.command} &") }}'
    result = await sandbox.run(["awk", script], timeout_s=15)
    assert (result.killed_for, result.exit_code) == ("processes", 137)
    assert sleeper.pids() == []


async def test_a_fork_bomb_ends_with_its_command(sandbox, maker):
    if maker.name == "none" and os.geteuid() == 0:
        pytest.skip("the kernel counts no processes for root, and `none` does not stop being root")
    sleeper = Sleeper()
    bomb = f"bomb() {{ {sleeper.command} & bomb | bomb & }}; bomb; {sleeper.command}"
    result = await run(sandbox, bomb, timeout_s=2)
    assert result.exit_code != 0  # killed, or its first shell could not fork any more
    assert sleeper.pids() == []


async def test_a_file_grows_no_larger_than_the_limit(sandbox, workspace):
    result = await run(sandbox, "head -c 10000000 /dev/zero > output/big; echo end")
    assert b"end" in result.output
    assert (workspace.output / "big").stat().st_size <= 4 * 1024**2


async def test_filling_the_disk_with_many_files_ends_the_command(sandbox):
    fill = "i=0; while :; do i=$((i+1)); head -c 3000000 /dev/zero > output/$i; done"
    result = await run(sandbox, fill)
    assert result.killed_for == "disk"


async def test_a_missing_program_is_told_in_the_output(sandbox):
    result = await sandbox.run(["no-such-program"], timeout_s=10)
    assert result.exit_code in {126, 127}
    assert b"no-such-program" in result.output


@pytest.mark.parametrize("argument", ["x" * 3_000_000, "a\0b"], ids=["too long", "with NUL"])
async def test_an_impossible_command_line_is_told_in_the_output(sandbox, argument):
    result = await sandbox.run(["echo", argument], timeout_s=10)
    assert result.exit_code == 126
    assert b"cannot be run" in result.output


async def test_binary_output_comes_through_unchanged(sandbox):
    assert (await run(sandbox, r"printf '\377\000\001\303'")).output == b"\xff\x00\x01\xc3"


async def test_home_and_temporary_files_last_for_the_session_and_no_longer(maker, workspace):
    async with maker.open(workspace.work, memory_mb=100) as sandbox:
        await run(sandbox, 'echo a > "$HOME/kept"; echo b > "$TMPDIR/kept"')
        result = await run(sandbox, 'cat "$HOME/kept" "$TMPDIR/kept"')
        assert result.output == b"a\nb\n"
    assert sorted(path.name for path in workspace.root.iterdir()) == ["work"]
    async with maker.open(workspace.work, memory_mb=100) as sandbox:
        result = await run(sandbox, 'ls -A "$HOME" "$TMPDIR"; echo "$HOME" "$TMPDIR" | wc -w')
    assert b"kept" not in result.output


async def test_staged_files_keep_their_executable_bit(maker: SandboxMaker, workspace: Workspace):
    scripts = workspace.skill / "scripts"
    scripts.mkdir(parents=True)
    (scripts / "calc.R").write_text("#!/bin/sh\necho computed\n")
    (scripts / "calc.R").chmod(0o755)
    (workspace.skill / "reference.md").write_text("text")
    (workspace.skill / "reference.md").chmod(0o600)
    async with maker.open(workspace.work, memory_mb=100) as sandbox:
        script = "skill/scripts/calc.R; cat skill/reference.md; ./skill/reference.md"
        result = await run(sandbox, script)
    assert result.output.startswith(b"computed\ntext")
    assert result.exit_code == 126


async def test_two_sessions_at_once_do_not_disturb_each_other(maker, tmp_path):
    async def session(word: str) -> bytes:
        workspace = Workspace.make(tmp_path)
        async with maker.open(workspace.work, memory_mb=100) as sandbox:
            await run(sandbox, f'echo {word} > output/w; echo {word} > "$TMPDIR/w"')
            result = await run(sandbox, 'cat output/w "$TMPDIR/w"')
        await workspace.remove()
        return result.output

    words = [f"word{number}" for number in range(4)]
    outputs = await asyncio.gather(*(session(word) for word in words))
    assert outputs == [f"{word}\n{word}\n".encode() for word in words]


async def test_a_kind_that_works_here_has_no_problem(maker):
    assert await maker.problem() is None


async def test_commands_leave_no_descriptor_and_no_zombie_behind(sandbox):
    async def a_few() -> None:
        await run(sandbox, "echo hi", stdin=b"x")
        await run(sandbox, "sleep 90", timeout_s=0.05)
        await run(sandbox, "yes", max_output=10)
        await sandbox.run(["a\0b"], timeout_s=1)
        task = asyncio.create_task(run(sandbox, "sleep 90"))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    def held() -> tuple[int, int]:
        children = Path("/proc/self/task").glob("*/children")
        return len(list(Path("/proc/self/fd").iterdir())), sum(
            len(path.read_text().split()) for path in children
        )

    await a_few()
    before = held()
    for _ in range(3):
        await a_few()
    assert held() == before
