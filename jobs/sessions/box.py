"""What a bubblewrap sandbox looks like from inside, and the arguments that build it.

Pure: a value in, a list of arguments out. Whoever starts a process in a box, be it one
command or a long conversation with a program, goes through here, so that there is one
place to read what a session can reach. It refuses to weaken anything on request: a caller
may add folders and variables, nothing else.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jobs.errors import Refused

SANDBOX_UID = 1000
SHARED_MEMORY_BYTES = 64 * 1024 * 1024
PASSWD = b"agent:x:1000:1000:agent:/home/agent:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n"
GROUP = b"agent:x:1000:\nnogroup:x:65534:\n"
"""Made up: with the host's own file the user would bear the name of a host account."""

_SYSTEM_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_CONFIGURATION = (
    "R",
    "alternatives",
    "ca-certificates",
    "fonts",
    "ld.so.cache",
    "mime.types",
    "pki",
    "ssl/certs",
)
"""Parts of /etc that installed programs need; the rest of it is the host's own business."""
PATH = "/usr/local/bin:/usr/bin:/bin"
_ENVIRONMENT = {
    "PATH": PATH,
    "HOME": "/home/agent",
    "USER": "agent",
    "TMPDIR": "/tmp",  # noqa: S108 -- the sandbox's own
    "LANG": "C.UTF-8",
}


@dataclass(frozen=True, slots=True)
class Bind:
    """A file or folder of the host shown in the box."""

    source: Path
    target: str
    writable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A sandbox as a value: three folders of the host to write in, and what comes on top."""

    work: Path
    """Shown as `/box`, where everything starts."""
    home: Path
    temporary: Path
    binds: Sequence[Bind] = ()
    """Further things to show, a program or a socket for example."""
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def all_binds(self) -> tuple[Bind, ...]:
        return (
            Bind(self.work, "/box", writable=True),
            Bind(self.home, "/home/agent", writable=True),
            Bind(self.temporary, "/tmp", writable=True),  # noqa: S108
            *self.binds,
        )


@dataclass(frozen=True, slots=True)
class BoxLimits:
    """What the processes of a box may use."""

    memory_bytes: int
    """Of all of them together."""
    processes: int = 512
    """Of all of them together, threads included."""
    file_bytes: int = 1024**3
    """Of one file."""
    disk_bytes: int = 4 * 1024**3
    """Of the folders to write in, together."""
    open_files: int = 1024
    output_bytes: int = 50_000_000
    """After so much output nobody reads on, and the command is killed."""


def refuse_image(image: str, kind: str) -> None:
    """Raises `Refused` where a sandbox of a kind that has no images is to open one."""
    if image:
        raise Refused(
            f"the sandbox `{kind}` has no images, so {image} cannot be used: the operator can "
            "set SKILLBENCH_SANDBOX=docker."
        )


def bwrap_arguments(
    box: Box, sources: Sequence[Path], *, passwd_fd: int, group_fd: int
) -> list[str]:
    """The arguments of bwrap, without the command, for a box whose binds come from `sources`.

    They hold paths of the host, so hand them over by `--args`: a process could read them
    on the command line of the sandbox's first process. The command has to make a session of
    its own: by `--new-session` the first process would leave the group that we can kill.
    """
    arguments = [
        *("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-net"),
        *("--unshare-cgroup-try", "--disable-userns", "--die-with-parent"),
        *("--uid", str(SANDBOX_UID), "--gid", str(SANDBOX_UID), "--hostname", "sandbox"),
        *("--ro-bind", "/usr", "/usr", *_system_folders()),
    ]
    for name in _CONFIGURATION:
        arguments += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    arguments += ["--ro-bind-data", str(passwd_fd), "/etc/passwd"]
    arguments += ["--ro-bind-data", str(group_fd), "/etc/group"]
    arguments += ["--proc", "/proc", "--dev", "/dev", "--dir", "/run"]
    arguments += ["--size", str(SHARED_MEMORY_BYTES), "--tmpfs", "/dev/shm"]  # noqa: S108
    for bind, source in zip(box.all_binds, sources, strict=True):
        arguments += ["--bind" if bind.writable else "--ro-bind", str(source), bind.target]
    # both are memory file systems without a limit, and the agent owns them
    arguments += ["--remount-ro", "/dev", "--remount-ro", "/"]
    arguments += ["--chdir", "/box", "--clearenv"]
    for name, value in {**_ENVIRONMENT, **box.environment}.items():
        arguments += ["--setenv", name, value]
    return arguments


def limit_arguments(prlimit: str, limits: BoxLimits) -> list[str]:
    """The program that sets what one process may use, to stand before the command.

    It runs inside the sandbox: set there, the number of processes counts those of the
    sandbox alone, not everything else that the worker's user runs (Linux 5.14 or newer).
    """
    return [
        prlimit,
        f"--nproc={limits.processes}",
        f"--fsize={limits.file_bytes}",
        f"--nofile={limits.open_files}",
        "--core=0",
        "--",
    ]


def _system_folders() -> Iterator[str]:
    """`/bin` and the like as the host has them: links into /usr, or folders of their own."""
    for name in _SYSTEM_FOLDERS:
        path = Path("/", name)
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), f"/{name}")
        elif path.is_dir():
            yield from ("--ro-bind", f"/{name}", f"/{name}")
