"""Two sessions side by side in the default sandbox: neither finds anything of the other.

Both belong to the same user of the same machine, so only the sandbox keeps them apart. This is
what keeps one arm from reading, or spoiling, the work of the other.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from jobs.sandbox import Sandbox
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.sessions.workspace import Workspace
from tests.jobs.sessions.conftest import MEMORY_MB, SMALL
from tests.jobs.sessions.watching import Doorbell, Sleeper

SECRET = "what only the other arm knows"


class Neighbour:
    """A session with something to hide in every place that it has, and a process at work."""

    def __init__(self, workspace: Workspace, sleeper: Sleeper) -> None:
        self.workspace = workspace
        self.sleeper = sleeper


@pytest.fixture
async def neighbour(tmp_path: Path) -> AsyncIterator[Neighbour]:
    workspace = Workspace.make(tmp_path)
    bell, sleeper = Doorbell(workspace.work), Sleeper()
    hide = " ".join(
        f"echo '{SECRET}' > {place};"
        for place in ("output/x", "/tmp/x", "~/x", "/dev/shm/x", "input/x")
    )
    maker = BubblewrapMaker(limits=SMALL, use_memory_group=False)
    async with maker.open(workspace.work, memory_mb=MEMORY_MB) as box:
        script = f"{hide} echo > bell; WORD='{SECRET}' {sleeper.command}"
        working = asyncio.create_task(box.run(["sh", "-c", script], timeout_s=60))
        await bell.rung()
        yield Neighbour(workspace, sleeper)
        working.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await working
    await workspace.remove()


async def sh(box: Sandbox, script: str) -> str:
    result = await box.run(["sh", "-c", script], timeout_s=30)
    return result.output.decode(errors="replace")


async def test_no_file_of_the_other_session_is_to_be_found(box: Sandbox, neighbour: Neighbour):
    found = await sh(
        box,
        f"grep -rs 'only the other' /box /tmp /home /dev/shm /run /var / --exclude-dir=proc "
        f"--exclude-dir=usr --exclude-dir=sys; ls '{neighbour.workspace.root}'; "
        "ls -a /box/.. /proc/*/cwd/ /proc/*/root/dev/shm 2>/dev/null; true",
    )
    assert SECRET not in found
    assert "No such file" in found
    assert neighbour.workspace.root.name not in found.replace(f"'{neighbour.workspace.root}'", "")


async def test_no_process_of_the_other_session_is_seen_traced_or_ended(
    box: Sandbox, neighbour: Neighbour
):
    """By its number on the host, which a session can guess, no more than by any it sees."""
    async with asyncio.timeout(10):
        while not neighbour.sleeper.pids():
            await asyncio.sleep(0)
    [pid] = neighbour.sleeper.pids()
    script = (
        "import ctypes, os, sys\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        f"pid = {pid}\n"
        "print('traced', libc.ptrace(16, pid, 0, 0) == 0)\n"
        "for path in ('environ', 'cmdline', 'mem', 'root/dev/shm/x', 'cwd/output/x'):\n"
        "    try: print(open(f'/proc/{pid}/{path}', 'rb').read(400))\n"
        "    except OSError as error: print('refused')\n"
        "try: os.kill(pid, 9)\n"
        "except OSError: print('refused')\n"
        "try: os.pidfd_open(pid)\n"
        "except OSError: print('refused')\n"
    )
    result = await box.run(["python3", "-c", script], timeout_s=30)
    lines = result.output.decode().splitlines()
    assert lines == ["traced False", *["refused"] * 7]
    assert neighbour.sleeper.pids() == [pid]
    assert SECRET not in await sh(box, "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline")


async def test_nothing_that_one_leaves_in_memory_reaches_the_other(
    box: Sandbox, neighbour: Neighbour
):
    """Shared memory, message queues and keyrings belong to no folder."""
    script = "ipcs -a; ls -A /dev/shm /dev/mqueue 2>&1; cat /proc/keys /proc/sysvipc/* 2>&1; true"
    told = await sh(box, script)
    assert neighbour.sleeper.pids()
    assert "x" not in told.split()
    assert SECRET not in told
