"""A served scripted model API, and a talker for each protocol."""

from collections.abc import AsyncIterator

import pytest

from demo.model_api import CLAUDE_LIKE, DEMO_MODELS, ModelServer, ScriptedModelApi, ServedModel
from tests.builders import NOON
from tests.jobs.models.talking import Talker


@pytest.fixture
def api() -> ScriptedModelApi:
    gpt = ServedModel(id="gpt-4.1", created_at=NOON)
    return ScriptedModelApi(models=(*DEMO_MODELS, *CLAUDE_LIKE, gpt))


@pytest.fixture
async def server(api: ScriptedModelApi) -> AsyncIterator[ModelServer]:
    async with api.serve() as server:
        yield server


@pytest.fixture(params=["anthropic", "openai"])
def talker(request: pytest.FixtureRequest, api: ScriptedModelApi, server: ModelServer) -> Talker:
    return Talker(request.param, api, server)


@pytest.fixture
def claude(api: ScriptedModelApi, server: ModelServer) -> Talker:
    return Talker("anthropic", api, server)


@pytest.fixture
def gpt(api: ScriptedModelApi, server: ModelServer) -> Talker:
    return Talker("openai", api, server)
