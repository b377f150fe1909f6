"""How a test sees processes of a sandbox from outside, without waiting for a time to pass."""

import asyncio
import contextlib
import ctypes
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from jobs.sessions.pipes import wait_readable

_PR_SET_CHILD_SUBREAPER = 36


@contextlib.contextmanager
def adopting_orphans() -> Iterator[None]:
    """Be parent of what loses its own below us, as the first process of a container is."""
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    try:
        yield
    finally:
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


@dataclass
class Sleeper:
    """A `sleep` that can be told from every other by the odd time it sleeps."""

    seconds: str = field(default_factory=lambda: f"97.{secrets.randbelow(10**12):012d}")

    @property
    def command(self) -> str:
        return f"sleep {self.seconds}"

    def pids(self) -> list[int]:
        found = []
        for path in Path("/proc").glob("[1-9]*/cmdline"):
            with contextlib.suppress(OSError):
                if path.read_bytes().split(b"\0")[:2] == [b"sleep", self.seconds.encode()]:
                    found.append(int(path.parent.name))
        return found

    async def gone(self) -> None:
        """Wait until none is left, ten seconds at most."""
        async with asyncio.timeout(10):
            for pid in self.pids():
                with contextlib.suppress(ProcessLookupError):
                    pidfd = os.pidfd_open(pid)
                    try:
                        await wait_readable(pidfd)
                    finally:
                        os.close(pidfd)


class Doorbell:
    """A fifo in the work folder: `echo > bell` in a command ends `rung()` in the test."""

    def __init__(self, work: Path, name: str = "bell") -> None:
        self.path = work / name
        os.mkfifo(self.path, 0o666)
        self.path.chmod(0o666)
        self._fd = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)

    async def rung(self) -> None:
        async with asyncio.timeout(10):
            await wait_readable(self._fd)
        os.close(self._fd)
