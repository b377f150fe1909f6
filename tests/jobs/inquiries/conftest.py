"""A Redis of its own for each test that needs one."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from bot.embedded_redis import embedded_redis


@pytest.fixture
async def redis(tmp_path: Path) -> AsyncIterator[Redis]:
    async with embedded_redis(tmp_path / "redis") as url, Redis.from_url(url) as client:
        yield client
