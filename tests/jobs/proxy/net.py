"""A small internet: names that lead to addresses, and one local server behind all of them."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from jobs.proxy.connect import HostGate

PUBLIC = "93.184.216.34"


async def take_any_greeting(_: asyncio.StreamReader, sent: bytes, __: str) -> bytes:
    """For clients without TLS: a real gate would not let them through."""
    return sent


class Net:
    """Names and addresses of a small internet; whoever dials reaches one local server."""

    def __init__(self, names: dict[str, list[str]]) -> None:
        self.names = names
        self.port = 0
        self.dialled: list[tuple[str, int]] = []

    async def resolve(self, host: str) -> list[str]:
        if host not in self.names:
            raise OSError("no such host")
        return self.names[host]

    async def dial(self, address: str, port: int):
        self.dialled.append((address, port))
        return await asyncio.open_connection("127.0.0.1", self.port)

    def gate(self, *allowed: str) -> HostGate:
        return self.make_gate(allowed)

    def make_gate(self, allowed: Iterable[str]) -> HostGate:
        """A gate for clients that talk plainly through their tunnels."""
        return HostGate(
            allowed, resolve=self.resolve, dial=self.dial, read_greeting=take_any_greeting
        )

    def strict_gate(self, *allowed: str) -> HostGate:
        """A gate that looks at greetings, as real ones do."""
        return HostGate(allowed, resolve=self.resolve, dial=self.dial)

    @asynccontextmanager
    async def echoing(self) -> AsyncIterator[None]:
        """Serve a server that answers every line in capitals."""
        finished: list[asyncio.Task[None]] = []

        async def shout(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            finished.append(asyncio.current_task())
            while line := await reader.readline():
                writer.write(line.upper())
            writer.close()
            await writer.wait_closed()

        server = await asyncio.start_server(shout, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        async with server, asyncio.timeout(20):
            yield
            await asyncio.gather(*finished)
