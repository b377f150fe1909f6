"""Watches a job, the process tree of one command, and ends it whole.

Limits that the kernel sets count for each process by itself; a hundred modest processes
pass them all. So the tree is looked at several times a second, and killed as one over a
limit. Where a control group of our own can be had, the kernel also holds the memory limit
between two looks (see `memory_group`).
"""

import asyncio
import contextlib
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from jobs.sessions.box import BoxLimits
from jobs.sessions.pipes import PipeReader
from jobs.sessions.usage import Usage, measure_disk

_LOOK_EVERY_S = 0.2
_DISK_EVERY_S = 1.0
KILLED = 137
"""The exit code of what was killed: 128 and the number of SIGKILL."""


class Job(Protocol):
    """A started command with everything it starts."""

    failed: bool
    """Whether, once it has ended, that was the sandbox's own failure."""

    def measure(self) -> Usage: ...
    def kill(self) -> None:
        """Send SIGKILL to all of it; again and again is harmless."""

    def out_of_memory(self) -> bool:
        """Whether the kernel has killed a process of it over the memory limit."""

    async def exited(self) -> int:
        """Wait for the command itself, and give its exit code."""

    async def gone(self) -> None:
        """Wait until nothing of a killed job is left."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a job ended; the fields are those of `CommandResult`."""

    exit_code: int
    timed_out: bool = False
    killed_for: str = ""


async def run_job(
    job: Job,
    output: PipeReader,
    *,
    timeout_s: float,
    limits: BoxLimits,
    folders: tuple[Path, ...],
) -> Ending:
    """Wait for a job, or end it over a limit; nothing of it is left on return.

    That holds for a cancelled call, too. `folders` are those whose size on disk counts.
    """
    exited = asyncio.create_task(job.exited())
    watch = asyncio.create_task(_watch(job, limits, folders))
    try:
        waiting: set[asyncio.Future[Any]] = {exited, watch, output.flooded}
        done, _ = await asyncio.wait(
            waiting, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED
        )
        ending = Ending(KILLED, timed_out=not done)
        if exited in done:
            ending = Ending(exited.result())
        elif watch in done:
            ending = Ending(KILLED, killed_for=watch.result())
        elif done:
            ending = Ending(KILLED, killed_for="output")
    finally:
        job.kill()
        watch.cancel()
        exited.cancel()
        await asyncio.shield(asyncio.create_task(_finish(job, output)))
    if job.out_of_memory() and ending.exit_code:
        return Ending(KILLED, killed_for="memory")
    return ending


async def _finish(job: Job, output: PipeReader) -> None:
    output.drain()
    await job.gone()
    # every process is dead, so the pipe ends; unless somebody passed its descriptor out
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(asyncio.shield(output.ended), 5)
    output.close()


async def _watch(job: Job, limits: BoxLimits, folders: tuple[Path, ...]) -> str:
    """Look until a limit is passed, and name it."""
    disk = asyncio.create_task(_watch_disk(folders, limits.disk_bytes))
    # a bomb that keeps hitting the kernel's limit is seen a few short of it
    too_many = limits.processes - limits.processes // 16
    try:
        while True:
            used = job.measure()
            if used.memory_bytes > limits.memory_bytes or job.out_of_memory():
                return "memory"
            if used.tasks >= too_many:
                return "processes"
            await asyncio.wait({disk}, timeout=_LOOK_EVERY_S)
            if disk.done():
                return "disk"
    finally:
        disk.cancel()


async def _watch_disk(folders: tuple[Path, ...], limit: int) -> None:
    """Return once the folders are over the limit; large trees are measured less often."""
    pause = _DISK_EVERY_S
    while True:
        await asyncio.sleep(pause)
        began = time.monotonic()
        if await asyncio.to_thread(measure_disk, folders, limit) > limit:
            return
        pause = max(_DISK_EVERY_S, 10 * (time.monotonic() - began))
