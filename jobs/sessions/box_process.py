"""One process tree in a bubblewrap box, from its start to the certainty that it is gone.

The box has its own process ids, and its first process is bwrap's. When that one is gone
the kernel has ended everything in the box, however it was detached; bwrap's own exit says
less, for it comes first. The processes that build and hold the box stay in one process
group, which is ended in one step at any moment of the start: by us, or by a watcher when
the worker dies (see `lifeline`). A program that talks for as long as its session is started
in the same way as one command, with other descriptors.
"""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jobs.sessions.box import GROUP, PASSWD, Box, BoxLimits, bwrap_arguments, limit_arguments
from jobs.sessions.lifeline import WATCH, Lifeline
from jobs.sessions.limits import KILLED
from jobs.sessions.memory_group import MemoryGroup
from jobs.sessions.ownership import UNPRIVILEGED
from jobs.sessions.pipes import PipeReader, filled_pipe, wait_readable
from jobs.sessions.usage import Usage, measure_processes, process_tree

_ENTER = f"""
{WATCH}
echo 1000 2>/dev/null >/proc/self/oom_score_adj
[ -z "$1" ] || echo $$ >"$1" || exit 1
shift
exec "$@"
"""
"""Enter the memory group; should the whole machine run short, the sandbox goes first.

The watcher stays out of both, so that nothing in the box can have it killed.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    """Where the programs are that build a box."""

    bwrap: str
    prlimit: str
    setsid: str
    setpriv: str | None
    """Needed by root alone, to stop being root; None for everybody else."""


@dataclass(frozen=True, slots=True)
class BoxSetup:
    """Everything that the boxes of one session have in common."""

    programs: Programs
    box: Box
    limits: BoxLimits
    group: MemoryGroup | None
    lifeline: Lifeline


class BoxProcess:
    """A command running in a box (a `jobs.sessions.limits.Job`)."""

    def __init__(
        self,
        setup: BoxSetup,
        argv: Sequence[str],
        *,
        stdin: int,
        stdout: int,
        stderr: int = subprocess.STDOUT,
    ) -> None:
        """Start it; from the thread of the event loop, whose end would end the box.

        Raises `OSError` or `ValueError` for a command line that no process can be given.
        """
        self._setup = setup
        self._kills_before = self._count_kills()
        self._init: int | None = None
        self._init_pidfd: int | None = None
        self._exit_code: int | None = None
        self._killed = False
        self.failed = False
        """Whether the box ended by itself before its command had: the platform's fault."""
        read_info, write_info = os.pipe()
        read_status, write_status = os.pipe()
        try:
            pipes = _Pipes(stdin, stdout, stderr, info=write_info, status=write_status)
            self._process = _start(setup, argv, pipes)
        except BaseException:
            os.close(read_info)
            os.close(read_status)
            raise
        finally:
            os.close(write_info)
            os.close(write_status)
        self._pidfd = os.pidfd_open(self._process.pid)
        self._info = PipeReader(read_info, on_change=self._read_info)
        self._status = PipeReader(read_status, on_change=self._read_status)

    def measure(self) -> Usage:
        if self._init is None:
            return Usage(0, 0)
        limits = self._setup.limits
        return measure_processes(process_tree(self._init), limits.memory_bytes, limits.processes)

    def out_of_memory(self) -> bool:
        return self._count_kills() > self._kills_before

    def kill(self) -> None:
        self._killed = True
        if self._process.returncode is None:
            # not reaped yet, so the id cannot be another's by now
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        if self._init_pidfd is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._init_pidfd, signal.SIGKILL)

    async def exited(self) -> int:
        """The command's exit code; 137 if something killed the box before it had one."""
        await wait_readable(self._pidfd)
        self._status.read_now()
        self.failed = self._exit_code is None and not self._killed
        return KILLED if self._exit_code is None else self._exit_code

    async def gone(self) -> None:
        await wait_readable(self._pidfd)
        self.kill()  # the watcher, too, which would outlive bwrap
        self._process.poll()
        if self._init_pidfd is None:
            await asyncio.shield(self._info.ended)
            self.kill()
        if self._init_pidfd is not None:
            await wait_readable(self._init_pidfd)
            os.close(self._init_pidfd)
            self._init_pidfd = None
        if not _reap_group(self._process.pid, os.WNOHANG):
            await asyncio.to_thread(_reap_group, self._process.pid, 0)
        os.close(self._pidfd)
        self._info.close()
        self._status.close()

    def _count_kills(self) -> int:
        group = self._setup.group
        return group.count_kills() if group else 0

    def _read_info(self) -> None:
        """Once the box stands, bwrap tells the id of its first process."""
        with contextlib.suppress(ValueError):  # not all of it has come yet
            self._init = int(json.loads(self._info.kept)["child-pid"])
            if self._init_pidfd is None:
                with contextlib.suppress(ProcessLookupError):  # it is gone already
                    self._init_pidfd = os.pidfd_open(self._init)

    def _read_status(self) -> None:
        """A line when the box stands, one with the exit code when its command has ended."""
        *lines, _ = bytes(self._status.kept).split(b"\n")
        for line in lines:
            self._exit_code = json.loads(line).get("exit-code", self._exit_code)


