"""Commands as processes: started with a clean environment, read line by line, stopped."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).parents[3]
WAIT_S = 30.0


@dataclass
class Command:
    """A running command, and every line it has logged so far."""

    process: asyncio.subprocess.Process
    lines: list[str] = field(default_factory=list)

    @property
    def pid(self) -> int:
        return self.process.pid

    async def logged(self, event: str) -> dict[str, Any]:
        """Wait for a log line about an event. Fails with all that was logged instead."""
        for line in self.lines:
            if line.startswith("{") and json.loads(line)["event"] == event:
                return dict(json.loads(line))
        assert self.process.stderr is not None
        async with asyncio.timeout(WAIT_S):
            while line := (await self.process.stderr.readline()).decode():
                self.lines.append(line)
                if line.startswith("{") and json.loads(line)["event"] == event:
                    return dict(json.loads(line))
        raise AssertionError(f"no {event} in:\n{''.join(self.lines)}")

    async def stopped(self, signal_number: int) -> int:
        """Send a signal; gives the exit code, once all it logged is read."""
        self.process.send_signal(signal_number)
        return await self.ended()

    async def ended(self) -> int:
        assert self.process.stderr is not None
        async with asyncio.timeout(WAIT_S):
            self.lines += (await self.process.stderr.read()).decode().splitlines(keepends=True)
            return await self.process.wait()


@asynccontextmanager
async def command(*words: str, home: Path, **settings: str) -> AsyncIterator[Command]:
    """`skillbench WORDS` with these settings and no others, in a home of its own."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", *words),
        cwd=home,
        env=environment(home, settings),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        limit=2**20,
    )
    try:
        yield Command(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def environment(home: Path, settings: Mapping[str, str]) -> dict[str, str]:
    variables = {f"SKILLBENCH_{name}".upper(): value for name, value in settings.items()}
    return {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ROOT), **variables}


@asynccontextmanager
async def client_of(serving: Command) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a web process, once it serves."""
    line = await serving.logged("serving")
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{line['port']}", timeout=10) as client:
        async with asyncio.timeout(WAIT_S):
            await serving.logged("Application startup complete.")
        yield client
