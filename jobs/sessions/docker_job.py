"""One command in a container of its own, from its making to the certainty that it is gone.

A container per command, not per session: when its first process ends, the kernel has ended
every other in it, however detached, and nothing has to be searched for. The engine is
asked for everything; that the container's processes may run on this machine is never used.
"""

import asyncio
import contextlib
import os
import secrets
from collections.abc import AsyncIterator, Coroutine, Mapping
from typing import Any

from aiodocker import Docker, DockerError
from aiodocker.containers import DockerContainer
from aiodocker.stream import Stream

from jobs.errors import Transient
from jobs.sessions.docker_engine import ENGINE_ERRORS, describe, remove_container
from jobs.sessions.limits import KILLED
from jobs.sessions.usage import Usage

_FIRST_LOOK_S = 0.5
"""Most commands have ended by then, and cost the engine no look at all."""
_LOOK_EVERY_S = 0.3
"""On top of the look itself, which lasts a second in some versions of the engine."""
_LAST_OUTPUT_S = 5.0
"""So long the engine may take to hand over what a container that has ended has written."""
_STDERR = 2


class DockerJob:
    """A command running in a container (a `jobs.sessions.limits.Job`)."""

    failed = False
    """What fails here is raised by `exited`."""

    def __init__(
        self, docker: Docker, config: Mapping[str, Any], *, stdout: int, stderr: int | None = None
    ) -> None:
        """Start it; without `stderr` all output goes to `stdout`."""
        self.left = False
        """Whether, once it has ended, its container could not be removed."""
        self._docker = docker
        self._config = config
        self._stdout = _dup(stdout)
        self._stderr = self._stdout if stderr is None else _dup(stderr)
        self._killed = asyncio.Event()
        self._tasks = 0
        self._out_of_memory = False
        self._life = asyncio.create_task(self._live())

    def measure(self) -> Usage:
        return Usage(0, self._tasks)  # the memory limit is the container's, held by the kernel

    def out_of_memory(self) -> bool:
        return self._out_of_memory

    def kill(self) -> None:
        self._killed.set()

    async def exited(self) -> int:
        """The command's exit code. Raises `Transient` where the engine has failed."""
        return await asyncio.shield(self._life)

    async def gone(self) -> None:
        await asyncio.wait({self._life})
        self._life.exception()  # of a cancelled command nobody else asks for it

    async def _live(self) -> int:
        container = self._docker.containers.container(f"skillbench-{secrets.token_hex(8)}")
        try:
            return await self._run(container)
        except ENGINE_ERRORS as error:
            if self._killed.is_set():
                return KILLED
            raise Transient(f"no container could be run: {describe(error)}") from error
        finally:
            # also after a call that got no answer: it may have made the container
            self.left = not await remove_container(container)
            for fd in {self._stdout, self._stderr}:
                os.close(fd)

    async def _run(self, container: DockerContainer) -> int:
        await self._docker.containers.create(self._config, name=container.id)
        if self._killed.is_set():
            return KILLED
        async with (
            container.attach(stdout=True, stderr=True) as stream,
            _background(self._pass_on(stream)) as output,
            _background(self._killed.wait()) as killed,
        ):
            await container.start()
            async with _background(self._look(container)):
                ended = await self._ended(container, output, killed)
            if ended is None:
                await remove_container(container)
                await asyncio.wait({output}, timeout=_LAST_OUTPUT_S)
                return KILLED
            self._out_of_memory |= bool(ended.get("OOMKilled"))
            await asyncio.wait(
                {output, killed}, timeout=_LAST_OUTPUT_S, return_when=asyncio.FIRST_COMPLETED
            )
            return int(ended["ExitCode"])

    async def _ended(
        self, container: DockerContainer, output: "asyncio.Task[Any]", killed: "asyncio.Task[Any]"
    ) -> dict[str, Any] | None:
        """The state in which the container ended; None if it is to be killed instead.

        The end of its output is taken as a hint: some engines look only four times a second
        whether a container that is waited for has ended.
        """
        async with _background(container.wait()) as waiting:
            await asyncio.wait({waiting, output, killed}, return_when=asyncio.FIRST_COMPLETED)
            pause_s = 0.01
            while not killed.done():
                state: dict[str, Any] = (await container.show())["State"]
                if not state["Running"]:
                    return state
                events = {killed} if waiting.done() else {killed, waiting}
                if waiting.done():
                    waiting.result()
                await asyncio.wait(events, timeout=pause_s, return_when=asyncio.FIRST_COMPLETED)
                pause_s = min(2 * pause_s, 1.0)
        return None

    async def _look(self, container: DockerContainer) -> None:
        """Keep what the engine measures; a look that fails is taken again."""
        await asyncio.sleep(_FIRST_LOOK_S)
        while True:
            with contextlib.suppress(*ENGINE_ERRORS, ValueError):
                for sample in await container.stats(stream=False):
                    self._tasks = int((sample.get("pids_stats") or {}).get("current") or 0)
                state = (await container.show())["State"]
                self._out_of_memory |= bool(state.get("OOMKilled"))
            await asyncio.sleep(_LOOK_EVERY_S)

    async def _pass_on(self, stream: Stream) -> None:
        """Output from the engine into the pipes, no faster than they are read."""
        with contextlib.suppress(BrokenPipeError, DockerError):
            while message := await stream.read_out():
                fd = self._stderr if message.stream == _STDERR else self._stdout
                await _write(fd, message.data)


@contextlib.asynccontextmanager
async def _background(work: Coroutine[Any, Any, Any]) -> AsyncIterator["asyncio.Task[Any]"]:
    """A task that is over when the block is, by its own end or by force."""
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait({task})
        if not task.cancelled():
            task.exception()


def _dup(fd: int) -> int:
    copy = os.dup(fd)
    os.set_blocking(copy, False)
    return copy


async def _write(fd: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        try:
            rest = rest[os.write(fd, rest) :]
        except BlockingIOError:
            await _wait_writable(fd)


async def _wait_writable(fd: int) -> None:
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_writer(fd, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_writer(fd)
