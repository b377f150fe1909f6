"""A workspace, and sandboxes over it: the real ones, on this machine."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from jobs.ports import Sandbox, SandboxMaker
from jobs.sessions.box import BoxLimits
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.sessions.unconfined import UnconfinedMaker
from jobs.sessions.workspace import Workspace

SMALL = BoxLimits(
    memory_bytes=0,
    processes=64,
    file_bytes=4 * 1024**2,
    disk_bytes=24 * 1024**2,
    output_bytes=3_000_000,
)
"""Limits that a test can reach in a moment."""
MEMORY_MB = 200


@pytest.fixture
async def workspace(tmp_path: Path) -> AsyncIterator[Workspace]:
    workspace = Workspace.make(tmp_path)
    yield workspace
    await workspace.remove()


@pytest.fixture
async def box(workspace: Workspace) -> AsyncIterator[Sandbox]:
    """A bubblewrap sandbox whose memory is only watched, as on most machines."""
    maker = BubblewrapMaker(limits=SMALL, use_memory_group=False)
    async with maker.open(workspace.work, memory_mb=MEMORY_MB) as sandbox:
        yield sandbox


@pytest.fixture(params=["bubblewrap", "none"])
def maker(request: pytest.FixtureRequest) -> SandboxMaker:
    """Every kind of sandbox: what all of them must keep."""
    if request.param == "none":
        return UnconfinedMaker(limits=SMALL)
    return BubblewrapMaker(limits=SMALL, use_memory_group=False)


@pytest.fixture
async def sandbox(maker: SandboxMaker, workspace: Workspace) -> AsyncIterator[Sandbox]:
    async with maker.open(workspace.work, memory_mb=MEMORY_MB) as sandbox:
        yield sandbox
