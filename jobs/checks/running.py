"""Runs the commands of an eval case on one session's files, each in a fresh sandbox of its own.

The sandbox is of the kind and in the environment that the sessions had, without any network. The
files are shown read-only, so that what a command makes a candidate's program do changes nothing
that it is measured by.
"""

import asyncio
import secrets
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jobs.checks.check import Check
from jobs.checks.facts import NOTHING_LEFT
from jobs.checks.files import OutputFolder
from jobs.checks.staging import lay_out, show
from jobs.checks.verdict import MachineVerdict
from jobs.errors import Refused, Transient
from jobs.sandbox import CommandResult, SandboxMaker
from jobs.sessions.prepared import Prepared
from jobs.sessions.sandboxes import runs_programs
from jobs.sessions.tool_scripts import BASH
from jobs.sessions.tool_text import cut_middle, decode_text
from jobs.sessions.workspace import remove_tree
from jobs.values import Arm

KEPT_BYTES = 1_000_000
KEPT_CHARACTERS = 4_000
"""Of what a command printed, beginning and end: enough for a traceback."""
TRIES = 2
"""A sandbox that could not start once may start now; what is asked for is no session's time."""
TIMED_OUT = 124
"""The exit code by which `timeout` tells that it ended a command."""
_SIGNALLED = 128
_LAST_SIGNAL = 64
"""Beyond it an exit code is a program's own: many end with 255 where nothing else is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRunner:
    """Where and how long the commands of a run's eval case may work."""

    sandboxes: SandboxMaker
    prepared: Prepared
    memory_mb: int
    timeout_s: float
    inputs: Path
    """The staged input files."""
    files: Path
    """The staged files that commands name."""
    scratch: Path
    """Where folders may be made; its path tells no arm."""

    async def run(self, checks: Sequence[Check], output: Path, arm: Arm) -> list[MachineVerdict]:
        """The verdict of each command on the collected files in `output`.

        Raises nothing but `CancelledError`, after which no process is left.
        """
        if await asyncio.to_thread(lambda: OutputFolder(output).is_empty):
            return [
                MachineVerdict(assertion=one.id, arm=arm, verdict="fail", found=NOTHING_LEFT)
                for one in checks
            ]
        folder = self.scratch / f"check-{secrets.token_hex(6)}"
        try:
            await asyncio.to_thread(folder.mkdir, parents=True, mode=0o700)
            given = folder / "given"
            await asyncio.to_thread(
                lay_out, given, output=output, inputs=self.inputs, files=self.files
            )
            return [await self._run_one(check, given, arm) for check in checks]
        except OSError as error:  # a full disk, or a path that is too long beside another one
            reason = f"the files could not be laid out ({error.strerror or 'some were not copied'})"
            return [_unmeasured(one, arm, reason) for one in checks]
        finally:
            await asyncio.to_thread(remove_tree, folder)

    async def _run_one(self, check: Check, given: Path, arm: Arm) -> MachineVerdict:
        for tries_left in reversed(range(TRIES)):
            try:
                result = await self._run_in_sandbox(check, given)
            except Refused as refusal:
                return _unmeasured(check, arm, str(refusal))
            except Transient as trouble:
                if not tries_left:
                    return _unmeasured(check, arm, str(trouble))
            else:
                break
        found = explain(result, self.timeout_s)
        return MachineVerdict(
            assertion=check.id,
            arm=arm,
            verdict="fail" if found else "pass",
            found=found or "Exit code 0.",
            output=cut_middle(decode_text(result.output), KEPT_CHARACTERS),
        )

    async def _run_in_sandbox(self, check: Check, given: Path) -> CommandResult:
        """One command in a work folder of its own, where it may write beside what it is given."""
        room = given.parent / f"room-{secrets.token_hex(6)}"
        work = room / "work"
        await asyncio.to_thread(work.mkdir, parents=True)
        try:
            binds = list(self.prepared.binds)
            if runs_programs(self.sandboxes):
                binds += await asyncio.to_thread(show, given, work)
            else:  # nothing can be shown there, so that a command gets a copy that is its own
                await asyncio.to_thread(shutil.copytree, given, work, dirs_exist_ok=True)
            async with self.sandboxes.open(
                work,
                memory_mb=self.memory_mb,
                binds=binds,
                environment=self.prepared.variables,
                image=self.prepared.image,
            ) as sandbox:
                return await sandbox.run(
                    [*BASH, check.command], timeout_s=self.timeout_s, max_output=KEPT_BYTES
                )
        finally:
            await asyncio.to_thread(remove_tree, room)


def explain(result: CommandResult, timeout_s: float) -> str:
    """Why a command does not pass, in one sentence; empty if it does."""
    if result.killed_for:
        return f"Killed at its limit of {result.killed_for}."
    if result.timed_out:
        return f"Not done within {timeout_s:g} s."
    code = result.exit_code
    if code == TIMED_OUT:
        return f"Exit code {code}: it ended something that took too long."
    if _SIGNALLED < code <= _SIGNALLED + _LAST_SIGNAL:
        return f"Exit code {code}: ended by signal {code - _SIGNALLED}."
    return f"Exit code {code}." if code else ""


def _unmeasured(check: Check, arm: Arm, reason: str) -> MachineVerdict:
    return MachineVerdict(
        assertion=check.id, arm=arm, verdict=None, found=f"Not measured: {reason.rstrip('.')}."
    )
