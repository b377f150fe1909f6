"""Runs an environment's setup script, in a sandbox that knows nothing of the repository.

The script is a stranger's program with a longer time limit: it may write in one folder,
reach the hosts that its environment names, and leave nothing running. What it leaves is
shown to sessions read-only; whoever reads it outside of a sandbox takes it for hostile.
"""

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from jobs.environments.pinned import Environment
from jobs.errors import Refused
from jobs.proxy.connect import HostGate
from jobs.sandbox import FILE_LIMIT_REACHED, CommandResult, SandboxMaker
from jobs.sessions.box import PATH, Bind, BoxLimits
from jobs.sessions.prepared import Prepared
from jobs.sessions.reach import MakeGate, open_reaching

TARGET = "/opt/environment"
"""Where the folder is shown, during setup and in sessions, so that paths in it hold."""
VARIABLES = {
    "PATH": f"{TARGET}/bin:{PATH}",
    "R_LIBS": f"{TARGET}/R",
    "PYTHONPATH": f"{TARGET}/python",
}
"""Of the setup script and of the sessions alike: what one installs the other finds."""

_LIMITS = BoxLimits(memory_bytes=0)
_OUTPUT_BYTES = _LIMITS.output_bytes
"""All of it is kept until the end: what failed is told by its last lines."""
_LAST_LINES = 15
_LONGEST_LINE = 200
_TERMINAL_CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_ENDED_FOR = {
    "memory": "used more memory than a session may",
    "processes": "started more processes than a session may",
    "output": f"wrote more than {_OUTPUT_BYTES // 1_000_000} MB of output",
    "disk": "filled more of the disk than a session may",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupRunner:
    """Runs setup scripts."""

    sandboxes: SandboxMaker
    timeout_s: float
    memory_mb: int
    make_gate: MakeGate = HostGate

    async def run(self, environment: Environment, building: Path) -> Path:
        """Run the script of an environment; gives the folder that it has filled.

        `building` is an empty folder of its own. Raises `Refused` with the script's last
        words where it fails, `Transient` where the sandbox does.
        """
        work = building / "work"
        folder = work / "environment"
        inode = await asyncio.to_thread(_lay_out, work, folder, environment.setup)
        shown = Prepared(
            binds=(Bind(folder, TARGET, writable=True),),
            variables=VARIABLES,
            hosts=environment.hosts,
        )
        async with open_reaching(
            self.sandboxes,
            work,
            memory_mb=self.memory_mb,
            prepared=shown,
            make_gate=self.make_gate,
        ) as sandbox:
            result = await sandbox.run(
                _command(environment.setup), timeout_s=self.timeout_s, max_output=_OUTPUT_BYTES
            )
            refused_hosts = sandbox.refused_hosts
        if how := self._how_it_failed(result):
            said = "\n".join(_told(environment.name, how, result.output, refused_hosts))
            raise Refused(said)
        # a link in the folder's place would show every session what it points to on the host
        if folder.is_symlink() or not folder.is_dir() or folder.stat().st_ino != inode:
            raise Refused(
                f"the setup script of the environment `{environment.name}` moved the folder "
                f"`{TARGET}` away; it may only write in it."
            )
        return folder

    def _how_it_failed(self, result: CommandResult) -> str:
        if result.timed_out:
            return f"did not end within {_period(self.timeout_s)}"
        if result.killed_for:
            return _ENDED_FOR.get(result.killed_for, f"was stopped for its {result.killed_for}")
        if result.exit_code == FILE_LIMIT_REACHED:
            return (
                f"ended with exit code {result.exit_code}: it reached the limit on the size of a "
                f"file, {_LIMITS.file_bytes:,} bytes"
            )
        return f"ended with exit code {result.exit_code}" if result.exit_code else ""


def last_lines(output: bytes) -> list[str]:
    """The last lines with something on them, each bounded and fit for a code span."""
    text = _TERMINAL_CODES.sub("", output[-100_000:].decode("utf-8", "replace"))
    lines = [" ".join(line.split()).replace("`", "'") for line in text.splitlines()]
    return [line[:_LONGEST_LINE] for line in lines if line][-_LAST_LINES:]


def _lay_out(work: Path, folder: Path, script: str) -> int:
    """Put the script and the empty folder in place; gives the folder's inode."""
    for name in ("bin", "R", "python"):
        (folder / name).mkdir(parents=True)
    path = work / "setup"
    path.write_text(script, encoding="utf-8")
    path.chmod(0o755)
    return folder.stat().st_ino


def _command(script: str) -> list[str]:
    """A script that names its interpreter is run by it; any other by a shell, until it fails."""
    return ["/box/setup"] if script.startswith("#!") else ["/bin/sh", "-e", "/box/setup"]


def _told(name: str, how: str, output: bytes, refused_hosts: Sequence[str]) -> Iterator[str]:
    lines = last_lines(output)
    ending = "Its last lines:" if lines else "It wrote nothing."
    yield f"the setup script of the environment `{name}` {how}. {ending}"
    if lines:
        yield ""
        yield from (f"- `{line}`" for line in lines)
    if refused_hosts:
        yield ""
        yield "Hosts that it asked for in vain:"
        yield ""
        yield from (f"- {host}" for host in refused_hosts[:_LAST_LINES])
    yield ""
    yield "Nothing of it was kept, and nothing was spent. Mend it, then ask again."


def _period(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:g} seconds"
