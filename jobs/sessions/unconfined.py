"""The sandbox `none`: commands run as the worker's own user, with nothing in between.

It keeps the contract (a folder to work in, a bare environment, limits, nothing left
running), so that the bot can be tried where bubblewrap is not to be had. It protects
nothing: a command reads every file that the worker may read, reaches the network, can
outlive its end on purpose (by leaving its process group, its environment and the work
folder), and as root can start more processes than the machine bears. Only a setting that
names it selects it.
"""

import asyncio
import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from jobs.errors import Refused
from jobs.sandbox import CommandResult, Sandbox
from jobs.sessions.box import Bind, BoxLimits, refuse_image
from jobs.sessions.command import Command, run_command
from jobs.sessions.pipes import wait_readable
from jobs.sessions.usage import Usage, measure_processes, process_tree
from jobs.sessions.workspace import remove_tree

_MARK = "SKILLBENCH_COMMAND"
"""Variable by which the processes of a command are found again."""
_ENTER = """
ulimit -f "$1"; ulimit -n "$2"; ulimit -c 0
[ "$3" = 0 ] || ulimit -u "$3" 2>/dev/null || ulimit -p "$3" 2>/dev/null
shift 3
exec "$@"
"""
_PROC = Path("/proc")
_ON_LINUX = sys.platform.startswith("linux")


class UnconfinedMaker:
    """Makes sandboxes that are none (a `jobs.sandbox.SandboxMaker`)."""

    name = "none"

    def __init__(self, *, limits: BoxLimits | None = None) -> None:
        """`limits` but for the memory, which `open` is told."""
        self._limits = limits or BoxLimits(memory_bytes=0)

    @asynccontextmanager
    async def open(
        self,
        work: Path,
        *,
        memory_mb: int,
        binds: Sequence[Bind] = (),
        environment: Mapping[str, str] | None = None,
        image: str = "",
    ) -> AsyncIterator[Sandbox]:
        """Run commands in `work` itself; there is no `/box`.

        Raises `Refused` for `binds` and for an `image`: nothing can be shown at another place.
        """
        refuse_image(image, self.name)
        if binds:
            raise Refused(
                "the sandbox `none` can neither show folders at another place nor hold back the "
                "network: the operator can set SKILLBENCH_SANDBOX=bubblewrap or docker."
            )
        private = Path(tempfile.mkdtemp(prefix="private-", dir=work.parent))
        limits = replace(self._limits, memory_bytes=memory_mb * 1024**2)
        try:
            for name in ("home", "tmp"):
                (private / name).mkdir(mode=0o700)
            running = await asyncio.to_thread(_count_own_tasks)
            yield UnconfinedSandbox(
                work, private, limits, running + limits.processes, environment or {}
            )
        finally:
            await asyncio.to_thread(remove_tree, private)

    async def problem(self) -> str | None:
        if os.name != "posix" or shutil.which("sh") is None:
            return "Commands need a POSIX shell: run the worker on Linux or macOS."
        return None


