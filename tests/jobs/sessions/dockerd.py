"""A real Docker Engine for tests, where `dockerd` is installed: beside podman, not instead.

It gets a data folder of its own and is kept from the machine's network: no bridge, no
firewall rule, no forwarding.
"""

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.jobs.sessions.podman import (
    IMAGE,
    Engine,
    find_missing,
    unpack_busybox,
    wait_for_socket,
)

PROGRAMS = ("dockerd", "docker", "runc", "busybox")


def find_obstacle() -> str | None:
    """Why no Docker Engine can be started here; None if one can."""
    if os.geteuid() != 0:
        return "an engine that holds limits needs root"
    return find_missing(PROGRAMS)


@contextlib.contextmanager
def serve_dockerd() -> Iterator[Engine]:
    """Docker's own engine, for as long as the block lasts."""
    with tempfile.TemporaryDirectory(prefix="dkr", ignore_cleanup_errors=True) as top:
        folder = Path(top)
        options = ["--bridge=none", "--iptables=false", "--ip-forward=false", "--ip-masq=false"]
        for option in ("data-root", "exec-root", "pidfile"):
            options += [f"--{option}", str(folder / option)]
        host = f"unix://{folder / 's'}"
        engine = Engine(
            host=host,
            tells_out_of_memory=True,
            refuses_user_namespaces=True,
            command=("docker", "--host", host),
            environment={"PATH": os.environ["PATH"], "HOME": top},
        )
        with (folder / "log").open("wb") as log:
            service = subprocess.Popen(
                ["dockerd", "--host", host, *options], stdout=log, stderr=log, cwd=folder
            )
        try:
            wait_for_socket(folder / "s")
            engine.import_image(unpack_busybox(folder), IMAGE)
            yield engine
        finally:
            service.terminate()
            service.wait()
