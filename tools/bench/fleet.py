"""A worker in a process of its own, measured from outside while it runs real requests."""

import asyncio
import os
import re
import secrets
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from demo.github import LocalGitHub, RepositoryHandle
from demo.model_api import Asked, Reply, ScriptedModelApi
from demo.model_api.behaviour import behave
from demo.model_api.steps import Step
from demo.play import PERSON, Setting, Stage, seed_samples, staged
from jobs.judging.prompt import SYSTEM
from tests.stories.scene import NoPacing
from tests.stories.test_crash import environment_of

REQUESTS_AT_ONCE = 12
SETTLE_S = 3.0
WAIT_S = 300.0
_VARYING = re.compile(r"/\d+(?=/|$)|/[0-9a-f]{40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What runs take of a worker and of GitHub."""

    idle_mb: float
    session_mb: float
    sessions: int
    run_cpu_s: float
    blob_kb: float
    """What the run leaves in the blob store."""
    calls: Counter[str]
    """Of one labelled run, by method and path."""


class Held:
    """Holds every session at its second answer until it is let go."""

    def __init__(self) -> None:
        self.held = 0
        self.is_open = False

    def behave(self, asked: Asked) -> Step:
        reply = behave(asked)
        if asked.system.strip() == SYSTEM.strip() or asked.turn == 0 or self.is_open:
            return reply
        self.held += 1
        return Reply(text=reply.text, calls=reply.calls, pause_s=10.0)


async def measure_runs(scratch: Path) -> Measured:
    """Run one request for its calls, then many at once for what each session takes."""
    held = Held()
    held.is_open = True
    model_api = ScriptedModelApi(behaviour=held.behave)
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    setting = Setting(
        seed=_seed,
        private_key_pem=pem.decode("ascii"),
        model_api=model_api,
        pacer=NoPacing(),
        worker=False,
        changes={
            "max_concurrent_requests": REQUESTS_AT_ONCE,
            "max_requests_per_repository": REQUESTS_AT_ONCE,
            "max_usd_per_day": 10_000,
        },
    )
    async with staged(scratch / secrets.token_hex(4), setting) as stage, _worker(stage) as pid:
        await _ended(stage, 1)  # the first run loads what it needs
        sent, cpu_s, blob_kb = len(stage.github.requests), _cpu_s(pid), _blobs_kb(stage)
        await _ended(stage, 2)
        run_cpu_s = _cpu_s(pid) - cpu_s
        calls = Counter(
            f"{one.method} {_VARYING.sub('/N', one.path.partition('?')[0])}"
            for one in stage.github.requests[sent:]
        )
        idle_mb, blob_kb = _memory_mb(pid), _blobs_kb(stage) - blob_kb
        held.is_open = False
        for issue in range(4, 4 + REQUESTS_AT_ONCE):
            stage.repository.label(issue, "needs-benchmark", by=PERSON)
        async with asyncio.timeout(WAIT_S):
            while held.held < 2 * REQUESTS_AT_ONCE:  # noqa: ASYNC110 -- no event
                await asyncio.sleep(0.1)
        await asyncio.sleep(SETTLE_S)
        session_mb = (_memory_mb(pid) - idle_mb) / (2 * REQUESTS_AT_ONCE)
    return Measured(
        idle_mb=idle_mb,
        session_mb=session_mb,
        sessions=2 * REQUESTS_AT_ONCE,
        run_cpu_s=run_cpu_s,
        blob_kb=blob_kb,
        calls=calls,
    )


def _seed(github: LocalGitHub) -> RepositoryHandle:
    """The samples, and as many more issues like the first as there are requests."""
    repository = seed_samples(github)
    body = repository.issue(1).body
    for number in range(REQUESTS_AT_ONCE):
        repository.open_issue(author=PERSON, title=f"Table {number}", body=body)
    return repository


@asynccontextmanager
async def _worker(stage: Stage) -> AsyncIterator[int]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", "worker", env=environment_of(stage.settings),
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield process.pid
    finally:
        process.kill()
        await process.wait()


async def _ended(stage: Stage, issue: int) -> None:
    stage.repository.label(issue, "needs-benchmark", by=PERSON)
    async with asyncio.timeout(WAIT_S):
        while "needs-benchmark" in stage.repository.labels(issue):  # noqa: ASYNC110 -- no event
            await asyncio.sleep(0.1)
    await asyncio.sleep(SETTLE_S)


def _blobs_kb(stage: Stage) -> float:
    files = (stage.settings.data_dir / "blobs").rglob("*")
    return sum(path.stat().st_size for path in files if path.is_file()) / 1e3


def _memory_mb(pid: int) -> float:
    """Resident memory of the process itself: its sandboxes are limited on their own."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _cpu_s(pid: int) -> float:
    """Processor time of the process and of what it has waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")
