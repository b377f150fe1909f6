"""Whether sessions in Claude Code can work on this machine, found out by starting one.

Asks for no more than the version, but in a real sandbox and through the real forwarder, so
that what is missing there is seen before a run and not in it.
"""

import asyncio
import tempfile
from pathlib import Path

from jobs.claude_code.cli import ClaudeCli, find_version_problem
from jobs.claude_code.command import BINARY, NO_BASH, make_probe, merge_variables
from jobs.errors import Transient, UserError
from jobs.sessions.box import Bind
from jobs.sessions.prepared import PLAIN, Prepared, Proven
from jobs.sessions.program import Program, ProgramEnd, ProgramSandboxMaker
from jobs.sessions.reach import NO_PYTHON
from jobs.sessions.workspace import Workspace

_TIMEOUT_S = 60.0
_MEMORY_MB = 2_048
_NOT_FOUND = 127


async def find_problem(cli: ClaudeCli, sandboxes: ProgramSandboxMaker) -> str | None:
    """Why sessions in Claude Code cannot work here and what to do; None if they can."""
    with tempfile.TemporaryDirectory() as scratch:
        try:
            found = await try_out(cli, sandboxes, PLAIN, Path(scratch))
        except (Transient, UserError) as error:
            return f"no sandbox for Claude Code can be started: {error}"
    return found if isinstance(found, str) else None


async def try_out(
    cli: ClaudeCli, sandboxes: ProgramSandboxMaker, prepared: Prepared, scratch: Path
) -> Proven | str:
    """What Claude Code finds in an environment, or why it does not start there and what to do.

    `scratch` is a folder for a workspace. Raises as opening a sandbox does.
    """
    said = bytearray()
    program = Program(argv=make_probe(), on_output=said.extend, timeout_s=_TIMEOUT_S)
    workspace = await asyncio.to_thread(Workspace.make, scratch)
    try:
        async with sandboxes.open(
            workspace.work,
            memory_mb=_MEMORY_MB,
            binds=[*prepared.binds, Bind(cli.binary, BINARY)],
            environment=merge_variables({}, prepared),
            image=prepared.image,
        ) as sandbox:
            end = await sandbox.run_program(program)
            environment = prepared.identity_in(sandbox.identity)
    finally:
        await workspace.remove()
    version = said.decode("utf-8", "replace").strip()
    failure = _find_failure(cli, end, is_image=sandboxes.name == "docker")
    if problem := failure or find_version_problem(version):
        return problem
    return Proven(version.split()[0], environment, sandboxes.name)


def _find_failure(cli: ClaudeCli, end: ProgramEnd, *, is_image: bool) -> str | None:
    errors = end.errors.decode("utf-8", "replace").strip()
    if end.timed_out:
        return f"Claude Code ({cli.binary}) did not tell its version within {_TIMEOUT_S:g} s."
    if end.exit_code == _NOT_FOUND and NO_PYTHON in errors:
        return (
            "Sessions in Claude Code need python3 in the image: add it there, for example with "
            "`apt-get install python3-minimal`."
            if is_image
            else "Sessions in Claude Code need a python3 below /usr, which the sandbox is shown: "
            "install the system's own, for example with `apt-get install python3`."
        )
    if end.exit_code == _NOT_FOUND and NO_BASH in errors:
        return "Sessions in Claude Code need bash" + (
            " in the image: add it there." if is_image else ": install it on the worker's machine."
        )
    if end.exit_code == _NOT_FOUND and is_image:
        return (
            "Claude Code cannot run in the image, which lacks the C library it was built for: "
            "choose one of Debian, Ubuntu or another system with glibc."
        )
    if end.exit_code:
        return f"Claude Code ({cli.binary}) does not start in a sandbox: {errors or end.exit_code}"
    return None
