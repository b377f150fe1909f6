"""How the processes of a box learn that their worker is gone, however it went.

bwrap asks the kernel to be killed with its parent, but only once it has begun: a worker
that dies while a box is being built leaves one that was never told, and its command then
runs for ever. So a watcher stands in the process group of every box before bwrap starts.
It reads a fifo that the worker alone holds open; the end of it is the worker's end, and
the watcher ends the group, whatever has been built of it by then. It hands no descriptor
on: the fifo lies where no box can see it, and is opened by its name.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

WATCH = """
{ { exec 3>&-; read -r _ <&4; } 3<>"$1" 4<"$1"; kill -9 0; } </dev/null >/dev/null 2>&1 &
shift
"""
"""Start the watcher (POSIX shell) of the fifo `$1`; to stand first in the script of a group.

For a moment the watcher holds the fifo open for writing, since reading alone would wait
for a worker that may be dead already. Where the fifo is gone, so is the worker.
"""


@dataclass(frozen=True, slots=True)
class Lifeline:
    """A fifo that is open as long as the worker lives, or until it is closed."""

    path: Path
    _fd: int

    @classmethod
    def make(cls, folder: Path) -> Self:
        """One in a folder that no box shows; raises `OSError`."""
        path = folder / "lifeline"
        os.mkfifo(path, 0o600)
        return cls(path, os.open(path, os.O_RDWR | os.O_NONBLOCK))

    def close(self) -> None:
        """End every box that hangs on it."""
        os.close(self._fd)