@dataclass(frozen=True, slots=True)
class _Pipes:
    """Descriptors for the new process: its input and output, and bwrap's two reports."""

    stdin: int
    stdout: int
    stderr: int
    info: int
    status: int


def _start(setup: BoxSetup, argv: Sequence[str], pipes: _Pipes) -> "subprocess.Popen[bytes]":
    programs, group = setup.programs, setup.group
    fds = [filled_pipe(PASSWD), filled_pipe(GROUP)]
    try:
        sources = _sources(programs, setup.box)
        hidden = bwrap_arguments(setup.box, sources, passwd_fd=fds[0], group_fd=fds[1])
        fds.append(filled_pipe("\0".join([*hidden, ""]).encode("utf-8", "surrogateescape")))
        command = [
            *("/bin/sh", "-c", _ENTER, "sh", str(setup.lifeline.path)),
            str(group.entry) if group else "",
            *_outermost(programs, setup.box),
            *("--info-fd", str(pipes.info)),
            *_inner(programs),
            *("--json-status-fd", str(pipes.status), "--args", str(fds[2]), "--"),
            programs.setsid,  # out of the group that ends the box
            *limit_arguments(programs.prlimit, setup.limits),
            *argv,
        ]
        return subprocess.Popen(  # noqa: S603
            command,
            stdin=pipes.stdin,
            stdout=pipes.stdout,
            stderr=pipes.stderr,
            pass_fds=[pipes.info, pipes.status, *fds],
            cwd="/",
            env={},  # the first process of the box shows its environment to all others
            start_new_session=True,
        )
    finally:
        for fd in fds:
            os.close(fd)


def _reap_group(group: int, options: int) -> bool:
    """Take leave of what is left of a killed process group; whether that was all of it.

    Its leader was our child, the others were the leader's. They fall to us where we are the
    first process of a container, and would stay in its process table for as long as we live.
    """
    try:
        while os.waitid(os.P_PGID, group, os.WEXITED | options):
            pass
    except ChildProcessError:
        return True
    return False


def _sources(programs: Programs, box: Box) -> list[Path]:
    """Where bwrap finds the binds: as root at the places to which `_outermost` moves them."""
    if programs.setpriv is None:
        return [bind.source for bind in box.all_binds]
    return [Path(f"/tmp/{index}") for index in range(len(box.all_binds))]  # noqa: S108


def _outermost(programs: Programs, box: Box) -> list[str]:
    """The beginning of the command line: bwrap, for root one more that builds a way to it.

    Root starts the box as somebody without rights, who may not pass the folders above the
    session's (a home folder of mode 0700). So an outer bwrap, which hides nothing, shows
    the binds elsewhere. It has process ids of its own: its end has to end the box, and a
    signal from a root without capabilities to another user would be refused.
    """
    outer = [programs.bwrap]
    if programs.setpriv is None:
        return outer
    outer += ["--die-with-parent", "--unshare-pid", "--dev-bind", "/", "/", "--tmpfs", "/tmp"]  # noqa: S108
    for index, bind in enumerate(box.all_binds):
        outer += ["--bind", str(bind.source), f"/tmp/{index}"]  # noqa: S108
    for capability in ("SETUID", "SETGID", "SETPCAP"):
        outer += ["--cap-add", f"CAP_{capability}"]
    return outer


def _inner(programs: Programs) -> list[str]:
    """For root, the bwrap that builds the box, started as nobody by the outer one."""
    if programs.setpriv is None:
        return []
    user = str(UNPRIVILEGED)
    drop = ["--reuid", user, "--regid", user, "--clear-groups"]
    drop += ["--inh-caps=-all", "--bounding-set=-all"]
    return ["--", programs.setpriv, *drop, "--", programs.bwrap]
