"""A real Docker Engine for tests, where `dockerd` is installed: beside podman, not instead.

It gets a data folder of its own and is kept from the machine's network: no bridge, no
firewall rule, no forwarding.
"""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.jobs.sessions.podman import IMAGE, Engine, pack_busybox, wait_for_socket

PROGRAMS = ("dockerd", "docker", "runc", "busybox")


def find_obstacle() -> str | None:
    """Why no Docker Engine can be started here; None if one can."""
    if os.geteuid() != 0:
        return "an engine that holds limits needs root"
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    return f"not installed: {', '.join(missing)}" if missing else None


@contextlib.contextmanager
def serve_dockerd() -> Iterator[Engine]:
    """Docker's own engine, for as long as the block lasts."""
    with tempfile.TemporaryDirectory(prefix="dkr", ignore_cleanup_errors=True) as top:
        folder = Path(top)
        options = ["--bridge=none", "--iptables=false", "--ip-forward=false", "--ip-masq=false"]
        for option in ("data-root", "exec-root", "pidfile"):
            options += [f"--{option}", str(folder / option)]
        host = f"unix://{folder / 's'}"
        with (folder / "log").open("wb") as log:
            engine = subprocess.Popen(
                ["dockerd", "--host", host, *options], stdout=log, stderr=log, cwd=folder
            )
        try:
            wait_for_socket(folder / "s")
            subprocess.run(
                ["docker", "--host", host, "import", "-", IMAGE],
                stdin=pack_busybox(folder),
                check=True,
                capture_output=True,
            )
            yield Engine(host, IMAGE, tells_out_of_memory=True)
        finally:
            engine.terminate()
            engine.wait()
