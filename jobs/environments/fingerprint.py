"""A digest over a tree that untrusted code has built, and the end of what is harmful in it.

Two workers that prepare the same environment on different days may get different packages:
the digest tells. Only files, folders and links stay: through a pipe that both arms are shown
their sessions could talk to each other. No link is followed, no special file opened.
"""

import hashlib
import os
import stat
import subprocess
from pathlib import Path

MOST_ENTRIES = 1_000_000
"""A conda environment with everything has 200,000."""
DEEPEST = 60
"""Folders in folders. Each holds a descriptor while the tree is walked, and the worker has few."""
MOST_BYTES = 8 * 1024**3
"""Twice the disk that a setup script may fill: files with holes look larger than they are, and
there is no end to how large."""
_CHUNK = 1024 * 1024


class TooLarge(Exception):  # noqa: N818 -- reads as the outcome it is
    """A tree that nobody can be expected to look through; the message says in which way."""


def fingerprint(root: Path) -> str:
    """SHA-256 over names, kinds, executable bits and contents, after the tree was tamed.

    Raises `TooLarge` for a tree that goes on and on, `OSError` for one that cannot be read.
    """
    # a folder without permissions could not be looked into; set-user-id bits would make every
    # program in it a way to become the worker
    subprocess.run(  # noqa: S603
        ["chmod", "-R", "u+rwX,a-s,-t", "--", str(root)],  # noqa: S607
        check=False,
        capture_output=True,
    )
    _check_extent(root)
    digest = hashlib.sha256()
    for folder, below, files, fd in os.fwalk(root, onerror=_raise):
        below.sort()
        where = os.path.relpath(folder, root)
        for name in sorted([*below, *files]):
            _take(digest, f"{where}/{name}", name, fd)
        _leave_links(folder, below)
    return digest.hexdigest()


def _check_extent(root: Path) -> None:
    """Raises `TooLarge` before a file is read: to read it all is what could take for ever."""
    entries = size = 0
    for folder, below, files, fd in os.fwalk(root, onerror=_raise):
        entries += len(below) + len(files)
        if entries > MOST_ENTRIES:
            raise TooLarge(f"more than {MOST_ENTRIES:,} files")
        if below and os.path.relpath(folder, root).count("/") >= DEEPEST:
            raise TooLarge(f"folders nested more than {DEEPEST} deep")
        size += sum(os.stat(name, dir_fd=fd, follow_symlinks=False).st_size for name in files)
        if size > MOST_BYTES:
            raise TooLarge(f"files of more than {MOST_BYTES // 1024**3} GB")
        _leave_links(folder, below)


def _leave_links(folder: str, below: list[str]) -> None:
    """Those that are links are opened before they are left alone, wherever they lead."""
    below[:] = [name for name in below if not Path(folder, name).is_symlink()]


def _take(digest: "hashlib._Hash", path: str, name: str, folder: int) -> None:
    about = os.stat(name, dir_fd=folder, follow_symlinks=False)
    content = b""
    if stat.S_ISLNK(about.st_mode):
        kind, content = "link", os.fsencode(os.readlink(name, dir_fd=folder))
    elif stat.S_ISDIR(about.st_mode):
        kind = "folder"
    elif stat.S_ISREG(about.st_mode):
        kind = "program" if about.st_mode & stat.S_IXUSR else "file"
        content = _digest_file(name, folder)
    else:
        os.unlink(name, dir_fd=folder)
        return
    for part in (kind.encode(), os.fsencode(path), content):
        digest.update(b"%d\0%b\0" % (len(part), part))


def _digest_file(name: str, folder: int) -> bytes:
    digest = hashlib.sha256()
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder)
    with os.fdopen(fd, "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.digest()


def _raise(error: OSError) -> None:
    raise error
