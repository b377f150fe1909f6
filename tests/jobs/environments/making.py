"""Environments for tests: their definitions, and what prepares them on this machine."""

import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from jobs.environments.environments import SandboxEnvironments
from jobs.environments.folders import Folders
from jobs.environments.pinned import Environment, Packages
from jobs.environments.setup import SetupRunner
from jobs.proxy.connect import HostGate
from jobs.sandbox import CommandResult, SandboxMaker
from jobs.sessions.box import BoxLimits
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.sessions.prepared import Prepared
from jobs.sessions.reach import MakeGate, open_reaching
from jobs.sessions.workspace import Workspace

MEMORY_MB = 500
needs_r = pytest.mark.skipif(
    not all(Path(f"/usr/lib/R/site-library/{name}").is_dir() for name in ("jsonlite", "digest")),
    reason="Debian's R with jsonlite and digest is not installed",
)
SMALL = BoxLimits(
    memory_bytes=0, processes=64, disk_bytes=24 * 1024**2, output_bytes=2_000_000
)  # fmt: skip


def an_environment(
    setup: str = "",
    *,
    name: str = "r-check",
    image: str = "",
    hosts: tuple[str, ...] = (),
    **packages: tuple[str, ...],
) -> Environment:
    """An environment with a digest over what it is given."""
    digest = hashlib.sha256(repr((setup, image, hosts, packages)).encode()).hexdigest()
    return Environment(
        name=name,
        image=image,
        setup=setup,
        hosts=hosts,
        packages=Packages.model_validate(packages),
        digest=digest,
    )


async def no_images(environment: Environment) -> str:
    raise AssertionError(f"{environment.image} was asked for")


def make_environments(
    root: Path,
    *,
    maker: SandboxMaker | None = None,
    timeout_s: float = 60.0,
    find_image_id: Callable[[Environment], Awaitable[str]] = no_images,
    make_gate: MakeGate = HostGate,
) -> SandboxEnvironments:
    """What a worker with its data folder at `root` prepares environments with."""
    return SandboxEnvironments(
        runner=SetupRunner(
            sandboxes=maker or BubblewrapMaker(limits=SMALL, use_memory_group=False),
            timeout_s=timeout_s,
            memory_mb=MEMORY_MB,
            make_gate=make_gate,
        ),
        folders=Folders(root / "environments"),
        find_image_id=find_image_id,
        scratch=root / "scratch",
    )


async def run_prepared(
    environments: SandboxEnvironments, prepared: Prepared, script: str
) -> CommandResult:
    """A command as a session in the environment would run it."""
    workspace = Workspace.make(environments.scratch)
    try:
        async with open_reaching(
            environments.runner.sandboxes,
            workspace.work,
            memory_mb=MEMORY_MB,
            prepared=prepared,
            make_gate=environments.runner.make_gate,
        ) as sandbox:
            return await sandbox.run(["sh", "-c", script], timeout_s=20)
    finally:
        await workspace.remove()


def kept(environments: SandboxEnvironments) -> list[str]:
    """What lies in the data folder."""
    root = environments.folders._root
    return sorted(path.name for path in root.iterdir()) if root.exists() else []
