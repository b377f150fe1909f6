"""Runs a program of the person at this machine: as theirs, but in bounded time and output."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass

from jobs.targets.target import TargetFailed

_BLOCK = 65_536
_ERRORS = 100_000
"""Bytes of complaints that are kept; what comes after is read and forgotten."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended."""

    output: bytes
    errors: str
    exit_code: int | None
    """None where it was stopped at its time limit."""
    cut: bool


async def run_own(words: Sequence[str], given: bytes, *, limit_s: float, most: int) -> Ended:
    """Run it with `given` on its standard input; when this returns, its group is gone.

    Raises `TargetFailed` where there is no such program.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as trouble:
        raise TargetFailed(f"{words[0][:100]} cannot be started: {trouble.strerror}") from None
    try:
        async with asyncio.timeout(limit_s):
            (output, cut), (errors, _), _ = await asyncio.gather(
                _read(process.stdout, most), _read(process.stderr, _ERRORS), _feed(process, given)
            )
            code: int | None = await process.wait()
    except TimeoutError:
        return Ended(b"", "", None, cut=False)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    return Ended(output, errors.decode("utf-8", "replace"), code, cut)


async def _read(stream: asyncio.StreamReader | None, most: int) -> tuple[bytes, bool]:
    """At most so many bytes, and whether there were more; read to its end all the same."""
    kept = bytearray()
    cut = False
    while stream is not None and (block := await stream.read(_BLOCK)):
        room = most - len(kept)
        kept += block[:room]
        cut = cut or len(block) > room
    return bytes(kept), cut


async def _feed(process: asyncio.subprocess.Process, given: bytes) -> None:
    """Hand over what it is asked; one that does not read it may still answer."""
    if process.stdin is None:
        return
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(given)
        await process.stdin.drain()
    process.stdin.close()
