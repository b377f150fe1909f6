"""A scripted model API, and a session's proxy in front of it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from demo.model_api import ModelServer, ScriptedModelApi
from tests.jobs.proxy.opened import Opened, an_api, opened_proxy


@pytest.fixture
def api() -> ScriptedModelApi:
    return an_api()


@pytest.fixture
async def server(api: ScriptedModelApi) -> AsyncIterator[ModelServer]:
    async with api.serve() as server:
        yield server


@pytest.fixture
async def opened(server: ModelServer, tmp_path: Path) -> AsyncIterator[Opened]:
    async with opened_proxy(tmp_path, server.anthropic_url) as opened:
        yield opened
