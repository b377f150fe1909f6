"""What a tree of processes uses, as Linux tells it under /proc.

Only looks, never kills. A number can be a moment old; a process that ends while it is
looked at counts as nothing.
"""

import errno
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_BLOCK = 512
"""Bytes of one block in `st_blocks`, whatever the file system's own block is."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Memory in bytes and the number of tasks (processes and threads)."""

    memory_bytes: int
    tasks: int


def process_tree(root: int) -> Iterator[int]:
    """The process ids of `root` and of everything below it."""
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        yield pid
        try:
            threads = list(Path(f"/proc/{pid}/task").iterdir())
        except OSError:
            continue
        for thread in threads:
            children = _read(f"{thread}/children")
            waiting += [int(child) for child in children.split()]


def measure_processes(pids: Iterable[int], memory_limit: int, task_limit: int) -> Usage:
    """What the processes use together.

    Counting ends over `task_limit`, so that a fork bomb is not waited for. Memory that
    forked processes share would count once for each; where the plain sum is over the
    limit, the kernel's fair shares decide, which are slower to get.
    """
    known: list[int] = []
    memory = tasks = 0
    for pid in pids:
        known.append(pid)
        fields = _fields(f"/proc/{pid}/status")
        memory += fields.get("RssAnon", 0) + fields.get("RssShmem", 0)
        tasks += fields.get("Threads", 0)
        if tasks > task_limit:
            break
    if memory > memory_limit:
        shares = [_fields(f"/proc/{pid}/smaps_rollup") for pid in known]
        fair = sum(share.get("Pss_Anon", 0) + share.get("Pss_Shmem", 0) for share in shares)
        memory = fair or memory
    return Usage(memory, tasks)


def measure_disk(folders: Iterable[Path], limit: int) -> int:
    """Bytes that folders take on disk, counted until they are over `limit`.

    What lies so deep that it cannot be named counts as over the limit. Blocks: call it in
    a thread.
    """
    total = 0
    waiting = [os.fspath(folder) for folder in folders]
    while waiting and total <= limit:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    total += entry.stat(follow_symlinks=False).st_blocks * _BLOCK
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return limit + 1
    return total


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def _fields(path: str) -> dict[str, int]:
    """The `Name: number [kB]` lines of a file, in bytes where they are in kB."""
    fields = {}
    for line in _read(path).splitlines():
        name, _, value = line.partition(":")
        words = value.split()
        if words and words[0].isdigit():
            fields[name] = int(words[0]) * (1024 if words[1:] == ["kB"] else 1)
    return fields
