"""What a container looks like: a value in, the body of the engine's create call out.

Pure, and the one place to read what a session can reach in a container: three folders of
its own, a read-only image, no network, no rights. It refuses to show a container the
engine's own socket, which would be a way to every file of the host.
"""

import errno
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jobs.sessions.box import SHARED_MEMORY_BYTES, Bind, Box, BoxLimits

STDIN = "/run/stdin"
"""Where a command's input is shown. A file, for not every engine passes on that the input
of an attached stream has ended."""
WORKER_LABEL = "skillbench.worker"
UNTIL_LABEL = "skillbench.until"
GRACE_S = 120
"""So long after its time limit a container ends by itself, should its worker be gone."""

MAX_ARGUMENT_BYTES = 131_072
"""Of one argument, its closing NUL included: Linux's MAX_ARG_STRLEN."""
MAX_ARGUMENTS_BYTES = 1_900_000
"""Of all of them: a quarter of the usual 8 MiB of stack, less what an engine adds."""

_USER_TASKS = 16_384
"""Of one user on the whole host, whose sessions share them: a roof far above `PidsLimit`. Left
out, podman asks for a million, which a machine inside another may not be allowed."""

_ENVIRONMENT = {
    "HOME": "/home/agent",
    "USER": "agent",
    "TMPDIR": "/tmp",  # noqa: S108 -- the container's own
    "LANG": "C.UTF-8",
}
"""On top of the image's own variables: its PATH is where its programs are."""

# Over the memory limit the kernel then ends the container's first process, and with it all
# others at once, instead of one modest process after another.
_ENTER = """
{ echo 1000 >/proc/1/oom_score_adj; } 2>/dev/null
[ -z "$1" ] || exec <"$1"
[ -z "$2" ] || exec 2>&1
limit=$3
shift 3
command -v timeout >/dev/null 2>&1 && exec timeout -s KILL "$limit" "$@"
exec "$@"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """An image as the engine holds it."""

    id: str
    """Its digest: a tag may move between the two arms of a run."""
    volumes: tuple[str, ...] = ()
    """Folders for which an engine would make room on the host that nobody measures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerSetup:
    """Everything that the containers of one session have in common."""

    image: Image
    box: Box
    limits: BoxLimits
    user: str
    """`UID:GID`, the owner of the folders as the engine's containers see him."""
    worker: str
    """Whose container it is, for those who find it left behind."""
    more_binds: Sequence[Bind] = field(default_factory=tuple)
    """The made-up accounts, for example."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerCommand:
    """One command for a container."""

    argv: Sequence[str]
    timeout_s: float
    stdin: Path | None
    merge_errors: bool
    """Whether standard error goes where standard output goes, in the order of writing."""


def container_config(
    setup: ContainerSetup, command: ContainerCommand, *, now_s: float
) -> dict[str, object]:
    """The body of `POST /containers/create`; `now_s` is the time of day (Unix).

    Raises `OSError` or `ValueError` for a command line that no process can be given.
    """
    check_command_line(command.argv)
    ends_after_s = int(command.timeout_s) + GRACE_S
    enter = ["/bin/sh", "-c", _ENTER, "sh"]
    enter += [STDIN if command.stdin else "", "1" if command.merge_errors else ""]
    environment = {**_ENVIRONMENT, **setup.box.environment}
    return {
        "Image": setup.image.id,
        "Entrypoint": [*enter, str(ends_after_s)],
        "Cmd": list(command.argv),
        "User": setup.user,
        "WorkingDir": "/box",
        "Hostname": "sandbox",
        "Env": [f"{name}={value}" for name, value in environment.items()],
        "AttachStdout": True,
        "AttachStderr": True,
        "Healthcheck": {"Test": ["NONE"]},
        "StopSignal": "SIGKILL",
        "Labels": {
            WORKER_LABEL: setup.worker,
            UNTIL_LABEL: str(int(now_s) + ends_after_s + GRACE_S),
        },
        "HostConfig": _host_config(setup, command.stdin),
    }


def check_command_line(argv: Sequence[str]) -> None:
    """Refuse what the kernel would refuse, before a container is made for it.

    Raises `OSError` or `ValueError`, as starting a process would.
    """
    total = 0
    for argument in argv:
        size = len(argument.encode()) + 1
        if "\0" in argument:
            raise ValueError("embedded null byte")
        if size > MAX_ARGUMENT_BYTES:
            raise OSError(errno.E2BIG, os.strerror(errno.E2BIG))
        total += size + 8  # and a pointer to it
    if total > MAX_ARGUMENTS_BYTES:
        raise OSError(errno.E2BIG, os.strerror(errno.E2BIG))


def accounts(uid: int, gid: int) -> tuple[bytes, bytes]:
    """Made-up `/etc/passwd` and `/etc/group` in which the user has a name."""
    root = b"" if uid == 0 else b"root:x:0:0:root:/:/bin/false\n"
    passwd = root + f"agent:x:{uid}:{gid}:agent:/home/agent:/bin/sh\n".encode()
    group = (b"" if gid == 0 else b"root:x:0:\n") + f"agent:x:{gid}:\n".encode()
    return passwd, group


def _host_config(setup: ContainerSetup, stdin: Path | None) -> Mapping[str, object]:
    limits = setup.limits
    binds = [*setup.box.all_binds, *setup.more_binds]
    if stdin is not None:
        binds.append(Bind(stdin, STDIN))
    mounts: list[dict[str, object]] = [
        {
            "Type": "bind",
            "Source": str(bind.source),
            "Target": bind.target,
            "ReadOnly": not bind.writable,
        }
        for bind in binds
    ]
    taken = {bind.target for bind in binds}
    mounts += [
        {"Type": "tmpfs", "Target": path, "ReadOnly": True}
        for path in setup.image.volumes
        if path not in taken
    ]
    return {
        "NetworkMode": "none",
        "ReadonlyRootfs": True,
        "CapDrop": ["ALL"],
        "SecurityOpt": ["no-new-privileges"],
        "Privileged": False,
        "Init": True,
        "IpcMode": "private",
        "Memory": limits.memory_bytes,
        "MemorySwap": limits.memory_bytes,  # together with memory: no swap on top
        "PidsLimit": limits.processes,
        "ShmSize": SHARED_MEMORY_BYTES,
        "Ulimits": [
            {"Name": name, "Soft": value, "Hard": value}
            for name, value in (
                ("fsize", limits.file_bytes),
                ("nofile", limits.open_files),
                ("core", 0),
                ("nproc", _USER_TASKS),
            )
        ],
        "LogConfig": {"Type": "none", "Config": {}},  # the engine would write it all to its disk
        "Mounts": mounts,
    }
