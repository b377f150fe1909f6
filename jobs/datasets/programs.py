"""Runs the programs that cases bring along, each in a fresh sandbox without a network.

A program says pass or fail by its exit code, and Python gives a program that breaks the code of
one that says fail. So it is started by a few lines that tell the two apart: an assertion that
does not hold is a fail, every other exception is a program that broke.
"""

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path

from jobs.datasets.grades import ProgramOutcome, Ungraded
from jobs.errors import Refused, Transient
from jobs.sandbox import CommandResult, SandboxMaker
from jobs.sessions.workspace import remove_tree

MEMORY_MB = 512
LONGEST_OUTPUT = 100_000
BROKEN = 70
"""Exit code of a program that broke (EX_SOFTWARE of sysexits.h)."""
_START = f"""
import runpy, sys, traceback
try:
    runpy.run_path("program.py", run_name="__main__")
except AssertionError:
    traceback.print_exc()
    sys.exit(1)
except Exception:
    traceback.print_exc()
    sys.exit({BROKEN})
"""


@dataclass(frozen=True, slots=True)
class SandboxPrograms:
    """Programs in sandboxes (a `jobs.datasets.grades.Programs`)."""

    sandboxes: SandboxMaker
    scratch: Path
    memory_mb: int = MEMORY_MB

    async def run(self, code: str, *, given: str, timeout_s: float) -> ProgramOutcome:
        """Run it; the end of what it prints is kept. Raises `Ungraded` without a sandbox."""
        await asyncio.to_thread(self.scratch.mkdir, parents=True, exist_ok=True)
        work = Path(await asyncio.to_thread(tempfile.mkdtemp, dir=self.scratch, prefix="program-"))
        try:
            content = code.encode("utf-8", "replace")
            await asyncio.to_thread((work / "program.py").write_bytes, content)
            async with self.sandboxes.open(work, memory_mb=self.memory_mb) as sandbox:
                result = await sandbox.run(
                    ["python3", "-I", "-c", _START],
                    timeout_s=timeout_s,
                    stdin=given.encode("utf-8", "replace"),
                    max_output=LONGEST_OUTPUT,
                )
        except (Transient, Refused) as trouble:
            raise Ungraded(f"no sandbox can be had for the case's program: {trouble}") from None
        finally:
            await asyncio.to_thread(remove_tree, work)
        return ProgramOutcome(
            exit_code=None if result.timed_out else result.exit_code, output=_output(result)
        )


def _output(result: CommandResult) -> str:
    """What it printed, with the limit that it was ended for as its last line."""
    text = result.output.decode("utf-8", "replace")
    if result.killed_for:
        return f"{text}\nended at its limit of {result.killed_for}"
    return text
