"""A scripted model API, served, and sessions of the real Claude Code in front of it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from demo.model_api import CLAUDE_LIKE, ModelServer, ScriptedModelApi
from jobs.claude_code.cli import ClaudeCli
from jobs.values import Arm
from tests.jobs.claude_code.sessions import (
    KEY,
    Ran,
    a_session_spec,
    make_launcher,
    real_cli,
    run_session,
)


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


@pytest.fixture
def start(claude: ClaudeCli, server: ModelServer, tmp_path: Path):
    """Runs a session in the real Claude Code."""

    async def start(arm: Arm = Arm.WITHOUT_SKILL, **changes: Any) -> Ran:
        folder = tmp_path / arm
        folder.mkdir(exist_ok=True)
        launcher = make_launcher(
            claude, server.anthropic_url, **changes.pop("launcher_changes", {})
        )
        async with asyncio.timeout(60):
            return await run_session(launcher, a_session_spec(folder, arm, **changes))

    return start
