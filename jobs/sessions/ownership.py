"""Gives a session's folders to the user that its processes run as.

Only root can, and only root has to: everybody else's sessions run as the worker's own
user. Links are given away themselves, never what they point to.
"""

import os
from collections.abc import Iterable
from pathlib import Path

UNPRIVILEGED = 65534
"""Whom a session of a worker that runs as root becomes on the host: for root the kernel
counts no processes, and a file that root may read is nothing a sandbox should reach."""


def hand_over(folders: Iterable[Path], uid: int) -> None:
    """Make `uid` the owner, and its own group the group, of folders and all below them."""
    for top in folders:
        os.chown(top, uid, uid)
        for _, below, files, fd in os.fwalk(top):
            for name in [*below, *files]:
                os.chown(name, uid, uid, dir_fd=fd, follow_symlinks=False)
