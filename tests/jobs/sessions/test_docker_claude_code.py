"""Claude Code itself in containers: both arms, its only way out the proxy's socket."""

from pathlib import Path

import pytest

from demo.model_api import CLAUDE_LIKE, ScriptedModelApi
from jobs.sessions.docker import DockerMaker
from jobs.values import Arm, SessionEnd
from tests.jobs.claude_code.sessions import (
    KEY,
    a_session_spec,
    make_launcher,
    real_cli,
    run_session,
)
from tests.jobs.sessions.podman import Engine
from tests.jobs.sessions.python_image import IMAGE, import_python_image


@pytest.mark.slow
async def test_both_arms_of_a_run_work_in_containers(engine: Engine, tmp_path: Path):
    cli = real_cli()
    import_python_image(engine, tmp_path, cli.binary)
    sandboxes = DockerMaker(image=IMAGE, host=engine.host)
    async with ScriptedModelApi(models=CLAUDE_LIKE, key=KEY).serve() as server:
        launcher = make_launcher(cli, server.anthropic_url, sandboxes=sandboxes)
        for arm in (Arm.WITH_SKILL, Arm.WITHOUT_SKILL):
            ran = await run_session(launcher, a_session_spec(tmp_path, arm))
            assert (ran.result.end, ran.result.detail) == (SessionEnd.COMPLETED, "")
            assert ran.result.tool_calls
            assert "answer.md" in [output.path for output in ran.result.outputs]
