"""One program that talks for as long as its session lasts, heard while it talks.

Beside `command`, which gives a command's output when it has ended: here every piece of
standard output is handed over as it comes, and standard error is kept apart from it, since
a warning in the middle of a line would spoil that line. To end a program early, cancel.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from jobs.errors import Transient
from jobs.sessions.box import Bind, BoxLimits
from jobs.sessions.command import last_line
from jobs.sessions.limits import Job, run_job
from jobs.sessions.pipes import PipeReader, PipeWriter

MAX_OUTPUT_BYTES = 1024**3
"""After so much nobody listens any longer: a hundred turns with large answers stay far below."""
MAX_ERROR_BYTES = 20_000
"""Of standard error, its beginning; the rest is read and dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What is run, and who listens to it."""

    argv: Sequence[str]
    stdin: bytes = b""
    """Written and then closed, so that a program which reads to the end goes on."""
    on_output: Callable[[bytes], None]
    """Called in the event loop for every piece of output; must not raise."""
    timeout_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramEnd:
    """How a program ended."""

    exit_code: int
    """137 where it was killed."""
    errors: bytes
    """What it wrote to standard error, its beginning."""
    timed_out: bool
    killed_for: str
    """`memory`, `processes`, `output` or `disk` where a limit killed it; else empty."""


class ProgramSandbox(Protocol):
    """A sandbox that can run a program."""

    @property
    def identity(self) -> str:
        """As of `jobs.sandbox.Sandbox`."""

    async def run_program(self, program: Program) -> ProgramEnd:
        """Run it to its end; no process of it is left on return, nor after a cancellation.

        Raises `Transient` if no sandbox can start.
        """


class ProgramSandboxMaker(Protocol):
    """Makes sandboxes that show further files and variables to a program."""

    name: str

    def open(
        self,
        work: Path,
        *,
        memory_mb: int,
        binds: Sequence[Bind] = (),
        environment: Mapping[str, str] | None = None,
        image: str = "",
    ) -> AbstractAsyncContextManager[ProgramSandbox]:
        """A sandbox over the folder `work`; leaving the context ends every process in it."""


async def run_program(
    start: Callable[[int, int, int], Job],
    program: Program,
    *,
    limits: BoxLimits,
    folders: tuple[Path, ...],
) -> ProgramEnd:
    """Start a job with descriptors for its input, output and errors; see it to its end.

    Nothing of it is left when this returns or is cancelled. Raises `Transient` where the
    sandbox, not the program, has failed.
    """
    read_stdin, write_stdin = os.pipe()
    read_stdout, write_stdout = os.pipe()
    read_stderr, write_stderr = os.pipe()
    try:
        job = start(read_stdin, write_stdout, write_stderr)
    except (OSError, ValueError) as error:
        for fd in (write_stdin, read_stdout, read_stderr):
            os.close(fd)
        raise Transient(f"the program cannot be started: {error}") from error
    finally:
        for fd in (read_stdin, write_stdout, write_stderr):
            os.close(fd)
    writer = PipeWriter(write_stdin, program.stdin)
    errors = PipeReader(read_stderr, keep=MAX_ERROR_BYTES, flood_at=MAX_OUTPUT_BYTES)
    output = PipeReader(read_stdout, keep=0, flood_at=MAX_OUTPUT_BYTES, on_chunk=program.on_output)
    try:
        ending = await run_job(
            job, output, timeout_s=program.timeout_s, limits=limits, folders=folders
        )
    finally:
        writer.close()
        errors.read_now()
        errors.close()
    if job.failed and not ending.killed_for:
        raise Transient(f"no sandbox could be started: {last_line(errors.kept)}")
    return ProgramEnd(
        exit_code=ending.exit_code,
        errors=bytes(errors.kept),
        timed_out=ending.timed_out,
        killed_for=ending.killed_for,
    )
