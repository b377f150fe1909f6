"""The demo as a process: stopped by a signal, it leaves nothing and claims nothing."""

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from bot.cli.stopping import STOPPED
from tests.bot.cli.processes import WAIT_S, environment


async def start_demo(folder: Path, *options: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "demo", *options),
        cwd=folder,
        env=environment(folder, {}) | {"TMPDIR": str(folder)},
        stdout=asyncio.subprocess.PIPE,
    )


async def told(process: asyncio.subprocess.Process, words: str, *, within_s: float) -> None:
    """Wait until the demo has printed these words."""
    assert process.stdout is not None
    async with asyncio.timeout(within_s):
        while line := await process.stdout.readline():
            if words in line.decode():
                return
    raise AssertionError(f"the demo ended without {words!r}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_demo_stopped_before_its_report_says_so_and_leaves_nothing(
    short_path: Path, number: signal.Signals
) -> None:
    process = await start_demo(short_path, "--once")
    await told(process, "labels issue", within_s=WAIT_S)
    process.send_signal(number)
    await asyncio.wait_for(process.communicate(), WAIT_S)
    assert process.returncode == STOPPED
    assert not any(short_path.iterdir())


@pytest.mark.slow
async def test_a_demo_stopped_after_its_report_has_done_its_work(short_path: Path) -> None:
    process = await start_demo(short_path)
    await told(process, "Ctrl-C ends it", within_s=120)
    process.send_signal(signal.SIGINT)
    await asyncio.wait_for(process.communicate(), WAIT_S)
    assert process.returncode == 0
    assert not any(short_path.iterdir())


@pytest.mark.slow
async def test_a_demo_for_once_ends_by_itself(short_path: Path) -> None:
    process = await start_demo(short_path, "--once")
    await asyncio.wait_for(process.communicate(), 120)
    assert process.returncode == 0


async def test_a_real_demo_without_a_key_says_so_before_anything_starts(short_path: Path) -> None:
    process = await start_demo(short_path, "--real")
    said, _ = await asyncio.wait_for(process.communicate(), WAIT_S)
    assert process.returncode == 2
    assert said == b""


DEAF = """
import asyncio
from bot.cli.stopping import until_stopped

async def deaf():
    print("ready", flush=True)
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        await asyncio.Event().wait()  # as if the cancellation had been a library's own

async def main():
    task = asyncio.create_task(deaf())
    try:
        await asyncio.Event().wait()
    finally:
        task.cancel()
        await asyncio.wait({task})

until_stopped(main(), stubborn_s=0.2)
"""


async def test_a_task_that_misses_its_cancellation_is_told_again_and_named(
    short_path: Path,
) -> None:
    """Whoever waits for it would wait until somebody kills the process."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", DEAF),
        env=environment(short_path, {}),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    await told(process, "ready", within_s=WAIT_S)
    process.send_signal(signal.SIGTERM)
    said, _ = await asyncio.wait_for(process.communicate(), WAIT_S)
    assert process.returncode == 0
    assert b"deaf, line 10" in said
