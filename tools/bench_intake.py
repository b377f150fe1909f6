"""Webhook intake beside Probot 14 doing the same work: deliveries a second, latency, memory.

The server under test has core 0 to itself; Redis and the load share core 1. Both servers
verify, translate, remember the delivery and enqueue it by the same script, and answer once
Redis has it; they are measured in turn, twice each. To reach: at least Probot's deliveries a
second, a 99th percentile below 10 ms at 500 a second, half its memory, and 120 MB at most
once a probe has made ours prove its credentials.

On a machine that others use, deliveries a second say little: then compare how many each
server took in a second of processor time, which is shown beside them.

Installs what it needs where it may: wrk by apt, Probot by npm.
"""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

sys.path.insert(0, str(Path(__file__).parents[1]))

from bot.embedded_redis import embedded_redis
from bot.queues import ENQUEUE_ONCE
from tools.bench.load import SECRET, Flood, Steady, flood, make_body, steady

ROOT = Path(__file__).parents[1]
PEER = ROOT / "tools/bench/probot"
ROUNDS = 2
FLOOD_S = 6
P99_GOAL_MS = 10.0
MOST_MB = 120


@dataclass(frozen=True, slots=True)
class Measured:
    """One server in one round."""

    flood: Flood
    steady: Steady
    per_cpu_second: float
    rss_mb: float


def prepare() -> None:
    """Install what is missing. Raises `CalledProcessError` where that is not possible."""
    subprocess.run([ROOT / "tools/need", "redis-server", "wrk", "node", "npm"], check=True)
    if not (PEER / "node_modules/probot").is_dir():
        subprocess.run(
            ["npm", "ci", "--silent", "--no-audit", "--no-fund", "--prefix", PEER], check=True
        )


@asynccontextmanager
async def serving(command: list[str], port: int, env: dict[str, str]) -> AsyncIterator[int]:
    """A server on core 0, ready; gives its process id."""
    process = subprocess.Popen(  # noqa: ASYNC220 -- nothing else happens meanwhile
        ["taskset", "-c", "0", *command],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **env},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 30
        while socket.socket().connect_ex(("127.0.0.1", port)) != 0:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{command[0]} did not start")
            await asyncio.sleep(0.05)
        yield process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            await asyncio.to_thread(process.wait, 5)
        except subprocess.TimeoutExpired:
            process.kill()
            await asyncio.to_thread(process.wait)


def resident_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    [line] = [line for line in lines if line.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


def cpu_seconds(pid: int) -> float:
    """Processor time a process has used, its threads included."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def measure_ours(redis_url: str, body: bytes, folder: Path) -> tuple[Measured, float]:
    """Our web process, and its memory in MB once it was asked whether it is ready."""
    port = free_port()
    env = {
        "SKILLBENCH_GITHUB_WEBHOOK_SECRET": SECRET,
        "SKILLBENCH_REDIS_URL": redis_url,
        "SKILLBENCH_DATA_DIR": str(folder / "data"),
    }
    command = [sys.executable, "-m", "bot", "serve", "--port", str(port)]
    async with serving(command, port, env) as pid:
        measured = await measure(port, "/webhook", body, folder, pid)
        # a probe that proves credentials loads the GitHub client
        await asyncio.to_thread(ask, port, "/readyz")
        return measured, resident_mb(pid)


async def measure_peer(redis_url: str, body: bytes, folder: Path, key: str) -> Measured:
    port = free_port()
    env = {
        "APP_ID": "1",
        "PRIVATE_KEY": key,
        "WEBHOOK_SECRET": SECRET,
        "WEBHOOK_PATH": "/webhook",
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "LOG_LEVEL": "error",
        "NODE_ENV": "production",
        "REDIS_SOCKET": redis_url.removeprefix("unix://"),
        "ENQUEUE_ONCE": ENQUEUE_ONCE,
    }
    node = shutil.which("node") or "node"
    async with serving([node, str(PEER / "app.mjs")], port, env) as pid:
        return await measure(port, "/webhook", body, folder, pid)


async def measure(port: int, path: str, body: bytes, folder: Path, pid: int) -> Measured:
    await asyncio.to_thread(flood, port, path, body, folder, seconds=2)  # warm
    before = cpu_seconds(pid)
    flooded = await asyncio.to_thread(flood, port, path, body, folder, seconds=FLOOD_S)
    per_cpu_second = flooded.per_second * FLOOD_S / (cpu_seconds(pid) - before)
    paced = await steady(port, path, body)
    return Measured(flooded, paced, per_cpu_second, resident_mb(pid))


def ask(port: int, path: str) -> int:
    """GET a path; gives the status."""
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def make_key() -> str:
    """A private key, as Probot wants one; it signs nothing here."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.TraditionalOpenSSL
    return key.private_bytes(serialization.Encoding.PEM, form, plain).decode()


def show(name: str, found: Measured) -> None:
    """One line for one server in one round."""
    flood, paced = found.flood, found.steady
    failed = flood.failed + paced.failed
    print(
        f"{name:11} {flood.per_second:6.0f}/s ({found.per_cpu_second:5.0f} per CPU second)   "
        f"at 500/s: p50 {paced.p50:5.1f} ms, p99 {paced.p99:5.1f} ms   {found.rss_mb:4.0f} MB"
        + (f"   {failed} FAILED" * bool(failed))
    )


async def main() -> int:
    """Measure, print, and give 0 if everything was reached."""
    if (os.cpu_count() or 1) < 2 or not shutil.which("taskset"):
        print("This needs Linux with two cores: one for the server, one for the load.")
        return 1
    prepare()
    os.sched_setaffinity(0, {1})
    body = make_body()
    key = make_key()
    rounds: list[tuple[Measured, Measured]] = []
    proven_mb = 0.0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for number in range(ROUNDS):
            async with embedded_redis(folder / f"redis-{number}") as redis_url:
                ours, proven_mb = await measure_ours(redis_url, body, folder)
            show("skillbench", ours)
            async with embedded_redis(folder / f"peer-{number}") as redis_url:
                peer = await measure_peer(redis_url, body, folder, key)
            show("Probot 14", peer)
            rounds.append((ours, peer))
    return 0 if is_reached(rounds, proven_mb) else 1


def is_reached(rounds: list[tuple[Measured, Measured]], proven_mb: float) -> bool:
    """Print the ratios; whether all goals were reached."""
    parts: tuple[Callable[[Measured], float], ...] = (
        lambda found: found.flood.per_second,
        lambda found: found.per_cpu_second,
        lambda found: found.rss_mb,
    )
    speed, cpu, memory = (
        sum(of(ours) / of(peer) for ours, peer in rounds) / len(rounds) for of in parts
    )
    p99 = min(ours.steady.p99 for ours, _ in rounds)
    failed = sum(ours.flood.failed + ours.steady.failed for ours, _ in rounds)
    print(
        f"ratio to Probot: {speed:.2f} deliveries a second ({cpu:.2f} per CPU second), "
        f"{memory:.2f} memory; {proven_mb:.0f} MB with proven credentials"
    )
    small = memory <= 0.5 and proven_mb < MOST_MB
    return speed >= 1 and small and p99 < P99_GOAL_MS and not failed


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
