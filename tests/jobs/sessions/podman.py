"""A container engine for tests: podman serving Docker's API on a socket of its own.

With stores, networks and limits of its own, so that it neither sees nor touches what else
runs on the machine. It needs root, runc (crun does not start here) and catatonit, and no
registry: the one image is made of a static busybox. Where a real `dockerd` is installed,
`dockerd.py` serves that one, too.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = ("podman", "runc", "catatonit", "busybox")
IMAGE = "localhost/skillbench-test:latest"
_CONFIGURATION = """
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
"""
_REGISTRIES = """
[[registry]]
location = "127.0.0.1:1"
blocked = true
"""
"""Podman asks a registry that does not answer again and again; this one it need not ask."""


@dataclass(frozen=True)
class Engine:
    """An engine that answers, and holds the image of the tests."""

    host: str
    """As in `DOCKER_HOST`."""
    tells_out_of_memory: bool
    """Whether it notices that the kernel ended something over the memory limit."""
    refuses_user_namespaces: bool
    """Whether its own filter of system calls does; podman's lets them be made."""
    command: tuple[str, ...]
    """Its command line, as far as the subcommand."""
    environment: Mapping[str, str]

    def import_image(self, folder: Path, name: str, *changes: str) -> None:
        """Make an image of everything below `folder`, with lines of a Dockerfile."""
        packed = folder.with_suffix(".tar")
        subprocess.run(["tar", "-C", str(folder), "-cf", str(packed), "."], check=True)
        options = [word for line in changes for word in ("--change", line)]
        with packed.open("rb") as content:
            subprocess.run(
                [*self.command, "import", *options, "-", name],
                stdin=content,
                env=self.environment,
                check=True,
                capture_output=True,
            )


def find_obstacle() -> str | None:
    """Why podman cannot be served here; None if it can."""
    if os.geteuid() != 0:
        return "an engine that holds limits needs root"
    return find_missing(PROGRAMS)


def find_missing(programs: Iterable[str]) -> str | None:
    """The programs that are not installed, and a busybox that would need its libraries."""
    missing = [name for name in programs if shutil.which(name) is None]
    if missing:
        return f"not installed: {', '.join(missing)}"
    linked = subprocess.run(
        ["ldd", shutil.which("busybox") or ""], capture_output=True, check=False
    )
    return "busybox is not the static one" if linked.returncode == 0 else None


@contextlib.contextmanager
def serve_podman(hidden: Path | None = None) -> Iterator[Engine]:
    """Podman with runc, for as long as the block lasts; it sees another folder as `hidden`."""
    # the socket's path has to be short, and that of a test's own folder is not
    folder = Path(tempfile.mkdtemp(prefix="pod"))
    engine = _make_engine(folder)
    service: subprocess.Popen[bytes] | None = None
    try:
        engine.import_image(unpack_busybox(folder), IMAGE)
        service = subprocess.Popen(
            [*_hide(hidden), *engine.command, "system", "service", "--time=0", engine.host],
            env=engine.environment,
            stderr=subprocess.DEVNULL,
        )
        wait_for_socket(folder / "s")
        yield engine
    finally:
        if service is not None:
            service.terminate()
            service.wait()
        _remove(folder)


def _make_engine(folder: Path) -> Engine:
    (folder / "containers.conf").write_text(_CONFIGURATION)
    (folder / "registries.conf").write_text(_REGISTRIES)
    # a mount that comes and goes beside a bubblewrap that builds its box can make it give up
    unseen = ["unshare", "--mount", "--propagation", "private"]
    podman = [*unseen, "podman", "--storage-driver", "overlay"]
    for option in ("root", "runroot", "tmpdir"):
        podman += [f"--{option}", str(folder / option)]
    return Engine(
        host=f"unix://{folder / 's'}",
        # its monitor hears of memory through the second version of control groups alone
        tells_out_of_memory=Path("/sys/fs/cgroup/cgroup.controllers").exists(),
        refuses_user_namespaces=False,
        command=tuple(podman),
        environment={
            "PATH": os.environ["PATH"],
            "CONTAINERS_CONF": str(folder / "containers.conf"),
            "CONTAINERS_REGISTRIES_CONF": str(folder / "registries.conf"),
        },
    )


def _hide(folder: Path | None) -> list[str]:
    """What to put before a command that shall see an empty folder in place of this one."""
    if folder is None:
        return []
    script = 'mount -t tmpfs none "$0" && exec "$@"'
    return ["unshare", "--mount", "sh", "-c", script, str(folder)]


def _remove(folder: Path) -> None:
    """Podman mounts its store onto itself, and its last container's monitor may be at work."""
    for _ in range(50):
        store = str(folder / "root" / "overlay")
        subprocess.run(["umount", store], check=False, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.1)


def unpack_busybox(folder: Path) -> Path:
    """A file system: busybox under all its names, and nothing else."""
    binaries = folder / "image" / "bin"
    binaries.mkdir(parents=True)
    program = shutil.which("busybox")
    assert program is not None
    shutil.copy(program, binaries / "busybox")
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True)
    for name in set(listed.stdout.split()) - {"busybox"}:
        (binaries / name).symlink_to("busybox")
    return folder / "image"


def wait_for_socket(path: Path) -> None:
    """Return once somebody accepts connections at `path`; twenty seconds at most."""
    deadline = time.monotonic() + 20
    while True:
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(str(path))
            except OSError:
                assert time.monotonic() < deadline, f"nobody listens at {path}"
                time.sleep(0.02)
            else:
                return
