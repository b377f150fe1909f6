"""Pipes to and from a process, read and written by the event loop itself.

asyncio's own process pipes wait for ever once somebody stops reading a full one and then
kills the process. Here reading can stop, and is taken up again after the kill, so that
the end of the pipe is always seen.
"""

import asyncio
import os
from collections.abc import Callable

_CHUNK = 256 * 1024


class PipeReader:
    """Reads a pipe to its end and keeps the first `keep` bytes."""

    def __init__(
        self,
        fd: int,
        *,
        keep: int = 100_000,
        flood_at: int = 100_000,
        on_change: Callable[[], None] = lambda: None,
        on_chunk: Callable[[bytes], None] = lambda _: None,
    ) -> None:
        """Take over the descriptor `fd`; reading stops once `flood_at` bytes have come.

        `on_chunk` is given every piece as it comes, also those that are not kept.
        """
        os.set_blocking(fd, False)
        self._fd = fd
        self._keep = keep
        self._flood_at = flood_at
        self._on_change = on_change
        self._on_chunk = on_chunk
        self._loop = asyncio.get_running_loop()
        self.kept = bytearray()
        self.total = 0
        self.flooded: asyncio.Future[None] = self._loop.create_future()
        self.ended: asyncio.Future[None] = self._loop.create_future()
        self._loop.add_reader(fd, self._read)

    @property
    def truncated(self) -> bool:
        return self.total > len(self.kept)

    def read_now(self) -> None:
        """Take what has come already, without waiting for the event loop's next round."""
        if not self.ended.done():
            self._read()

    def drain(self) -> None:
        """Read on to the end whatever comes; to be called once all writers are dead."""
        self._flood_at = -1
        if not self.ended.done():
            self._loop.add_reader(self._fd, self._read)

    def close(self) -> None:
        if not self.ended.done():
            self._loop.remove_reader(self._fd)
            os.close(self._fd)
            self.ended.set_result(None)

    def _read(self) -> None:
        try:
            chunk = os.read(self._fd, _CHUNK)
        except BlockingIOError:
            return
        if not chunk:
            self.close()
        self.total += len(chunk)
        self.kept += chunk[: self._keep - len(self.kept)]
        if 0 <= self._flood_at < self.total and not self.flooded.done():
            self._loop.remove_reader(self._fd)
            self.flooded.set_result(None)
        self._on_chunk(chunk)
        self._on_change()


class PipeWriter:
    """Writes bytes into a pipe as fast as they are read, then closes it."""

    def __init__(self, fd: int, content: bytes) -> None:
        """Take over the descriptor `fd`."""
        os.set_blocking(fd, False)
        self._fd = fd
        self._rest = memoryview(content)
        self._loop = asyncio.get_running_loop()
        self._loop.add_writer(fd, self._write)

    def close(self) -> None:
        if self._fd >= 0:
            self._loop.remove_writer(self._fd)
            os.close(self._fd)
            self._fd = -1

    def _write(self) -> None:
        try:
            written = os.write(self._fd, self._rest[:_CHUNK]) if self._rest else 0
        except BlockingIOError:
            return
        except BrokenPipeError:
            self.close()
            return
        self._rest = self._rest[written:]
        if not self._rest:
            self.close()


def filled_pipe(content: bytes) -> int:
    """The reading end of a pipe that holds `content` (at most 64 KiB) and then ends."""
    read_fd, write_fd = os.pipe()
    os.set_blocking(write_fd, False)
    try:
        written = os.write(write_fd, content)
    finally:
        os.close(write_fd)
    if written < len(content):
        os.close(read_fd)
        raise ValueError("too much for a pipe")
    return read_fd


async def wait_readable(fd: int) -> None:
    """Wait until a descriptor can be read; for a pidfd: until its process has ended."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()

    def tell() -> None:
        loop.remove_reader(fd)
        ready.set_result(None)

    loop.add_reader(fd, tell)
    try:
        await ready
    finally:
        loop.remove_reader(fd)