@dataclass(frozen=True, slots=True)
class UnconfinedSandbox:
    """One session's commands (a `jobs.sandbox.Sandbox`)."""

    work: Path
    private: Path
    limits: BoxLimits
    user_tasks: int
    """How many tasks the worker's user may have in all; the kernel counts none for root."""
    extra: Mapping[str, str]
    """Variables on top of what every command has."""
    identity: str = ""

    async def run(
        self,
        argv: Sequence[str],
        *,
        timeout_s: float,
        stdin: bytes = b"",
        max_output: int = 1_000_000,
    ) -> CommandResult:
        """Run one command; on return, what can be found of it has been killed."""
        return await run_command(
            lambda stdin, stdout: _UnconfinedProcess(self, argv, stdin=stdin, stdout=stdout),
            Command(timeout_s=timeout_s, stdin=stdin, max_output=max_output),
            limits=self.limits,
            folders=(self.work, self.private),
        )

    def environment(self, mark: str) -> Mapping[str, str]:
        """What a command sees of the environment: nothing of the worker's but the PATH."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.private / "home"),
            "TMPDIR": str(self.private / "tmp"),
            "LANG": "C.UTF-8",
            **self.extra,
            _MARK: mark,
        }


class _UnconfinedProcess:
    """A command and what it starts (a `jobs.sessions.limits.Job`)."""

    failed = False
    """There is no sandbox that could fail to start."""

    def __init__(
        self, sandbox: UnconfinedSandbox, argv: Sequence[str], *, stdin: int, stdout: int
    ) -> None:
        self._limits = sandbox.limits
        self._work = os.path.realpath(sandbox.work)
        self._mark = secrets.token_hex(16)
        blocks = sandbox.limits.file_bytes // 512
        limits = (blocks, sandbox.limits.open_files, sandbox.user_tasks if _ON_LINUX else 0)
        enter = ("/bin/sh", "-c", _ENTER, "sh", *(str(limit) for limit in limits))
        self._process = subprocess.Popen(  # noqa: S603
            [*enter, *argv],
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.STDOUT,
            cwd=sandbox.work,
            env=sandbox.environment(self._mark),
            start_new_session=True,
        )
        self._reaped = False
        self._pidfd = os.pidfd_open(self._process.pid) if _ON_LINUX else -1

    def measure(self) -> Usage:
        if not _ON_LINUX:
            return Usage(0, 0)
        limits = self._limits
        return measure_processes(self._pids(), limits.memory_bytes, limits.processes)

    def out_of_memory(self) -> bool:
        return False

    def kill(self) -> None:
        if not self._reaped:  # until then the id of the group cannot be another's
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        for pid in self._strays():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)

    async def exited(self) -> int:
        """The command's exit code; 128 and the signal where one ended it."""
        if _ON_LINUX:
            await wait_readable(self._pidfd)
            return _exit_code(self._process.pid)
        code = await asyncio.to_thread(self._process.wait)
        return code if code >= 0 else 128 - code

    async def gone(self) -> None:
        """Kill until nothing is found any more, for two seconds at most."""
        for _ in range(200):
            self.kill()
            if not any(True for _ in self._strays()):
                break
            await asyncio.sleep(0.01)
        if _ON_LINUX:
            await wait_readable(self._pidfd)
            os.close(self._pidfd)
        else:
            await asyncio.to_thread(self._process.wait)
        self._process.poll()
        self._reaped = True

    def _pids(self) -> Iterator[int]:
        known = set()
        for pid in chain(process_tree(self._process.pid), self._strays()):
            if pid not in known:
                known.add(pid)
                yield pid

    def _strays(self) -> Iterator[int]:
        """Processes that bear the command's mark or stand in its folder, and are alive."""
        mark = f"{_MARK}={self._mark}".encode()
        for folder in _PROC.glob("[1-9]*") if _ON_LINUX else ():
            with contextlib.suppress(OSError):
                marked = mark in (folder / "environ").read_bytes().split(b"\0")
                inside = f"{folder.joinpath('cwd').readlink()}/".startswith(f"{self._work}/")
                if (marked or inside) and folder.name != str(os.getpid()):
                    yield int(folder.name)


def _exit_code(pid: int) -> int:
    """The exit code of a child that has ended, which stays to be reaped."""
    ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert ended is not None  # only WNOHANG gives none
    return ended.si_status if ended.si_code == os.CLD_EXITED else 128 + ended.si_status


def _count_own_tasks() -> int:
    """The processes and threads that our user runs; 0 where /proc does not tell."""
    owned = [path for path in _PROC.glob("[1-9]*") if _owner(path) == os.getuid()]
    return measure_processes((int(path.name) for path in owned), sys.maxsize, sys.maxsize).tasks


def _owner(path: Path) -> int:
    try:
        return path.stat().st_uid
    except OSError:
        return -1
