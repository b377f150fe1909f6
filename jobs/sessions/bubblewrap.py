"""The default sandbox: every command in a bubblewrap box of its own.

The box shows the system read-only, the session's work folder as `/box`, and nothing else
of the host; it has no network, an environment of five made-up variables, and process ids
of its own. Files in `/box`, `/tmp` and the home folder last as long as the session,
processes only as long as their command. It refuses to start rather than to protect less.
"""

import asyncio
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from jobs.errors import Refused, Transient
from jobs.sandbox import CommandResult
from jobs.sessions.box import Bind, Box, BoxLimits, refuse_image
from jobs.sessions.box_process import BoxProcess, BoxSetup, Programs
from jobs.sessions.command import Command, run_command
from jobs.sessions.lifeline import Lifeline
from jobs.sessions.memory_group import MemoryGroup
from jobs.sessions.ownership import UNPRIVILEGED, hand_over
from jobs.sessions.program import Program, ProgramEnd, run_program
from jobs.sessions.workspace import Workspace, remove_tree

_OLDEST = (0, 8)
"""The first bubblewrap with `--disable-userns`."""
_NAMESPACES_REFUSED = (
    "It may be that normal users cannot make namespaces here. With sysctl, set "
    "kernel.unprivileged_userns_clone=1 on Debian or "
    "kernel.apparmor_restrict_unprivileged_userns=0 on Ubuntu; in a container, docs/deploy.md "
    "names the options it needs."
)
_INSTEAD = "or set SKILLBENCH_SANDBOX=none to run sessions without any protection"


class BubblewrapMaker:
    """Makes bubblewrap sandboxes (a `jobs.sandbox.SandboxMaker`)."""

    name = "bubblewrap"

    def __init__(
        self,
        *,
        find_program: Callable[[str], str | None] = shutil.which,
        limits: BoxLimits | None = None,
        use_memory_group: bool = True,
    ) -> None:
        """`limits` but for the memory, which `open` is told."""
        self._find_program = find_program
        self._limits = limits or BoxLimits(memory_bytes=0)
        self._use_memory_group = use_memory_group

    @asynccontextmanager
    async def open(
        self,
        work: Path,
        *,
        memory_mb: int,
        binds: Sequence[Bind] = (),
        environment: Mapping[str, str] | None = None,
        image: str = "",
    ) -> AsyncIterator["BubblewrapSandbox"]:
        """A sandbox over `work`, which belongs to the session from then on.

        `binds` and `environment` come on top of what every box has. Raises `Refused` with
        what to install where bubblewrap is missing, and for an `image`.
        """
        refuse_image(image, self.name)
        programs = self._find_programs()
        if isinstance(programs, str):
            raise Refused(programs)
        limits = replace(self._limits, memory_bytes=memory_mb * 1024**2)
        private = Path(tempfile.mkdtemp(prefix="private-", dir=work.parent))
        group = MemoryGroup.make(limits.memory_bytes) if self._use_memory_group else None
        lifeline = Lifeline.make(private)
        try:
            box = Box(
                work=work,
                home=private / "home",
                temporary=private / "tmp",
                binds=binds,
                environment=environment or {},
            )
            await asyncio.to_thread(_prepare, box, drop_root=programs.setpriv is not None)
            yield BubblewrapSandbox(BoxSetup(programs, box, limits, group, lifeline))
        finally:
            lifeline.close()
            if group:
                await group.remove()
            await asyncio.to_thread(remove_tree, private)

    async def problem(self) -> str | None:
        """Try a sandbox out, and say what to install or to set if it does not work."""
        programs = self._find_programs()
        if isinstance(programs, str):
            return programs
        version = await asyncio.to_thread(_version, programs.bwrap)
        if version < _OLDEST:
            shown = ".".join(str(part) for part in version) or "unknown"
            return f"bubblewrap is too old ({shown}): install 0.8 or newer, {_INSTEAD}."
        with tempfile.TemporaryDirectory() as parent:
            workspace = Workspace.make(Path(parent))
            try:
                async with self.open(workspace.work, memory_mb=256) as sandbox:
                    result = await sandbox.run(["true"], timeout_s=20)
            except Transient as error:
                return f"bubblewrap does not work here: {error}. {_NAMESPACES_REFUSED}"
        if result.exit_code:
            said = result.output.decode("utf-8", "replace").strip()
            return f"bubblewrap starts, but commands fail in it: {said or result.exit_code}"
        return None

    def _find_programs(self) -> Programs | str:
        """The programs, or what is missing and what to do."""
        if not sys.platform.startswith("linux"):
            return f"bubblewrap needs Linux: run the worker there, {_INSTEAD}."
        bwrap = self._find_program("bwrap")
        if bwrap is None:
            return (
                "bubblewrap is not installed: run `apt-get install bubblewrap` or "
                f"`dnf install bubblewrap`, {_INSTEAD}."
            )
        prlimit, setsid = self._find_program("prlimit"), self._find_program("setsid")
        setpriv = self._find_program("setpriv") if os.geteuid() == 0 else ""
        if prlimit is None or setsid is None or setpriv is None:
            return f"prlimit, setsid or setpriv is missing: install util-linux, {_INSTEAD}."
        return Programs(bwrap=bwrap, prlimit=prlimit, setsid=setsid, setpriv=setpriv or None)


@dataclass(frozen=True, slots=True)
class BubblewrapSandbox:
    """One session's box (a `jobs.sandbox.Sandbox`)."""

    setup: BoxSetup
    identity: str = ""

    async def run(
        self,
        argv: Sequence[str],
        *,
        timeout_s: float,
        stdin: bytes = b"",
        max_output: int = 1_000_000,
    ) -> CommandResult:
        """Run one command; when this returns or is cancelled, no process of it is left."""
        box = self.setup.box
        return await run_command(
            lambda stdin, stdout: BoxProcess(self.setup, argv, stdin=stdin, stdout=stdout),
            Command(timeout_s=timeout_s, stdin=stdin, max_output=max_output),
            limits=self.setup.limits,
            folders=(box.work, box.home, box.temporary),
        )

    async def run_program(self, program: Program) -> ProgramEnd:
        """Run one program; when this returns or is cancelled, no process of it is left.

        Raises `Transient` where the box, not the program, has failed.
        """
        box = self.setup.box
        return await run_program(
            lambda stdin, stdout, stderr: BoxProcess(
                self.setup, program.argv, stdin=stdin, stdout=stdout, stderr=stderr
            ),
            program,
            limits=self.setup.limits,
            folders=(box.work, box.home, box.temporary),
        )


def _prepare(box: Box, *, drop_root: bool) -> None:
    """Make the private folders, and give everything to whom the box runs as."""
    for folder in (box.home, box.temporary):
        folder.mkdir(mode=0o700)
    if drop_root:
        hand_over((box.work, box.home, box.temporary), UNPRIVILEGED)


def _version(bwrap: str) -> tuple[int, ...]:
    """What `bwrap --version` says (`bubblewrap 0.8.0`); empty if it says nothing."""
    asked = subprocess.run(  # noqa: S603
        [bwrap, "--version"], capture_output=True, text=True, check=False
    )
    return tuple(int(part) for part in re.findall(r"\d+", asked.stdout)[:3])
