"""The web process with pages, on a real socket."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from tests.bot.web_pages.figures_scene import Scene, figures_scene
from tests.bot.web_pages.seeded import Seeded, put_suite, seed, seeded_server


@pytest.fixture
async def pages(redis_url: str, tmp_path: Path) -> AsyncIterator[Seeded]:
    """With runs in every state, and a benchmark to choose."""
    async with seeded_server(redis_url, tmp_path) as seeded:
        put_suite(tmp_path)
        await seed(seeded, tmp_path)
        yield seeded


@pytest.fixture
async def scene(redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[Scene]:
    """Figures over an empty ledger."""
    async with figures_scene(redis, redis_url, tmp_path) as scene:
        yield scene
