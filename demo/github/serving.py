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


class _AbortableProtocol(HttpToolsProtocol):
    def on_message_begin(self) -> None:
        super().on_message_begin()
        scope: dict[str, Any] = self.scope  # type: ignore[assignment]
        scope["extensions"] = {"local_github.abort": self.transport.abort}


class _QuietServer(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self.ready.set()


def open_socket(host: str, port: int) -> socket.socket:
    """A listening address, bound now so that it is known before anything is served."""
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
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
        lifespan="off",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=1,
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
        server.should_exit = True
        await task
        bound.close()
