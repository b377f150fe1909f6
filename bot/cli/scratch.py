"""The folder a process works in, gone when it ends, and swept up by the next where it was killed.

A process that is killed cannot tidy up. So each holds a lock on its own folder, which the
kernel lets go with the process; a folder whose lock is free is nobody's any more. Folders
of other users are left alone.
"""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from jobs.sessions.workspace import remove_tree

PREFIX = "skillbench-work-"
LOCK = "in-use.lock"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder of this process alone; sweeps up first what killed ones have left beside it."""
    sweep(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        lock = _hold(folder)
        try:
            yield folder
        finally:
            remove_tree(folder)  # copes with what untrusted code has left, as shutil does not
            os.close(lock)


def sweep(parent: Path) -> None:
    """Remove the folders of processes that are no more."""
    for folder in parent.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises where it is held
                remove_tree(folder)
            finally:
                os.close(lock)


def _hold(folder: Path) -> int:
    """Lock a folder; its lock has its name only once it is held, so that no sweep comes first."""
    unnamed = folder / f"{LOCK}.new"
    lock = os.open(unnamed, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    unnamed.rename(folder / LOCK)
    return lock
