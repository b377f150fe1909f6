"""HTTP/1.1 with one client of the proxy: requests in, whole or streamed replies out.

The grammar is h11's. This adds what a proxy needs beside it: nothing is held back, a body
has a limit, and work for a client that has gone away is dropped.
"""

import asyncio
import contextlib
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

import h11

Headers = Sequence[tuple[str, str]]
_CHUNK = 64 * 1024
_LINGER_S = 2.0
_LONGEST_HEAD = 64 * 1024
_MOST_AHEAD = 256 * 1024
"""Bytes that a client may send before it has the answer to what it sent first."""


class ClientGone(Exception):  # noqa: N818
    """The client went away, or does not speak HTTP; there is nobody to answer."""


class BodyTooLarge(Exception):  # noqa: N818
    """The client sends more than it may."""


@dataclass(frozen=True, slots=True)
class Head:
    """A request without its body."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    """Names in lower case."""

    def get(self, name: str) -> str:
        """The first header of that name; empty if there is none."""
        return next((value for known, value in self.headers if known == name), "")


class ClientConnection:
    """One connection, request after request."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_LONGEST_HEAD)

    async def next_request(self) -> Head | None:
        """The next request; None once the client is done, or cannot send another."""
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
        if self._http.our_state is not h11.IDLE:
            return None
        event = await self._next_event()
        if not isinstance(event, h11.Request):
            return None
        return Head(
            event.method.decode("ascii", "replace"),
            event.target.decode("ascii", "replace"),
            tuple(
                (name.decode("latin-1"), value.decode("latin-1")) for name, value in event.headers
            ),
        )

    async def read_body(self, most: int) -> bytes:
        """The body of the request. Raises `BodyTooLarge`, `ClientGone`."""
        if self._http.they_are_waiting_for_100_continue:
            await self._send(h11.InformationalResponse(status_code=100, headers=[]))
        body = bytearray()
        while True:
            event = await self._next_event()
            if isinstance(event, h11.EndOfMessage):
                return bytes(body)
            if not isinstance(event, h11.Data):
                raise ClientGone
            body += event.data
            if len(body) > most:
                raise BodyTooLarge

    async def reply(self, status: int, headers: Headers, body: bytes = b"") -> None:
        """Answer at once; a client whose body was not read cannot ask again after that."""
        length = [("content-length", str(len(body)))]
        await self._send(h11.Response(status_code=status, headers=[*headers, *length]))
        await self._send(h11.Data(data=body))
        await self._send(h11.EndOfMessage())

    async def begin(self, status: int, headers: Headers) -> None:
        """Begin an answer whose length is not known yet."""
        await self._send(h11.Response(status_code=status, headers=list(headers)))

    async def send(self, chunk: bytes) -> None:
        """Pass a piece on now; waits only while the client does not read."""
        await self._send(h11.Data(data=chunk))

    async def finish(self) -> None:
        """The answer is whole."""
        await self._send(h11.EndOfMessage())

    def abort(self) -> None:
        """Break off, so that the client cannot take what it got for a whole answer."""
        self.writer.transport.abort()

    async def unless_gone(self, work: Coroutine[Any, Any, None]) -> None:
        """Do the work, or drop it once the client has gone. Raises what the work raises."""
        working = asyncio.create_task(work)
        watching = asyncio.create_task(self._gone())
        try:
            await asyncio.wait({working, watching}, return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                raise ClientGone
            working.result()
        finally:
            working.cancel()
            watching.cancel()
            await asyncio.gather(working, watching, return_exceptions=True)

    async def linger(self) -> None:
        """Say that no more is answered, and let the client finish what it is still sending.

        To close at once would reset the connection, and the answer with it.
        """
        if self._http.their_state is h11.SEND_BODY and self.writer.can_write_eof():
            with contextlib.suppress(OSError, TimeoutError):
                self.writer.write_eof()
                async with asyncio.timeout(_LINGER_S):
                    while await self._read():
                        pass

    def take_over(self) -> bytes:
        """What the client has sent beyond the request, once the connection is a tunnel."""
        return self._http.trailing_data[0]

    async def _gone(self) -> None:
        """Wait until the client has gone; what it sends meanwhile is kept for later.

        One that goes on sending before it has its answer is done with, like one that left:
        what it sends would pile up in the worker's memory.
        """
        while chunk := await self._read():
            if len(self._http.trailing_data[0]) > _MOST_AHEAD:
                return
            self._http.receive_data(chunk)

    async def _read(self) -> bytes:
        try:
            return await self.reader.read(_CHUNK)
        except OSError:
            return b""

    async def _next_event(self) -> Any:
        try:
            while (event := self._http.next_event()) is h11.NEED_DATA:
                self._http.receive_data(await self._read())
        except h11.RemoteProtocolError as error:
            raise ClientGone from error
        return event

    async def _send(self, event: Any) -> None:
        try:
            sent = self._http.send(event)
            if sent:
                self.writer.write(sent)
                await self.writer.drain()
        except (OSError, h11.LocalProtocolError) as error:
            raise ClientGone from error
