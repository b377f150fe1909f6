"""Serves an ASGI app on a real socket inside the running event loop.

uvicorn without its own signal handlers, since the process belongs to the caller, and with
one more power: a response may abort its connection, which the ASGI protocol cannot say.
"""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_GRACE_S = 1.0
"""How long an answer may still take when the serving ends."""


class _AbortableProtocol(HttpToolsProtocol):
    def on_message_begin(self) -> None:
        super().on_message_begin()
        scope: dict[str, Any] = self.scope  # type: ignore[assignment]
        scope["extensions"] = {"local_github.abort": self.transport.abort}


class _QuietServer(uvicorn.Server):
    """Leaves signals alone, and starts and stops at once: uvicorn's own looks ten times a
    second, which a hundred tests would wait for.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()
        self.stop = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self.ready.set()

    async def main_loop(self) -> None:
        while not self.stop.is_set():
            await self.on_tick(0)  # renews the Date header, once a second
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.stop.wait(), timeout=1)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        for listening in sockets or []:
            listening.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GRACE_S):
                while self.server_state.connections or self.server_state.tasks:  # noqa: ASYNC110 -- uvicorn sets no event
                    await asyncio.sleep(0.002)
        for task in self.server_state.tasks:
            task.cancel()
        await self.lifespan.shutdown()


def open_socket(host: str, port: int) -> socket.socket:
    """A listening address, bound now so that it is known before anything is served."""
    # asyncio switches Nagle's delay (40 ms an answer) off only where the protocol is named
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except OSError:
        bound.close()
        raise
    return bound


@contextlib.asynccontextmanager
async def serving(app: Any, bound: socket.socket) -> AsyncIterator[None]:
    """Serve the app on a bound socket for as long as the context lasts."""
    config = uvicorn.Config(
        app,
        http=_AbortableProtocol,
        ws="none",
        lifespan="auto",
        log_level="warning",
        access_log=False,
    )
    server = _QuietServer(config)
    task = asyncio.create_task(server.serve(sockets=[bound]))
    ready = asyncio.create_task(server.ready.wait())
    await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED)
    ready.cancel()
    try:
        if task.done():
            task.result()
        yield
    finally:
        server.stop.set()
        await task
        bound.close()
