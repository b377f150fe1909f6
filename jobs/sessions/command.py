"""One command from its start to its result, the same for every kind of sandbox."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from jobs.errors import Transient
from jobs.sandbox import CommandResult
from jobs.sessions.box import BoxLimits
from jobs.sessions.limits import Job, run_job
from jobs.sessions.pipes import PipeReader, PipeWriter

CANNOT_RUN = 126
"""The exit code by which a shell, too, says that a command cannot be run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What is given to a command and asked of it, the arguments of `Sandbox.run`."""

    timeout_s: float
    stdin: bytes
    max_output: int


async def run_command(
    start: Callable[[int, int], Job],
    command: Command,
    *,
    limits: BoxLimits,
    folders: tuple[Path, ...],
) -> CommandResult:
    """Start a job with descriptors for its input and output, and see it to its end.

    Nothing of it is left when this returns or is cancelled. Raises `Transient` where the
    sandbox, not the command, has failed.
    """
    read_stdin, write_stdin = os.pipe()
    read_stdout, write_stdout = os.pipe()
    try:
        job = start(read_stdin, write_stdout)
    except (OSError, ValueError) as error:  # a command line that is too long, a NUL in it
        os.close(write_stdin)
        os.close(read_stdout)
        said = f"the command cannot be run: {error}".encode()
        return CommandResult(CANNOT_RUN, said, truncated=False, timed_out=False)
    finally:
        os.close(read_stdin)
        os.close(write_stdout)
    writer = PipeWriter(write_stdin, command.stdin)
    output = PipeReader(read_stdout, keep=command.max_output, flood_at=limits.output_bytes)
    try:
        ending = await run_job(
            job, output, timeout_s=command.timeout_s, limits=limits, folders=folders
        )
    finally:
        writer.close()
    if job.failed and not ending.killed_for:
        raise Transient(f"no sandbox could be started: {last_line(output.kept)}")
    return CommandResult(
        exit_code=ending.exit_code,
        output=bytes(output.kept),
        truncated=output.truncated,
        timed_out=ending.timed_out,
        killed_for=ending.killed_for,
    )


def last_line(output: bytes | bytearray) -> str:
    """What a failed program said last."""
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "something ended it from outside"
