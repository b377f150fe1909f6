"""The sandbox of environment images, and of machines without user namespaces: containers.

Every command runs in a container of its own on a Docker Engine, with the session's folders
as the only ones to write in. The engine does the isolating, so what the worker must be
trusted with is the engine itself: its socket is never shown to a session. A sandbox is
tried out when it is opened, before a model is paid for work that nothing could carry out.
"""

import asyncio
import os
import secrets
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from aiodocker import Docker

from jobs.errors import Refused, Transient, UserError
from jobs.sandbox import CommandResult
from jobs.sessions.box import Bind, Box, BoxLimits
from jobs.sessions.command import Command, run_command
from jobs.sessions.docker_container import (
    ContainerCommand,
    ContainerSetup,
    accounts,
    container_config,
)
from jobs.sessions.docker_engine import EngineFacts, ask_engine, connected, describe, find_image
from jobs.sessions.docker_job import DockerJob
from jobs.sessions.docker_leftovers import WorkerId, sweep
from jobs.sessions.ownership import UNPRIVILEGED, hand_over
from jobs.sessions.program import Program, ProgramEnd, run_program
from jobs.sessions.workspace import Workspace, remove_tree

_PROOF_S = 60.0
_NEEDED = (
    "The image needs /bin/sh and coreutils; worker and engine have to see the data folder under "
    "the same path; and the engine must not map users or label files (docs/deploy.md)."
)
_PROOF = 'cat "$TMPDIR/proof" && cat "$TMPDIR/proof" >"$HOME/proof"'


