"""A workspace, and sandboxes over it: the real ones, on this machine."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from jobs.sandbox import Sandbox, SandboxMaker
from jobs.sessions.box import BoxLimits
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.sessions.docker import DockerMaker
from jobs.sessions.unconfined import UnconfinedMaker
from jobs.sessions.workspace import Workspace
from tests.jobs.sessions import dockerd, podman
from tests.jobs.sessions.podman import IMAGE, Engine

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


@pytest.fixture(scope="session")
def podman_engine() -> Iterator[Engine]:
    """Docker's API, served by podman."""
    if obstacle := podman.find_obstacle():
        pytest.skip(obstacle)
    with podman.serve_podman() as engine:
        yield engine


@pytest.fixture(scope="session")
def dockerd_engine() -> Iterator[Engine]:
    """Docker's own engine."""
    if obstacle := dockerd.find_obstacle():
        pytest.skip(obstacle)
    with dockerd.serve_dockerd() as engine:
        yield engine


@pytest.fixture(scope="session")
def podman_maker(podman_engine: Engine) -> DockerMaker:
    """One for all tests, as a worker has one for all sessions: it remembers its engine."""
    return DockerMaker(image=IMAGE, host=podman_engine.host, limits=SMALL)


@pytest.fixture(scope="session")
def dockerd_maker(dockerd_engine: Engine) -> DockerMaker:
    return DockerMaker(image=IMAGE, host=dockerd_engine.host, limits=SMALL)


@pytest.fixture(params=["podman", "dockerd"])
def docker_maker(request: pytest.FixtureRequest) -> DockerMaker:
    """The docker sandbox, on every engine that can be had here."""
    return request.getfixturevalue(f"{request.param}_maker")


@pytest.fixture
def engine(request: pytest.FixtureRequest, docker_maker: DockerMaker) -> Engine:
    """The engine of `docker_maker`."""
    kind = request.node.callspec.params["docker_maker"]
    return request.getfixturevalue(f"{kind}_engine")


def find_maker(request: pytest.FixtureRequest) -> SandboxMaker:
    """The maker that a fixture's parameter names: an engine, or a kind without one."""
    if request.param == "none":
        return UnconfinedMaker(limits=SMALL)
    if request.param == "bubblewrap":
        return BubblewrapMaker(limits=SMALL, use_memory_group=False)
    return request.getfixturevalue(f"{request.param}_maker")


@pytest.fixture(params=["bubblewrap", "none"])
def maker(request: pytest.FixtureRequest) -> SandboxMaker:
    """Kinds of sandbox; a module that tries more of them overrides this."""
    return find_maker(request)


@pytest.fixture
async def sandbox(maker: SandboxMaker, workspace: Workspace) -> AsyncIterator[Sandbox]:
    async with maker.open(workspace.work, memory_mb=MEMORY_MB) as sandbox:
        yield sandbox
