"""A served scripted API, and the vendors' own clients in front of it."""

from collections.abc import AsyncIterator

import pytest
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI

from demo.model_api import CLAUDE_LIKE, DEMO_MODELS, ModelServer, ScriptedModelApi


@pytest.fixture
def api() -> ScriptedModelApi:
    return ScriptedModelApi(models=(*DEMO_MODELS, *CLAUDE_LIKE), key="the-key")


@pytest.fixture
async def server(api: ScriptedModelApi) -> AsyncIterator[ModelServer]:
    async with api.serve() as server:
        yield server


@pytest.fixture
async def claude(server: ModelServer) -> AsyncIterator[AsyncAnthropic]:
    async with AsyncAnthropic(
        api_key="the-key", base_url=server.anthropic_url, max_retries=0, timeout=10
    ) as client:
        yield client


@pytest.fixture
async def gpt(server: ModelServer) -> AsyncIterator[AsyncOpenAI]:
    async with AsyncOpenAI(
        api_key="the-key", base_url=server.openai_url, max_retries=0, timeout=10
    ) as client:
        yield client
