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
GONE_S = 5.0
"""How long a program that was killed is waited for."""


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

    Raises `TargetFailed` where there is no such program, or it takes too long or says too much.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            env=_environment(),
        )
    except OSError as trouble:
        raise TargetFailed(f"{words[0][:100]} cannot be started: {trouble.strerror}") from None
    try:
        async with asyncio.timeout(limit_s), asyncio.TaskGroup() as together:
            output = together.create_task(_read(process.stdout, most))
            errors = together.create_task(_complaints(process.stderr))
            together.create_task(_feed(process, given))
        code = await process.wait()
    except TimeoutError:
        raise TargetFailed(f"the program was not done within {limit_s:g} s") from None
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
    finally:
        await _end(process)
    return Ended(output.result(), errors.result(), code, cut=False)


def _environment() -> dict[str, str]:
    """The person's own environment; what opens the App is not for a system under test."""
    return {name: value for name, value in os.environ.items() if not name.startswith("SKILLBENCH_")}


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill the group, and wait for it, though not for ever for one that has left it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(GONE_S):
            # a process has ended for asyncio once its pipes have, and a full one never does
            await asyncio.gather(_complaints(process.stdout), _complaints(process.stderr))
            await process.wait()


async def _read(stream: asyncio.StreamReader | None, most: int) -> bytes:
    """All that is printed. Raises `TargetFailed` where that is more than `most` bytes."""
    kept = bytearray()
    while stream is not None and (block := await stream.read(_BLOCK)):
        kept += block
        if len(kept) > most:
            raise TargetFailed(f"the program printed more than {most:,} bytes")
    return bytes(kept)


async def _complaints(stream: asyncio.StreamReader | None) -> str:
    """The beginning of what is written to a stream, which is read to its end all the same."""
    kept = bytearray()
    while stream is not None and (block := await stream.read(_BLOCK)):
        kept += block[: _ERRORS - len(kept)]
    return kept.decode("utf-8", "replace")


async def _feed(process: asyncio.subprocess.Process, given: bytes) -> None:
    """Hand over what it is asked; one that does not read it may still answer."""
    if process.stdin is None:
        return
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(given)
        await process.stdin.drain()
    process.stdin.close()
