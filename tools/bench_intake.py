"""Webhook intake beside Probot 14 doing the same work: deliveries a second, latency, memory.

The server under test has core 0 to itself; Redis and the load share core 1. Both servers
verify, translate, remember the delivery and enqueue it by the same script, and answer once
Redis has it; they are measured in turn, twice each. To reach: at least Probot's deliveries a
second, a 99th percentile below 10 ms at 500 a second, half its memory.

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
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Measured:
    """One server in one round."""

    flood: Flood
    steady: Steady
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


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def measure_ours(redis_url: str, body: bytes, folder: Path) -> Measured:
    port = free_port()
    env = {
        "SKILLBENCH_GITHUB_WEBHOOK_SECRET": SECRET,
        "SKILLBENCH_REDIS_URL": redis_url,
        "SKILLBENCH_DATA_DIR": str(folder / "data"),
    }
    command = [sys.executable, "-m", "bot", "serve", "--port", str(port)]
    async with serving(command, port, env) as pid:
        return await measure(port, "/webhook", body, folder, pid)


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
    flooded = await asyncio.to_thread(flood, port, path, body, folder, seconds=FLOOD_S)
    paced = await steady(port, path, body)
    return Measured(flooded, paced, resident_mb(pid))


def make_key() -> str:
    """A private key, as Probot wants one; it signs nothing here."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.TraditionalOpenSSL
    return key.private_bytes(serialization.Encoding.PEM, form, plain).decode()


def show(name: str, found: Measured) -> None:
    failed = found.flood.failed + found.steady.failed
    print(
        f"{name:11} {found.flood.per_second:7.0f}/s   at 500/s: p50 {found.steady.p50:5.1f} ms, "
        f"p99 {found.steady.p99:5.1f} ms   {found.rss_mb:5.0f} MB"
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
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for number in range(ROUNDS):
            async with embedded_redis(folder / f"redis-{number}") as redis_url:
                ours = await measure_ours(redis_url, body, folder)
            show("skillbench", ours)
            async with embedded_redis(folder / f"peer-{number}") as redis_url:
                peer = await measure_peer(redis_url, body, folder, key)
            show("Probot 14", peer)
            rounds.append((ours, peer))
    speed = sum(ours.flood.per_second / peer.flood.per_second for ours, peer in rounds) / ROUNDS
    memory = sum(ours.rss_mb / peer.rss_mb for ours, peer in rounds) / ROUNDS
    p99 = min(ours.steady.p99 for ours, _ in rounds)
    failed = sum(ours.flood.failed + ours.steady.failed for ours, _ in rounds)
    print(f"ratio to Probot: {speed:.2f} deliveries a second, {memory:.2f} memory")
    return 0 if speed >= 1 and memory <= 0.5 and p99 < P99_GOAL_MS and not failed else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
