"""A sandbox from which the hosts of an environment can be reached, and nothing else.

A sandbox has no network. Where an environment names hosts, this puts a socket of the
worker's proxy into it, and before every command the forwarder that makes a loopback port
of the socket; programs find that port by the usual variables. An environment without hosts
gets nothing of this: no socket, no process, no variable.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jobs.errors import Refused
from jobs.proxy import forwarder
from jobs.proxy.connect import HostGate
from jobs.proxy.session_proxy import SessionProxy
from jobs.sandbox import CommandResult, Sandbox, SandboxMaker
from jobs.sessions.box import Bind
from jobs.sessions.prepared import PLAIN, Prepared
from jobs.sessions.workspace import remove_tree

PORT = 8999
"""Of the loopback address inside the sandbox, where nothing else listens."""
SOCKET = "/run/proxy.sock"

NO_PYTHON = "python3 is missing in the sandbox"
MakeGate = Callable[[Iterable[str]], HostGate]

# The system's own first: what an environment puts on PATH is for its sessions.
_ENTER = f"""
for python in /usr/bin/python3 /usr/local/bin/python3 python3; do
  command -v "$python" >/dev/null 2>&1 && exec "$python" -I -S -c "$@"
done
echo "{NO_PYTHON}" >&2
exit 127
"""
_PROOF_S = 60.0


@dataclass(frozen=True, slots=True)
class ReachingSandbox:
    """A sandbox whose commands reach the allowed hosts (a `jobs.sandbox.Sandbox`)."""

    sandbox: Sandbox
    gate: HostGate | None
    """None where no hosts are allowed; then commands run as in the sandbox itself."""

    @property
    def identity(self) -> str:
        return self.sandbox.identity

    async def run(
        self,
        argv: Sequence[str],
        *,
        timeout_s: float,
        stdin: bytes = b"",
        max_output: int = 1_000_000,
    ) -> CommandResult:
        """Run one command, as `jobs.sandbox.Sandbox` does."""
        command = forwarded(argv) if self.gate else argv
        return await self.sandbox.run(
            command, timeout_s=timeout_s, stdin=stdin, max_output=max_output
        )

    @property
    def refused_hosts(self) -> tuple[str, ...]:
        """What was asked for in vain, each with the reason."""
        return self.gate.refusals if self.gate else ()


def forwarded(argv: Sequence[str]) -> list[str]:
    """A command under the forwarder, which carries `PORT` to `SOCKET` while it runs.

    Ends with 127 and `NO_PYTHON` among its errors where there is no python3 to do so.
    """
    return ["/bin/sh", "-c", _ENTER, "sh", _forwarder(), str(PORT), SOCKET, *argv]


def proxy_variables() -> dict[str, str]:
    """Variables by which programs find the way to allowed hosts; both spellings are in use.

    Plain HTTP is asked for there, too: not to be answered, but to be refused by name.
    """
    address = f"http://127.0.0.1:{PORT}"
    names = {"http_proxy": address, "https_proxy": address, "no_proxy": "127.0.0.1,localhost"}
    return {**names, **{name.upper(): value for name, value in names.items()}}


@asynccontextmanager
async def open_reaching(
    maker: SandboxMaker,
    work: Path,
    *,
    memory_mb: int,
    prepared: Prepared = PLAIN,
    make_gate: MakeGate = HostGate,
) -> AsyncIterator[ReachingSandbox]:
    """A sandbox over `work` with everything that is prepared, its hosts included.

    Raises `Refused` and `Transient` as `maker.open` does, and `Refused` where hosts are
    named and the sandbox has no python3 that could carry them.
    """
    binds, variables = list(prepared.binds), dict(prepared.variables)
    async with AsyncExitStack() as stack:
        gate = make_gate(prepared.hosts) if prepared.hosts else None
        if gate is not None:
            socket = await stack.enter_async_context(_listening(gate, work.parent))
            binds.append(Bind(socket, SOCKET))
            variables |= proxy_variables()
        sandbox = await stack.enter_async_context(
            maker.open(
                work,
                memory_mb=memory_mb,
                binds=binds,
                environment=variables,
                image=prepared.image,
            )
        )
        reaching = ReachingSandbox(sandbox, gate)
        if gate is not None:
            await _prove(reaching)
        yield reaching


@asynccontextmanager
async def _listening(gate: HostGate, parent: Path) -> AsyncIterator[Path]:
    """The socket of a proxy that leads to hosts alone, in a folder of its own."""
    folder = Path(tempfile.mkdtemp(prefix="reach-", dir=parent))
    try:
        async with SessionProxy(None, gate).listen(folder / "proxy.sock"):
            yield folder / "proxy.sock"
    finally:
        await asyncio.to_thread(remove_tree, folder)


async def _prove(sandbox: ReachingSandbox) -> None:
    """Try the forwarder, so that its absence is no riddle for a session that is paid for."""
    result = await sandbox.run(["/bin/sh", "-c", ":"], timeout_s=_PROOF_S)
    if not result.exit_code:
        return
    said = result.output.decode("utf-8", "replace").strip()
    if NO_PYTHON in said:
        raise Refused(f"{NO_PYTHON}: an environment that names hosts needs it, so add it there.")
    raise Refused(f"the way to the allowed hosts cannot be opened in the sandbox: {said[:300]}")


@cache
def _forwarder() -> str:
    return Path(forwarder.__file__).read_text(encoding="utf-8")
