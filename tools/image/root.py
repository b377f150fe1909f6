"""A folder as the root of a process: its own mounts, process tree and devices, as in a container.

Not `chroot`, in which the kernel refuses the namespaces that a sandbox needs, but a change of
root. The mounts belong to the process started and end with it: nothing has to be unmounted,
and no clean-up can reach through them. It isolates nothing: what runs as root here is root.
"""

import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
STREAMS = ("stdin", "stdout", "stderr")


@dataclass(frozen=True, kw_only=True)
class Way:
    """How to enter a root."""

    env: Mapping[str, str]
    cwd: str = "/"
    user: str = ""
    """Empty is root."""
    confined: bool = False
    """Without any capability, and without the means to gain one."""
    binds: Sequence[tuple[Path, str]] = field(default=())
    """Files and folders of this machine, and where they are seen, read-only."""
    writable: Sequence[str] = field(default=())
    """If given, all else is read-only, and `/tmp` is a fresh one."""


def enter(root: Path, command: Sequence[str], way: Way) -> subprocess.CompletedProcess[str]:
    """Run a command in the root; its output and errors come back as one text."""
    apart = ("unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child")
    return subprocess.run(
        [*apart, "sh", "-ec", _script(root, command, way)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={"PATH": os.environ["PATH"]},
        check=False,
    )


def _script(root: Path, command: Sequence[str], way: Way) -> str:
    lines = [f"mount --bind {q(root)} {q(root)}", f"cd {q(root)}", *_system()]
    for source, target in way.binds:
        place = q(target.lstrip("/"))
        make = f"mkdir -p {place}" if source.is_dir() else f"mkdir -p $(dirname {place})"
        touch = [] if source.is_dir() else [f"[ -e {place} ] || touch {place}"]
        lines += [make, *touch, f"mount --bind {q(source)} {place}"]
        lines += [f"mount -o remount,bind,ro {place}"]
    if way.writable:
        for folder in way.writable:
            place = q(folder.lstrip("/"))
            lines.append(f"mount --bind {place} {place}")
        lines += ["mount -t tmpfs -o mode=1777 tmp tmp", "mount -o remount,bind,ro ."]
    lines += ["pivot_root . .", "umount -l .", f"cd {q(way.cwd)}"]
    lines += [f"exec {shlex.join([*_privileges(way), *_environment(way), *command])}"]
    return "\n".join(lines)


def _system() -> list[str]:
    return [
        "mount -t proc proc proc",
        "mount --rbind /sys sys",
        "mount -t tmpfs -o mode=755 dev dev",
        *(f"touch dev/{name}; mount --bind /dev/{name} dev/{name}" for name in DEVICES),
        "mkdir dev/shm; mount -t tmpfs -o mode=1777 shm dev/shm",
        "mkdir dev/pts; mount -t devpts -o newinstance,ptmxmode=0666 pts dev/pts",
        "ln -s pts/ptmx dev/ptmx",
        "ln -s /proc/self/fd dev/fd",
        *(f"ln -s /proc/self/fd/{n} dev/{name}" for n, name in enumerate(STREAMS)),
    ]


def _privileges(way: Way) -> list[str]:
    words = ["setpriv"]
    if way.user:
        words += [f"--reuid={way.user}", f"--regid={way.user}", "--init-groups"]
    if way.confined:
        words += ["--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
    return words if len(words) > 1 else []


def _environment(way: Way) -> list[str]:
    return ["env", "-i", *(f"{name}={value}" for name, value in way.env.items())]


def q(path: str | Path) -> str:
    """A path as one word of the shell's."""
    return shlex.quote(str(path))
