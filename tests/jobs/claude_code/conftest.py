"""A scripted model API, served."""

from collections.abc import AsyncIterator

import pytest

from demo.model_api import CLAUDE_LIKE, ModelServer, ScriptedModelApi
from jobs.claude_code.cli import ClaudeCli
from tests.jobs.claude_code.sessions import KEY, real_cli


@pytest.fixture
def api() -> ScriptedModelApi:
    return ScriptedModelApi(models=CLAUDE_LIKE, key=KEY)


@pytest.fixture
async def server(api: ScriptedModelApi) -> AsyncIterator[ModelServer]:
    async with api.serve() as server:
        yield server


@pytest.fixture
def claude() -> ClaudeCli:
    """The real Claude Code."""
    return real_cli()
