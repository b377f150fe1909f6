"""A control group of our own, in which the kernel holds a memory limit for a whole session.

It can be had as root, or where a group was delegated to the worker. Everywhere else there
is none, and watching has to do; nothing is asked for and nothing is said.
"""

import asyncio
import contextlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Self

_PREFIX = "skillbench-"


@dataclass(frozen=True, slots=True)
class MemoryGroup:
    """One control group with a memory limit (version 1 or 2 of the interface)."""

    path: Path
    events: str
    """The file whose `oom_kill` line counts what the kernel has killed."""

    @classmethod
    def make(
        cls,
        limit_bytes: int,
        *,
        mount: Path = Path("/sys/fs/cgroup"),
        own: Path = Path("/proc/self/cgroup"),
    ) -> Self | None:
        """A new group below the one we run in; None where that is not allowed."""
        with contextlib.suppress(OSError):
            for line in own.read_text(encoding="utf-8").splitlines():
                _, controllers, place = line.split(":", 2)
                below = place.lstrip("/")
                if "memory" in controllers.split(","):
                    return cls._make_first(mount / "memory" / below, limit_bytes)
                if not controllers and (mount / "cgroup.controllers").exists():
                    return cls._make_second(mount / below, limit_bytes)
        return None

    @classmethod
    def _make_first(cls, parent: Path, limit_bytes: int) -> Self:
        path = _make_folder(parent)
        return cls._limited(path, {"memory.limit_in_bytes": limit_bytes}, "memory.oom_control")

    @classmethod
    def _make_second(cls, own: Path, limit_bytes: int) -> Self:
        # A group that holds processes cannot hand its memory control to groups below it, so
        # ours has to stand beside the worker's own, in a group that was delegated as a whole.
        parent = own.parent
        enabled = parent / "cgroup.subtree_control"
        if "memory" not in enabled.read_text(encoding="ascii").split():
            enabled.write_text("+memory", encoding="ascii")
        path = _make_folder(parent)
        return cls._limited(
            path, {"memory.max": limit_bytes, "memory.oom.group": 1}, "memory.events"
        )

    @classmethod
    def _limited(cls, path: Path, values: dict[str, int], events: str) -> Self:
        try:
            for name, value in values.items():
                (path / name).write_text(str(value), encoding="ascii")
        except OSError:
            path.rmdir()
            raise
        return cls(path, events)

    @property
    def entry(self) -> Path:
        """The file that takes the id of a process to move it into the group."""
        return self.path / "cgroup.procs"

    def count_kills(self) -> int:
        """How many processes the kernel has killed over the limit so far."""
        with contextlib.suppress(OSError):
            for line in (self.path / self.events).read_text(encoding="ascii").splitlines():
                if line.startswith("oom_kill "):
                    return int(line.split()[1])
        return 0

    async def remove(self) -> None:
        """Remove the group once its last process has been cleared away."""
        for _ in range(50):
            try:
                self.path.rmdir()
            except FileNotFoundError:
                return
            except OSError:
                await asyncio.sleep(0.02)
            else:
                return


def _make_folder(parent: Path) -> Path:
    """A new group named after our process; those of workers that died are cleared away."""
    for left in parent.glob(f"{_PREFIX}*"):
        pid = left.name.removeprefix(_PREFIX).split("-")[0]
        if not Path("/proc", pid).exists():
            with contextlib.suppress(OSError):
                left.rmdir()
    path = parent / f"{_PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
    path.mkdir()
    return path
