"""A running bot for each story."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.stories.scene import Scene, playing


@pytest.fixture
async def scene(tmp_path: Path, app_key: str) -> AsyncIterator[Scene]:
    """The sample repository: issue 1 is an eval case, 2 has its case in a file, 3 is half one."""
    async with playing(tmp_path, app_key) as running:
        yield running
