"""An engine that goes away while a session uses it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Self

import pytest
from aiodocker import Docker

from jobs.errors import Transient
from jobs.sessions.docker import DockerMaker
from tests.jobs.sessions.conftest import SMALL
from tests.jobs.sessions.podman import IMAGE, Engine
from tests.jobs.sessions.watching import Doorbell


class Line:
    """A way to the engine that can be cut."""

    def __init__(self, engine: Engine, path: Path) -> None:
        self.host = f"unix://{path}"
        self._path = path
        self._engine = engine.host.removeprefix("unix://")
        self._ends: list[asyncio.StreamWriter] = []
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_unix_server(self._carry, self._path)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.cut()

    def cut(self) -> None:
        """Let nobody through any more, and break off what is going on."""
        assert self._server is not None
        self._server.close()
        self._path.unlink(missing_ok=True)
        for end in self._ends:
            end.transport.abort()

    async def _carry(self, here: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        there, forth = await asyncio.open_unix_connection(self._engine)
        self._ends += [back, forth]
        with contextlib.suppress(OSError):
            await asyncio.gather(_pump(here, forth), _pump(there, back))
        for end in (back, forth):
            end.transport.abort()


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while chunk := await source.read(65_536):
        target.write(chunk)
        await target.drain()
    if target.can_write_eof():
        target.write_eof()


@pytest.fixture
async def line(engine: Engine, tmp_path: Path) -> AsyncIterator[Line]:
    async with Line(engine, tmp_path / "s") as line:
        yield line
    async with Docker(url=engine.host) as docker:
        left = await docker.containers.list(all="true", filters='{"label":["skillbench.worker"]}')
        for container in left:
            await container.delete(force=True)


async def test_a_command_under_way_ends_as_a_platform_failure(line, workspace):
    bell = Doorbell(workspace.work)
    async with DockerMaker(image=IMAGE, host=line.host, limits=SMALL).open(
        workspace.work, memory_mb=100
    ) as sandbox:
        running = asyncio.create_task(
            sandbox.run(["sh", "-c", "echo > bell; sleep 60"], timeout_s=60)
        )
        await bell.rung()
        line.cut()
        async with asyncio.timeout(20):
            with pytest.raises(Transient):
                await running
            with pytest.raises(Transient, match="no container could be run"):
                await sandbox.run(["true"], timeout_s=10)


async def test_cancelling_waits_for_no_engine_for_long(line, workspace):
    bell = Doorbell(workspace.work)
    async with DockerMaker(image=IMAGE, host=line.host, limits=SMALL).open(
        workspace.work, memory_mb=100
    ) as sandbox:
        running = asyncio.create_task(
            sandbox.run(["sh", "-c", "echo > bell; yes > /dev/null"], timeout_s=60)
        )
        await bell.rung()
        line.cut()
        running.cancel()
        async with asyncio.timeout(20):
            with pytest.raises(asyncio.CancelledError):
                await running


async def test_the_next_session_says_that_the_engine_is_away(line, workspace):
    maker = DockerMaker(image=IMAGE, host=line.host)
    assert await maker.problem() is None
    line.cut()
    with pytest.raises(Transient, match="No Docker Engine answers"):
        async with maker.open(workspace.work, memory_mb=100):
            pytest.fail("a sandbox was opened without an engine")
