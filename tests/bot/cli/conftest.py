"""The command line in this process, and as processes of its own."""

import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import structlog

from tests.bot.cli.desk import Desk, open_desk


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to be in: no `.env` of whoever runs the tests is read."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def own_logging() -> Iterator[None]:
    """Whatever sets logging up, afterwards it is as before."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()
    root.handlers = handlers
    root.setLevel(level)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with open_desk(tmp_path) as opened:
        yield opened
