"""A program that talks while it runs, in the real sandbox."""

import asyncio

import pytest

from jobs.errors import Transient
from jobs.sessions.box import Bind
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.sessions.program import MAX_ERROR_BYTES, Program
from tests.jobs.sessions.conftest import SMALL
from tests.jobs.sessions.watching import Doorbell, Sleeper


def sh(script: str, take=lambda _: None, *, stdin: bytes = b"", timeout_s: float = 20) -> Program:
    return Program(argv=["sh", "-c", script], stdin=stdin, on_output=take, timeout_s=timeout_s)


async def test_output_is_handed_over_while_the_program_runs(box, workspace):
    """Not when it has ended: it waits for an answer to what it said."""
    gate = workspace.work / "gate"
    doorbell = Doorbell(workspace.work)
    heard = bytearray()
    spoken = asyncio.Event()

    def take(chunk: bytes) -> None:
        heard.extend(chunk)
        spoken.set()

    script = "echo one; while [ ! -e gate ]; do sleep 0.02; done; echo two; echo > bell"
    running = asyncio.create_task(box.run_program(sh(script, take)))
    async with asyncio.timeout(20):
        await spoken.wait()
        assert bytes(heard) == b"one\n"
        gate.touch()
        await doorbell.rung()
        end = await running
    assert bytes(heard) == b"one\ntwo\n"
    assert end.exit_code == 0


async def test_errors_stay_apart_from_output(box):
    heard = bytearray()
    end = await box.run_program(sh("echo out; echo err >&2; exit 3", heard.extend))
    assert (bytes(heard), end.errors, end.exit_code) == (b"out\n", b"err\n", 3)


async def test_errors_without_end_are_cut_and_block_nobody(box):
    end = await box.run_program(sh("head -c 3000000 /dev/zero >&2; exit 4"))
    assert (len(end.errors), end.exit_code) == (MAX_ERROR_BYTES, 4)


async def test_much_output_arrives_whole(box):
    sizes: list[int] = []
    await box.run_program(sh("head -c 20000000 /dev/zero", lambda chunk: sizes.append(len(chunk))))
    assert sum(sizes) == 20_000_000


async def test_input_is_written_and_closed(box):
    heard = bytearray()
    await box.run_program(sh("wc -c", heard.extend, stdin=b"x" * 1_000_000))
    assert heard.split() == [b"1000000"]


async def test_time_that_runs_out_ends_the_whole_tree(box):
    sleeper = Sleeper()
    end = await box.run_program(sh(f"setsid {sleeper.command} & {sleeper.command}", timeout_s=0.5))
    assert (end.timed_out, end.exit_code) == (True, 137)
    assert sleeper.pids() == []


async def test_a_cancelled_program_leaves_nothing(box, workspace):
    sleeper, doorbell = Sleeper(), Doorbell(workspace.work)
    running = asyncio.create_task(box.run_program(sh(f"echo > bell; {sleeper.command}")))
    await doorbell.rung()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert sleeper.pids() == []


async def test_a_limit_that_kills_is_named(box):
    end = await box.run_program(sh("head -c 300000000 /dev/zero | tail -c 290000000 | wc -c"))
    assert end.killed_for == "memory"


async def test_a_command_line_that_cannot_be_is_the_sandboxs_failure(box):
    with pytest.raises(Transient, match="cannot be started"):
        await box.run_program(sh("echo \0"))


async def test_more_can_be_shown_to_a_program_and_only_to_read(workspace, tmp_path):
    shown = tmp_path / "shown.txt"
    shown.write_text("look\n")
    maker = BubblewrapMaker(limits=SMALL, use_memory_group=False)
    heard = bytearray()
    async with maker.open(
        workspace.work,
        memory_mb=200,
        binds=[Bind(shown, "/opt/shown")],
        environment={"GREETING": "hello"},
    ) as box:
        script = 'cat /opt/shown; echo "$GREETING"; echo no > /opt/shown'
        end = await box.run_program(sh(script, heard.extend))
    assert bytes(heard) == b"look\nhello\n"
    assert end.exit_code != 0
    assert shown.read_text() == "look\n"