class DockerMaker:
    """Makes docker sandboxes (a `jobs.sandbox.SandboxMaker`)."""

    name = "docker"

    def __init__(
        self,
        *,
        image: str,
        host: str,
        limits: BoxLimits | None = None,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        """`host` is an address as in `DOCKER_HOST`; `limits` but for the memory."""
        self._image = image
        self._host = host
        self._limits = limits or BoxLimits(memory_bytes=0)
        self._now_s = now_s
        self._facts: EngineFacts | None = None

    @asynccontextmanager
    async def open(
        self,
        work: Path,
        *,
        memory_mb: int,
        binds: Sequence[Bind] = (),
        environment: Mapping[str, str] | None = None,
        image: str = "",
    ) -> AsyncIterator["DockerSandbox"]:
        """A sandbox over `work`, which belongs to the session from then on.

        `binds` and `environment` come on top of what every container has, `image` in place
        of the usual one. Raises `Refused`
        where the engine or the image cannot serve, `Transient` where the engine is away.
        """
        self._check(binds)
        async with AsyncExitStack() as stack:
            known = self._facts
            docker = await stack.enter_async_context(
                connected(self._host, known.api_version if known else "auto")
            )
            self._facts = known or await ask_engine(docker, self._host)
            await sweep(docker, now_s=self._now_s())
            found = await find_image(docker, image or self._image, self._host)
            private = Path(tempfile.mkdtemp(prefix="private-", dir=work.parent))
            stack.push_async_callback(asyncio.to_thread, remove_tree, private)
            box = Box(
                work=work,
                home=private / "home",
                temporary=private / "tmp",
                binds=binds,
                environment=environment or {},
            )
            uid, gid = _user(rootless=self._facts.rootless)
            setup = ContainerSetup(
                image=found,
                box=box,
                limits=replace(self._limits, memory_bytes=memory_mb * 1024**2),
                user=f"{uid}:{gid}",
                worker=str(WorkerId.own()),
                more_binds=await asyncio.to_thread(_prepare, box, private, uid, gid),
            )
            sandbox = DockerSandbox(docker, setup, private, self._now_s)
            await _prove(sandbox, image or self._image)
            yield sandbox

    async def problem(self) -> str | None:
        """Try a sandbox out, and say what to start, to pull or to set if it does not work."""
        with tempfile.TemporaryDirectory() as parent:
            workspace = Workspace.make(Path(parent))
            try:
                async with self.open(workspace.work, memory_mb=256):
                    return None
            except (UserError, Transient) as error:
                said = describe(error.__cause__) if error.__cause__ else ""
                return str(error) if said in str(error) else f"{error} The engine said: {said}"

    def _check(self, binds: Sequence[Bind]) -> None:
        """The engine's socket inside a session would end all protection."""
        socket = Path(self._host.removeprefix("unix://"))
        for bind in binds:
            if socket.exists() and bind.source.exists() and bind.source.samefile(socket):
                raise ValueError("the engine's socket is not shown to a session")


@dataclass(frozen=True, slots=True)
class DockerSandbox:
    """One session's containers (a `jobs.sandbox.Sandbox`)."""

    docker: Docker
    setup: ContainerSetup
    private: Path
    now_s: Callable[[], float]

    @property
    def identity(self) -> str:
        """The image's id."""
        return self.setup.image.id

    async def run(
        self,
        argv: Sequence[str],
        *,
        timeout_s: float,
        stdin: bytes = b"",
        max_output: int = 1_000_000,
    ) -> CommandResult:
        """Run one command; when this returns or is cancelled, no process of it is left."""
        self._check_work()
        with self._stdin(stdin) as input_file:
            command = ContainerCommand(
                argv=argv, timeout_s=timeout_s, stdin=input_file, merge_errors=True
            )
            jobs: list[DockerJob] = []
            result = await run_command(
                lambda _, stdout: self._start(command, jobs, stdout),
                Command(timeout_s=timeout_s, stdin=b"", max_output=max_output),
                limits=self.setup.limits,
                folders=self._folders,
            )
        _check_gone(jobs)
        return result

    async def run_program(self, program: Program) -> ProgramEnd:
        """Run one program; when this returns or is cancelled, no process of it is left.

        Raises `Transient` where the engine, not the program, has failed.
        """
        self._check_work()
        with self._stdin(program.stdin) as input_file:
            command = ContainerCommand(
                argv=program.argv,
                timeout_s=program.timeout_s,
                stdin=input_file,
                merge_errors=False,
            )
            jobs: list[DockerJob] = []
            end = await run_program(
                lambda _, stdout, stderr: self._start(command, jobs, stdout, stderr),
                replace(program, stdin=b""),
                limits=self.setup.limits,
                folders=self._folders,
            )
        _check_gone(jobs)
        return end

    @property
    def _folders(self) -> tuple[Path, ...]:
        box = self.setup.box
        return (box.work, box.home, box.temporary)

    def _check_work(self) -> None:
        """Some engines make a folder that is not there, and every output would be lost in it."""
        if not self.setup.box.work.is_dir():
            raise Transient("no sandbox could be started: its work folder is gone")

    def _start(
        self,
        command: ContainerCommand,
        jobs: list[DockerJob],
        stdout: int,
        stderr: int | None = None,
    ) -> DockerJob:
        config = container_config(self.setup, command, now_s=self.now_s())
        job = DockerJob(self.docker, config, stdout=stdout, stderr=stderr)
        jobs.append(job)
        return job

    @contextmanager
    def _stdin(self, content: bytes) -> Iterator[Path | None]:
        """A file that holds a command's input while it runs; None where there is no input."""
        if not content:
            yield None
            return
        path = self.private / f"stdin-{secrets.token_hex(8)}"
        path.write_bytes(content)
        path.chmod(0o444)
        try:
            yield path
        finally:
            path.unlink()


def _user(*, rootless: bool) -> tuple[int, int]:
    """As whom commands run, in the engine's count: the owner of the session's folders.

    A rootless engine's root is its user on the host, and without capabilities no more
    than that.
    """
    if rootless:
        return 0, 0
    if os.geteuid() == 0:
        return UNPRIVILEGED, UNPRIVILEGED
    return os.geteuid(), os.getegid()


def _prepare(box: Box, private: Path, uid: int, gid: int) -> tuple[Bind, ...]:
    """Make the private folders and the made-up accounts, and give the session what is its own."""
    for folder in (box.home, box.temporary):
        folder.mkdir(mode=0o700)
    if os.geteuid() == 0 and uid != 0:
        hand_over((box.work, box.home, box.temporary), uid)
    binds = []
    passwd, group = accounts(uid, gid)
    # with the engine's own resolv.conf a session would know the host's name servers
    for name, content in (("passwd", passwd), ("group", group), ("resolv.conf", b"")):
        path = private / name
        path.write_bytes(content)
        path.chmod(0o444)
        binds.append(Bind(path, f"/etc/{name}"))
    return tuple(binds)


async def _prove(sandbox: DockerSandbox, image: str) -> None:
    """Run a first command that reads and writes in the session's folders.

    An engine that sees other folders than we do would else give every session an empty
    one. Raises `Refused` or `Transient` with what can be the matter.
    """
    box = sandbox.setup.box
    proof, copy = box.temporary / "proof", box.home / "proof"
    secret = secrets.token_hex(8)
    proof.write_text(secret)
    proof.chmod(0o444)
    try:
        result = await sandbox.run(["sh", "-c", _PROOF], timeout_s=_PROOF_S)
        said = result.output.decode("utf-8", "replace").strip()
        copied = copy.is_file() and copy.read_text() == secret
        if result.exit_code or said != secret or not copied:
            raise Refused(
                f"A container of the image {image} cannot read and write in a session's folder "
                f"(exit code {result.exit_code}: {said[:300]}). {_NEEDED}"
            )
    except Transient as error:
        # by the engine's answer, a moment's trouble and a wrong path look the same
        raise Transient(f"{error}. Should that last: {_NEEDED}") from error.__cause__
    finally:
        proof.unlink()
        copy.unlink(missing_ok=True)


def _check_gone(jobs: Sequence[DockerJob]) -> None:
    if any(job.left for job in jobs):
        raise Transient("the Docker Engine did not remove a container; its log says why")
