"""A worker that is killed leaves nothing of a box behind, whenever it happens."""

import asyncio
import contextlib
import os
import random
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from jobs.sessions.usage import process_tree
from tests.jobs.sessions.watching import adopting_orphans

ROOT = Path(__file__).parents[3]
WINDOW_US = 40_000
"""Longer than a box takes from the call to its running command on a quiet machine."""
SOMEBODY = 1234


@pytest.fixture(params=["own user", "unprivileged user"])
def user(request: pytest.FixtureRequest) -> int:
    """Who the worker is."""
    if request.param == "own user":
        return os.geteuid()
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    return SOMEBODY


@pytest.fixture
def parent() -> Iterator[Path]:
    """A folder through which everybody can pass, which those of pytest are not."""
    with tempfile.TemporaryDirectory() as name:
        parent = Path(name)
        parent.chmod(0o711)
        yield parent


async def kill_workers(
    parent: Path, user: int, delays_us: Sequence[int], bwrap: str | None = None
) -> None:
    """Kill a worker after each delay; see `dying_worker` for negative ones and for `bwrap`."""
    folder = parent / "sessions"
    folder.mkdir()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.jobs.sessions.dying_worker"),
        *(str(folder), str(user), bwrap or str(shutil.which("bwrap"))),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    assert process.stdin
    assert process.stdout
    try:
        for delay in delays_us:
            process.stdin.write(f"{delay}\n".encode())
            async with asyncio.timeout(10):
                assert await process.stdout.readline() == b"gone\n"
    finally:
        for left in list(process_tree(process.pid))[1:]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(left, signal.SIGKILL)
        process.stdin.close()
        await process.wait()
    assert process.returncode == 0


def spread(count: int) -> list[int]:
    """So many moments over the start of a box, in microseconds."""
    return [int((number + random.random()) * WINDOW_US / count) for number in range(count)]


async def test_a_worker_killed_while_a_box_starts_leaves_no_process_of_it(parent, user):
    await kill_workers(parent, user, spread(20))


@pytest.mark.slow
async def test_none_of_many_workers_killed_while_boxes_start_leaves_a_process(parent, user):
    await kill_workers(parent, user, spread(200))


async def test_a_worker_that_died_before_bwrap_started_leaves_no_process(parent, user):
    """The moment that no delay hits for sure, and of which bwrap itself never learns."""
    killing = parent / "bwrap"
    killing.write_text(f'#!/bin/sh\nkill -9 "$PPID"\nexec {shutil.which("bwrap")} "$@"\n')
    killing.chmod(0o755)
    await kill_workers(parent, user, [-1], str(killing))


async def test_no_zombie_of_a_box_is_left_to_the_first_process_of_a_container(box):
    """Orphans fall to that process; here to this one, for as long as the test lasts."""
    before = own_children()
    with adopting_orphans():
        for _ in range(5):
            await box.run(["true"], timeout_s=30)
            await box.run(["sleep", "30"], timeout_s=0.05)
        assert own_children() == before


def own_children() -> set[str]:
    threads = Path("/proc/self/task").iterdir()
    return {pid for thread in threads for pid in (thread / "children").read_text().split()}
