"""What the sandbox and the proxy cost a session in Claude Code, beside Claude Code alone.

Two measurements, each pair taken in turn in one run: from the start of a session to its
first request at a scripted API, and from a request to the first byte of a streamed answer.
To reach: at most 150 ms more for a session, at most 2 ms more for a first byte.
Names the program as the bot does: `claude` on PATH, else what the tests install.
"""

import asyncio
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import httpx
from pydantic import SecretStr

sys.path.insert(0, str(Path(__file__).parents[1]))

from demo.model_api import CLAUDE_LIKE, Asked, Reply, ScriptedModelApi
from jobs.claude_code.cli import ClaudeCli
from jobs.claude_code.command import make_cli_arguments, make_environment
from jobs.claude_code.conversation import CliConversations, ModelApi
from jobs.claude_code.launcher import ClaudeCodeLauncher
from jobs.models.tally import Tally
from jobs.proxy.connect import HostGate
from jobs.proxy.model_proxy import ModelProxy, Upstream
from jobs.proxy.session_proxy import SessionProxy
from jobs.sessions.bubblewrap import BubblewrapMaker
from tests.builders import a_model, some_limits
from tests.jobs.claude_code.sessions import REAL, a_session_spec

SESSIONS = 15
REQUESTS = 200
SESSION_GOAL_MS = 150.0
BYTE_GOAL_MS = 2.0
MODEL = "claude-sonnet-4-6"
KEY = "a-key"
BODY = {
    "model": MODEL,
    "max_tokens": 1_000,
    "stream": True,
    "messages": [{"role": "user", "content": "word " * 10_000}],
}
"""About as large as Claude Code's first request."""


@dataclass
class Arrivals:
    """Says when the API was last asked."""

    at: float = 0.0

    def answer(self, _: Asked) -> Reply:
        self.at = time.perf_counter()
        return Reply(text="42")


async def main() -> int:
    """Measure, print, and give 0 if both goals were reached."""
    cli = ClaudeCli.find(shutil.which("claude") or str(REAL))
    arrivals = Arrivals()
    api = ScriptedModelApi(models=CLAUDE_LIKE, key=KEY, behaviour=arrivals.answer)
    async with api.serve() as server:
        with tempfile.TemporaryDirectory() as folder:
            more_ms = await measure_sessions(cli, arrivals, server.anthropic_url, Path(folder))
            byte_ms = await measure_first_bytes(server.anthropic_url, Path(folder))
    return 0 if more_ms <= SESSION_GOAL_MS and byte_ms <= BYTE_GOAL_MS else 1


async def measure_sessions(cli: ClaudeCli, arrivals: Arrivals, url: str, folder: Path) -> float:
    """How many milliseconds more a session takes to its first request than the program alone."""
    conversations = CliConversations(
        cli=cli,
        sandboxes=BubblewrapMaker(),
        api=ModelApi(base_url=url, key=SecretStr(KEY)),
        memory_mb=4_096,
    )
    launcher = ClaudeCodeLauncher(conversations=conversations)
    spec = a_session_spec(folder)

    async def sandboxed() -> None:
        result = await launcher.run(spec)
        assert result.end == "completed", result.detail

    kinds: dict[str, Callable[[], Awaitable[None]]] = {
        "Claude Code alone": lambda: run_alone(cli, url, folder),
        "in the sandbox": sandboxed,
    }
    taken: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(SESSIONS + 1):
        for name, run in kinds.items():
            began = time.perf_counter()
            await run()
            taken[name].append((arrivals.at - began) * 1000)
    print("From the start of a session to its first request:")
    return report({name: times[1:] for name, times in taken.items()})  # the first warms up


async def run_alone(cli: ClaudeCli, url: str, folder: Path) -> None:
    """The program outside of any sandbox, with a session's flags and as fresh a home."""
    home = Path(tempfile.mkdtemp(prefix="home-", dir=folder))
    environment = make_environment(
        MODEL, KEY, some_limits(), max_answer_tokens=32_000, max_retries=0
    )
    own = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "ANTHROPIC_BASE_URL": url,
        "IS_SANDBOX": "1",  # root is refused otherwise
    }
    process = await asyncio.create_subprocess_exec(
        str(cli.binary),
        *make_cli_arguments(MODEL, some_limits(), "You work alone."),
        env={**environment, **own},
        cwd=home,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    await process.communicate(b"Count the words.")
    assert process.returncode == 0


async def measure_first_bytes(url: str, folder: Path) -> float:
    """How many milliseconds more a first byte takes through the proxy than without it."""
    socket = folder / "model.sock"
    model = a_model(sent=MODEL)
    async with (
        httpx.AsyncClient() as upstream,
        httpx.AsyncClient(base_url=url) as direct,
        httpx.AsyncClient(
            transport=httpx.AsyncHTTPTransport(uds=str(socket)), base_url="http://proxy"
        ) as proxied,
    ):
        proxy = ModelProxy(
            model=model,
            token=KEY,
            upstream=Upstream(client=upstream, base_url=url, key=SecretStr(KEY)),
            tally=Tally(model, some_limits(turns=10**6, total_tokens=10**12, cost_usd=10**6)),
        )
        async with SessionProxy(proxy, HostGate(())).listen(socket):
            clients = {"direct": direct, "through the proxy": proxied}
            taken: dict[str, list[float]] = {name: [] for name in clients}
            for _ in range(REQUESTS):
                for name, client in clients.items():
                    taken[name].append(await first_byte(client))
    print("From a request to the first byte of a streamed answer:")
    return report(taken)


async def first_byte(client: httpx.AsyncClient) -> float:
    """Milliseconds to the first byte; the rest of the answer is read, too."""
    began = time.perf_counter()
    headers = {"x-api-key": KEY}
    async with client.stream("POST", "/v1/messages", json=BODY, headers=headers) as answer:
        chunks = answer.aiter_raw()
        await anext(chunks)
        taken = (time.perf_counter() - began) * 1000
        async for _ in chunks:
            pass
    return taken


def report(taken: dict[str, list[float]]) -> float:
    """Print each kind and its ratio to the first; give how much more the second one takes.

    Judged by the lower quartile: what else the machine does at the time only adds.
    """
    quartiles = {name: statistics.quantiles(times, n=4) for name, times in taken.items()}
    (first, *_), (second, *_) = quartiles.values()
    for name, (lower, median, upper) in quartiles.items():
        shown = f"quartiles {lower:8.2f} {median:8.2f} {upper:8.2f} ms"
        print(f"  {name:18} {shown}  ratio {lower / first:5.2f}")
    print(f"  more: {second - first:.2f} ms")
    return second - first


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
