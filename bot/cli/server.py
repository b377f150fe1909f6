"""uvicorn as a part of a program of ours: no signals of its own, and an end that we choose."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette

GRACE_S = 10
"""How long a delivery may still take when the server ends; GitHub waits no longer either."""


class Server(uvicorn.Server):
    """uvicorn inside a loop of ours, whose signals are ours too."""

    async def serve_until(self, end: "asyncio.Future[Any]", bound: socket.socket) -> None:
        """Serve on a socket, which is closed then, until `end` is done or this is cancelled.

        What is under way is answered first; what an application tells without end, it ends when
        its `state.leaving` is set.
        """
        serving = asyncio.create_task(self.serve(sockets=[bound]))
        try:
            await asyncio.wait({serving, end}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            state = getattr(self.config.app, "state", None)
            if (leaving := getattr(state, "leaving", None)) is not None:
                leaving.set()
            self.should_exit = True
            await serving

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are handled by `until_stopped`."""
        yield


def make_config(app: Starlette) -> uvicorn.Config:
    """How an application is served."""
    return uvicorn.Config(
        app,
        ws="none",  # nothing here speaks it, and its library takes memory
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=GRACE_S,
    )
