"""A real Redis, and the real web process on a real socket."""

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
from redis.asyncio import Redis

from bot.embedded_redis import embedded_redis
from tests.bot.web import some_settings, web_client


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder whose path is short enough for a socket: a server started there again has the
    same address.
    """
    with tempfile.TemporaryDirectory(prefix="sb-", dir="/tmp") as folder:
        yield Path(folder)


@pytest.fixture
async def redis_url(tmp_path: Path) -> AsyncIterator[str]:
    async with embedded_redis(tmp_path / "redis") as url:
        yield url


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Redis]:
    client = Redis.from_url(redis_url)
    yield client
    await client.aclose()


@pytest.fixture
async def web(redis_url: str) -> AsyncIterator[httpx.AsyncClient]:
    async with web_client(some_settings(redis_url)) as client:
        yield client
