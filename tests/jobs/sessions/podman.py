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
from collections.abc import Iterator
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


@dataclass(frozen=True)
class Engine:
    """An engine that answers, and holds the image of the tests."""

    host: str
    """As in `DOCKER_HOST`."""
    image: str
    tells_out_of_memory: bool
    """Whether it notices that the kernel ended something over the memory limit."""


def find_obstacle() -> str | None:
    """Why podman cannot be served here; None if it can."""
    if os.geteuid() != 0:
        return "an engine that holds limits needs root"
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    return f"not installed: {', '.join(missing)}" if missing else None


@contextlib.contextmanager
def serve_podman() -> Iterator[Engine]:
    """Podman with runc, for as long as the block lasts."""
    # the socket's path has to be short, and a container's folders may be long
    with tempfile.TemporaryDirectory(prefix="pod", ignore_cleanup_errors=True) as top:
        folder = Path(top)
        (folder / "containers.conf").write_text(_CONFIGURATION)
        environment = {
            "PATH": os.environ["PATH"],
            "CONTAINERS_CONF": str(folder / "containers.conf"),
        }
        podman = ["podman", "--storage-driver", "overlay"]
        for option in ("root", "runroot", "tmpdir"):
            podman += [f"--{option}", str(folder / option)]
        subprocess.run(
            [*podman, "import", "-", IMAGE],
            stdin=pack_busybox(folder),
            env=environment,
            check=True,
            capture_output=True,
        )
        path = folder / "s"
        service = subprocess.Popen(
            [*podman, "system", "service", "--time=0", f"unix://{path}"],
            env=environment,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_for_socket(path)
            # its monitor hears of memory through the second version of control groups alone
            second = Path("/sys/fs/cgroup/cgroup.controllers").exists()
            yield Engine(f"unix://{path}", IMAGE, tells_out_of_memory=second)
        finally:
            service.terminate()
            service.wait()
            subprocess.run(
                [*podman, "rm", "--all", "--force", "--time=0"],
                env=environment,
                check=False,
                capture_output=True,
            )


def pack_busybox(folder: Path) -> int:
    """A descriptor of a tar file: busybox under all its names, and nothing else."""
    binaries = folder / "image" / "bin"
    binaries.mkdir(parents=True)
    program = shutil.which("busybox")
    assert program is not None
    shutil.copy(program, binaries / "busybox")
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True)
    for name in set(listed.stdout.split()) - {"busybox"}:
        (binaries / name).symlink_to("busybox")
    packed = folder / "image.tar"
    subprocess.run(["tar", "-C", str(folder / "image"), "-cf", str(packed), "."], check=True)
    return os.open(packed, os.O_RDONLY)


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
