"""Work beside the web process, in a real process."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from pathlib import Path
from signal import SIGKILL

import pytest

from bot.web.aside import Aside
from jobs.errors import Refused, Transient

ROOT = Path(__file__).parents[3]


def add(first: int, second: int) -> int:
    return first + second


def refuse() -> None:
    raise Refused("no")


def die() -> None:
    os._exit(3)


def stay() -> None:
    while True:
        pass


async def test_work_is_done_in_another_process() -> None:
    aside = Aside()
    try:
        assert await aside.run(add, 2, second=3) == 5
        assert await aside.run(os.getpid) != os.getpid()
    finally:
        aside.close()


async def test_what_work_raises_is_raised_here() -> None:
    aside = Aside()
    try:
        with pytest.raises(Refused, match="no"):
            await aside.run(refuse)
    finally:
        aside.close()


async def test_a_lost_process_is_told_and_begun_anew() -> None:
    aside = Aside()
    try:
        with pytest.raises(Transient):
            await aside.run(die)
        assert await aside.run(add, 1, 1) == 2
    finally:
        aside.close()


async def test_work_without_end_is_ended_and_keeps_nobody_waiting() -> None:
    aside = Aside(longest_s=5)
    try:
        await aside.run(add, 1, 1)
        with pytest.raises(Transient):
            await aside.run(stay)
        assert await aside.run(add, 1, 1) == 2
    finally:
        aside.close()


async def test_what_waits_loses_nothing_by_work_without_end() -> None:
    aside = Aside(longest_s=5)
    try:
        await aside.run(add, 1, 1)
        found = await asyncio.gather(
            aside.run(stay), *(aside.run(add, 1, one) for one in range(3)), return_exceptions=True
        )
        assert isinstance(found[0], Transient)
        assert found[1:] == [1, 2, 3]
    finally:
        aside.close()


async def test_what_waits_loses_nothing_by_a_lost_process() -> None:
    aside = Aside()
    try:
        found = await asyncio.gather(aside.run(die), aside.run(add, 1, 1), return_exceptions=True)
        assert isinstance(found[0], Transient)
        assert found[1] == 2
    finally:
        aside.close()


async def test_what_nobody_waits_for_any_more_keeps_nobody_waiting() -> None:
    aside = Aside(longest_s=30)
    try:
        await aside.run(add, 1, 1)
        left = asyncio.create_task(aside.run(stay))
        await asyncio.sleep(0)
        left.cancel()
        assert await aside.run(add, 1, 1) == 2
        with pytest.raises(asyncio.CancelledError):
            await left
    finally:
        aside.close()


async def test_no_process_is_begun_behind_the_end() -> None:
    aside = Aside()
    aside.close()
    with pytest.raises(Transient):
        await aside.run(add, 1, 1)


KILLED = """
import asyncio, os, signal, sys
from bot.web.aside import Aside

async def main():
    print(await Aside().run(os.getpid), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    asyncio.run(main())
"""


async def test_the_process_ends_with_a_server_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    server = await asyncio.create_subprocess_exec(
        sys.executable, script, stdout=PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert server.stdout is not None
    aside = int(await server.stdout.readline())
    try:
        async with asyncio.timeout(30):
            await server.wait()
            while _is_there(aside):
                await asyncio.sleep(0.02)
    finally:
        if _is_there(aside):
            os.kill(aside, SIGKILL)


def _is_there(pid: int) -> bool:
    """Whether a process goes on; one that has ended may still wait to be noticed."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
