"""Finds and removes containers whose worker is gone.

A worker that is killed cannot clean up, so every container names its worker and a time at
which nobody can need it any more. Whoever opens the next sandbox removes what belongs to a
dead worker of this machine at once, and what belongs to others once its time is over. It
never touches a container without our labels.
"""

import contextlib
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import structlog
from aiodocker import Docker

from jobs.sessions.docker_container import UNTIL_LABEL, WORKER_LABEL
from jobs.sessions.docker_engine import ENGINE_ERRORS, remove_container

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class WorkerId:
    """A process, so named that another machine or a later process never equals it."""

    place: str
    """Machine and, on Linux, space of process ids: two containers both have a process 1."""
    pid: int
    started: str
    """Since an id is given again after a while; empty where it cannot be told."""

    @classmethod
    def own(cls) -> Self:
        return cls(_place(), os.getpid(), _started(os.getpid()))

    @classmethod
    def parse(cls, text: str) -> Self | None:
        place, pid, started = [*text.split(" "), "", ""][:3]
        return cls(place, int(pid), started) if pid.isdigit() else None

    def __str__(self) -> str:
        return f"{self.place} {self.pid} {self.started}"

    def is_dead(self) -> bool:
        """Whether it is known to have ended; of another machine nothing is known."""
        if self.place != _place():
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            pass
        return self.started != _started(self.pid)


async def sweep(docker: Docker, *, now_s: float) -> None:
    """Remove what dead workers left; an engine that does not answer is no error here."""
    with contextlib.suppress(*ENGINE_ERRORS):
        found = await docker.containers.list(all="true", filters=f'{{"label":["{WORKER_LABEL}"]}}')
        for container in found:
            labels: Mapping[str, Any] = container["Labels"] or {}
            if is_left_over(labels, now_s=now_s):
                log.warning("container_left_over", worker=labels[WORKER_LABEL])
                await remove_container(container)


def is_left_over(labels: Mapping[str, str], *, now_s: float) -> bool:
    """Whether a container with these labels has nobody any more who would remove it."""
    worker = WorkerId.parse(labels.get(WORKER_LABEL, ""))
    until = labels.get(UNTIL_LABEL, "")
    if worker is None or not until.isdigit():
        return False
    return worker.is_dead() or int(until) < now_s


def _place() -> str:
    """On Linux what the machine drew at its start, for host names repeat."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}/{Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return socket.gethostname().replace(" ", "_")


def _started(pid: int) -> str:
    """When a process was started, in the kernel's ticks since its own start."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]  # the name before it may hold anything
