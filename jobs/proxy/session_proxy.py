"""The socket that a session is given: one way to allowed hosts, one to the model API.

The second only where the model is spoken to from inside the sandbox. One proxy for each
session, listening on a Unix socket of the worker's that is shown in the session's sandbox.
Nothing of it outlives its session.
"""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from jobs.proxy.client_connection import BodyTooLarge, ClientConnection, ClientGone
from jobs.proxy.connect import PLAIN_REFUSED, HostGate, carry
from jobs.proxy.greeting import HostRefused
from jobs.proxy.model_proxy import ModelProxy
from jobs.proxy.refusal import Refusal

log = structlog.get_logger()

_TEXT = [("content-type", "text/plain")]
MAX_CONNECTIONS = 96
"""At a time; above what the sandbox's forwarder carries. Each costs the worker a descriptor."""


@dataclass(slots=True)
class SessionProxy:
    """Takes the connections of one session."""

    model: ModelProxy | None
    """None where the sandbox has no business with the model."""
    gate: HostGate
    _connections: set[asyncio.Task[None]] = field(default_factory=set)

    @asynccontextmanager
    async def listen(self, path: Path) -> AsyncIterator[None]:
        """Listen on a new socket at `path` until the context is left; then nobody is served.

        Everybody who reaches the path may connect: its folder is what keeps others out.
        """
        with _bound(path) as listener:
            server = await asyncio.start_unix_server(self._accept, sock=listener)
            try:
                yield
            finally:
                server.close()
                for task in self._connections:
                    task.cancel()
                await asyncio.gather(*self._connections, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        if len(self._connections) >= MAX_CONNECTIONS:
            writer.transport.abort()
            return
        self._connections.add(task)
        try:
            await self._serve(ClientConnection(reader, writer))
        except (ClientGone, OSError):
            writer.transport.abort()
        except asyncio.CancelledError:
            # nobody but `listen` cancels; Python 3.11 logs a cancelled connection as an error
            writer.transport.abort()
        except Exception:  # a defect of ours must cost one connection, not the session
            log.exception("proxy_failed")
            writer.transport.abort()
        finally:
            self._connections.discard(task)
            writer.close()

    async def _serve(self, client: ClientConnection) -> None:
        while head := await client.next_request():
            if head.method == "CONNECT":
                await self._tunnel(head.target, client)
                return
            if not head.target.startswith("/"):
                await self._refuse_plain(head.target, client)
                return
            if self.model is None:
                await client.reply(404, _TEXT, b"skillbench: there is nothing here\n")
                return
            await self.model.answer(head, client)
        await client.linger()

    async def _tunnel(self, target: str, client: ClientConnection) -> None:
        try:
            await client.read_body(0)
        except BodyTooLarge:
            await client.reply(400, _TEXT, b"skillbench: a tunnel is asked for without a body\n")
            return
        try:
            streams = await self.gate.open(target)
        except HostRefused as refusal:
            said = f"skillbench: {target} is not reached: {refusal}\n".encode()
            await client.reply(403, _TEXT, said)
            return
        try:
            await client.begin(200, [])
            streams[1].write(await self.gate.greet(target, client.reader, client.take_over()))
            await carry((client.reader, client.writer), streams)
        except HostRefused:
            client.abort()
        finally:
            streams[1].close()

    async def _refuse_plain(self, target: str, client: ClientConnection) -> None:
        """Answer `GET http://host/…`: what is not encrypted could be anybody's answer."""
        self.gate.refuse_plain(target)
        refusal = Refusal(403, "permission_error", PLAIN_REFUSED)
        await client.reply(refusal.status, refusal.headers, refusal.body)


@contextmanager
def _bound(path: Path) -> Iterator[socket.socket]:
    """A socket bound to a path of any length; the kernel itself takes only 107 bytes."""
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(f"/proc/self/fd/{folder}/{path.name}")
            path.chmod(0o666)  # a worker that is root runs the sandbox as somebody else
            yield listener
    finally:
        os.close(folder)
