"""What a session needs of the place where its tools execute; `jobs.sessions` has three kinds."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from jobs.sessions.box import Bind

FILE_LIMIT_REACHED = 153
"""The exit code of what wrote more into one file than it may: 128 and the number of SIGXFSZ."""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a command in a sandbox gave."""

    exit_code: int
    """137 where it was killed."""
    output: bytes
    """Standard output and error interleaved, cut at the cap the caller named."""
    truncated: bool
    timed_out: bool
    killed_for: str = ""
    """`memory`, `processes`, `output` or `disk` where a limit killed it."""


class Sandbox(Protocol):
    """Where a session's tools execute: one private work folder, seen as `/box` inside."""

    @property
    def identity(self) -> str:
        """The id of the image whose programs it shows; empty: it shows the machine's own."""

    async def run(
        self,
        argv: Sequence[str],
        *,
        timeout_s: float,
        stdin: bytes = b"",
        max_output: int = 1_000_000,
    ) -> CommandResult:
        """Run one command in the work folder; when it returns, no process of it is left.

        Never raises for what the command does; raises `Transient` if no sandbox can start.
        """


class SandboxMaker(Protocol):
    """Makes sandboxes of one kind."""

    name: str

    def open(
        self,
        work: Path,
        *,
        memory_mb: int,
        binds: Sequence[Bind] = (),
        environment: Mapping[str, str] | None = None,
        image: str = "",
    ) -> AbstractAsyncContextManager[Sandbox]:
        """A sandbox over the folder `work`; leaving the context ends every process in it.

        `binds` and `environment` come on top of what every sandbox has; `image` is for the
        kind that has images. Raises `Refused` for what this kind cannot do.
        """

    async def problem(self) -> str | None:
        """Why this kind cannot work on this machine and what to do; None if it can."""
