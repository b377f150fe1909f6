"""Whether sessions in Claude Code can work on this machine, found out by starting one.

Asks for no more than the version, but in a real sandbox and through the real forwarder, so
that what is missing there is seen before a run and not in it.
"""

import asyncio
import tempfile
from pathlib import Path

from jobs.claude_code.cli import ClaudeCli, find_version_problem
from jobs.claude_code.command import BINARY, make_program
from jobs.errors import Transient, UserError
from jobs.sessions.box import Bind
from jobs.sessions.program import Program, ProgramEnd, ProgramSandboxMaker
from jobs.sessions.workspace import Workspace

_TIMEOUT_S = 60.0
_MEMORY_MB = 2_048
_NOT_FOUND = 127


async def find_problem(cli: ClaudeCli, sandboxes: ProgramSandboxMaker) -> str | None:
    """Why sessions in Claude Code cannot work here and what to do; None if they can."""
    said = bytearray()
    program = Program(argv=make_program(["--version"]), on_output=said.extend, timeout_s=_TIMEOUT_S)
    with tempfile.TemporaryDirectory() as parent:
        workspace = await asyncio.to_thread(Workspace.make, Path(parent))
        try:
            async with sandboxes.open(
                workspace.work, memory_mb=_MEMORY_MB, binds=[Bind(cli.binary, BINARY)]
            ) as sandbox:
                end = await sandbox.run_program(program)
        except (Transient, UserError) as error:
            return f"no sandbox for Claude Code can be started: {error}"
        finally:
            await workspace.remove()
    return _find_failure(cli, end) or find_version_problem(said.decode("utf-8", "replace"))


def _find_failure(cli: ClaudeCli, end: ProgramEnd) -> str | None:
    errors = end.errors.decode("utf-8", "replace").strip()
    if end.timed_out:
        return f"Claude Code ({cli.binary}) did not tell its version within {_TIMEOUT_S:g} s."
    if end.exit_code == _NOT_FOUND and "python3" in errors:
        return (
            "Sessions in Claude Code need a python3 below /usr, which the sandbox is shown: "
            "install the system's own, for example with `apt-get install python3`."
        )
    if end.exit_code:
        return f"Claude Code ({cli.binary}) does not start in a sandbox: {errors or end.exit_code}"
    return None
