"""Forks workers that start a command in a box, and kills each after so many microseconds.

Run as a program: `FOLDER USER_ID BWRAP`, then one delay a line on standard input; each is
answered by a line once the worker and all that it started are gone. That is certain, since
whatever loses its parent becomes a child of this program. A negative delay leaves it to
BWRAP, the program that is run as bwrap, to kill the worker. A fork, so that a worker takes
milliseconds to start and its user need not be able to read the interpreter.
"""

import asyncio
import contextlib
import os
import shutil
import signal
import sys
import time
from pathlib import Path

from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.sessions.workspace import Workspace
from tests.jobs.sessions.watching import adopting_orphans


async def work(folder: Path, bwrap: str, command: list[str], ready_fd: int) -> None:
    """Be a worker with a session that runs one command."""
    workspace = Workspace.make(folder)
    maker = BubblewrapMaker(
        find_program=lambda name: bwrap if name == "bwrap" else shutil.which(name),
        use_memory_group=False,
    )
    async with maker.open(workspace.work, memory_mb=256) as box:
        os.write(ready_fd, b"!")
        await box.run(command, timeout_s=60)
    await workspace.remove()


def kill_one(folder: Path, bwrap: str, delay_us: int) -> None:
    """Fork a worker, and return once nothing of it is left."""
    read_ready, write_ready = os.pipe()
    pid = os.fork()
    if pid == 0:
        user = folder.stat().st_uid
        if user != os.geteuid():
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
        asyncio.run(work(folder, bwrap, ["sleep", "60"], write_ready))
        os._exit(1)
    os.close(write_ready)
    assert os.read(read_ready, 1) == b"!"
    os.close(read_ready)
    if delay_us >= 0:
        time.sleep(delay_us / 1e6)
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()


def main() -> None:
    folder, user, bwrap = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    # imports what is imported late, while everything can be read
    null = os.open(os.devnull, os.O_WRONLY)
    asyncio.run(work(folder, shutil.which("bwrap") or bwrap, ["true"], null))
    os.chown(folder, user, user)
    with adopting_orphans():
        for delay in sys.stdin:
            kill_one(folder, bwrap, int(delay))
            sys.stdout.write("gone\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
