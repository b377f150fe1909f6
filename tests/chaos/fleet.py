"""The bot as it is deployed: a web process, several workers and a Redis, each to be killed.

Every process is a real one, started by its command line and started again when it has died.
One that ends without having been told to is a finding.
"""

import asyncio
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
from redis.asyncio import Redis

from bot.embedded_redis import find_server
from bot.redis_clients import REDIS_AWAY

ROOT = Path(__file__).parents[2]
START_S = 90.0
STOP_S = 30.0
_LIVING: set[int] = set()
"""Processes of all games of this process that have not ended."""
WITH_US = ("setpriv", "--pdeathsig", "KILL") if shutil.which("setpriv") else ()
"""No process outlives this one, should it be killed."""


@dataclass(eq=False, slots=True)
class Process:
    """One process, from its start to its end."""

    name: str
    running: asyncio.subprocess.Process
    log: Path
    ended_by: str = ""
    """What we sent it; empty: nothing yet."""
    ended_at: float = 0.0
    pauses: list[tuple[float, float]] = field(default_factory=list)
    """When it was stopped for a while; the last one may still last."""

    @property
    def is_alive(self) -> bool:
        return self.running.returncode is None

    def check_alive(self) -> None:
        """Raises `RuntimeError` with the end of what it said, if it has ended."""
        if not self.is_alive:
            raise RuntimeError(f"{self.name} did not start: {self.log.read_text()[-2000:]}")

    def send(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            self.running.send_signal(number)

    @property
    def working_since(self) -> float | None:
        """When a worker began to take jobs; None before it does."""
        told = (time_of(line) for line in self.lines() if line.get("event") == "working")
        return next(told, None)

    def lines(self) -> Iterator[dict[str, Any]]:
        """Its log lines that are JSON."""
        for line in self.log.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("{"):
                with suppress(ValueError):
                    yield json.loads(line)


@dataclass(eq=False)
class Fleet:
    """All processes of one game."""

    folder: Path
    environment: Mapping[str, str]
    port: int
    processes: list[Process] = field(default_factory=list)
    """Every process that ever ran, the newest last."""
    outages: list[tuple[float, float]] = field(default_factory=list)
    """When Redis was away, in seconds since the epoch."""
    redis: Process | None = None
    web: Process | None = None
    workers: list[Process] = field(default_factory=list)

    @property
    def redis_url(self) -> str:
        return f"unix://{self.folder / 'redis.sock'}"

    @property
    def temporary(self) -> Path:
        """Where workers keep what they work on."""
        return self.folder / "tmp"

    async def start(self, workers: int) -> None:
        self.temporary.mkdir()
        await self.start_redis()
        await self.start_web()
        self.workers = [await self.start_worker() for _ in range(workers)]
        async with asyncio.timeout(START_S):
            while not all(worker.working_since for worker in self.workers):
                for worker in self.workers:
                    worker.check_alive()
                await asyncio.sleep(0.1)

    async def start_redis(self) -> None:
        """Give Redis back, with what its append-only file holds."""
        options = {
            "--port": "0",
            "--unixsocket": str(self.folder / "redis.sock"),
            "--dir": str(self.folder),
            "--appendonly": "yes",
            "--save": "",
        }
        words = [word for option in options.items() for word in option]
        began = self.redis.ended_at if self.redis else 0.0
        self.redis = await self._spawn("redis", find_server(), *words)
        async with asyncio.timeout(START_S), Redis.from_url(self.redis_url) as redis:
            while True:
                with suppress(*REDIS_AWAY):
                    await redis.ping()
                    break
                await asyncio.sleep(0.01)
        if began:
            self.outages.append((began, time.time()))

    async def start_web(self) -> None:
        self.web = await self._spawn("web", *_bot("serve"))
        async with asyncio.timeout(START_S), httpx.AsyncClient(trust_env=False) as client:
            while True:
                with suppress(httpx.HTTPError):
                    await client.get(f"http://127.0.0.1:{self.port}/healthz")
                    return
                await asyncio.sleep(0.05)

    async def start_worker(self) -> Process:
        return await self._spawn("worker", *_bot("worker"))

    async def end(self, process: Process, number: signal.Signals) -> None:
        """Send a process a signal that ends it, and wait for its end."""
        process.ended_by = number.name
        process.ended_at = time.time()
        process.send(number)
        try:
            await asyncio.wait_for(process.running.wait(), STOP_S)
        except TimeoutError:
            process.ended_by = f"{number.name}, which it did not obey"
            process.send(signal.SIGKILL)
            await process.running.wait()
        _LIVING.discard(process.running.pid)

    async def stop(self) -> None:
        """End everything in good order, Redis last."""
        ending = [*self.workers, *([self.web] if self.web else [])]
        await asyncio.gather(*(self.end(one, signal.SIGTERM) for one in ending if one.is_alive))
        if self.redis and self.redis.is_alive:
            await self.end(self.redis, signal.SIGTERM)

    def left_by_themselves(self) -> list[str]:
        """Processes that ended unasked, or not as they were asked to."""
        found = []
        for one in self.processes:
            code = one.running.returncode
            if one.ended_by in {"", "SIGTERM"} and code not in {None, 0}:
                asked = "SIGTERM" if one.ended_by else "nothing"
                found.append(f"{one.name} ({one.log.name}) ended with {code} after {asked}")
            elif code == 0 and not one.ended_by:
                found.append(f"{one.name} ({one.log.name}) ended by itself")
            elif "not obey" in one.ended_by:
                found.append(f"{one.name} ({one.log.name}): {one.ended_by}")
        return found

    async def _spawn(self, name: str, *command: str) -> Process:
        log = self.folder / f"{len(self.processes):02}-{name}.log"
        with log.open("wb") as told:
            running = await asyncio.create_subprocess_exec(
                *WITH_US,
                *command,
                env={**self.environment, "TMPDIR": str(self.temporary)},
                cwd=self.folder,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=told,
                stderr=told,
            )
        process = Process(name, running, log)
        _LIVING.add(running.pid)
        self.processes.append(process)
        return process


def _bot(command: str) -> tuple[str, ...]:
    return sys.executable, "-m", "bot", command


def time_of(line: Mapping[str, Any]) -> float:
    """When a log line was written, in seconds since the epoch."""
    return datetime.fromisoformat(line["timestamp"]).timestamp()


def orphans(before: Collection[int] = ()) -> dict[int, str]:
    """Processes that descend from this one and are nobody's any more, by id; those that were there
    `before` are left out, and dead ones are buried.
    """
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with suppress(OSError, IndexError, ValueError):
                state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
                if state == "Z" and int(parent) == os.getpid():
                    os.waitpid(int(folder.name), os.WNOHANG)
                else:
                    parents[int(folder.name)] = int(parent)
    found = {}
    for pid in parents.keys() - set(before):
        above = [pid]
        while above[-1] in parents and above[-1] != os.getpid():
            above.append(parents[above[-1]])
        if above[-1] == os.getpid() and len(above) > 1 and not _LIVING.intersection(above):
            with suppress(OSError):
                found[pid] = _command_of(pid)
    return found


def _command_of(pid: int) -> str:
    return Path("/proc", str(pid), "cmdline").read_text().replace("\0", " ")[:120]


def remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
