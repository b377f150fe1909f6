"""Claude Code itself in containers: both arms, its only way out the proxy's socket."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from demo.model_api import CLAUDE_LIKE, Reply, ScriptedModelApi
from jobs.errors import Refused
from jobs.matched import find_mismatch
from jobs.sessions.docker import DockerMaker
from jobs.sessions.prepared import PLAIN, Prepared
from jobs.values import SKILL_OR_NONE, SessionEnd
from tests.jobs.claude_code.sessions import (
    KEY,
    a_session_spec,
    make_launcher,
    real_cli,
    run_session,
)
from tests.jobs.looking import SEEN, look
from tests.jobs.proxy.net import PUBLIC, Net
from tests.jobs.sessions.podman import IMAGE as BUSYBOX
from tests.jobs.sessions.podman import Engine
from tests.jobs.sessions.python_image import IMAGE, import_python_image

ASK = r"""
import json, os, socket
from urllib.parse import urlsplit

way = urlsplit(os.environ["https_proxy"])
statuses = {}
for target in ["cran.example:443", "other.example:443", "cran.example:80"]:
    with socket.create_connection((way.hostname, way.port), 10) as tunnel:
        tunnel.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
        statuses[target] = int(tunnel.recv(1000).split()[1])
print(json.dumps(statuses))
"""


@pytest.mark.slow
async def test_both_arms_of_a_run_work_in_containers(engine: Engine, tmp_path: Path):
    cli = real_cli()
    import_python_image(engine, tmp_path, cli.binary)
    sandboxes = DockerMaker(image=IMAGE, host=engine.host)
    async with ScriptedModelApi(models=CLAUDE_LIKE, key=KEY).serve() as server:
        launcher = make_launcher(cli, server.anthropic_url, sandboxes=sandboxes)
        await launcher.prove(PLAIN, tmp_path / "proof")
        specs = [a_session_spec(tmp_path, arm) for arm in SKILL_OR_NONE]
        results = [(await run_session(launcher, spec)).result for spec in specs]
    for result in results:
        assert (result.end, result.detail) == (SessionEnd.COMPLETED, "")
        assert result.tool_calls
        assert "answer.md" in [output.path for output in result.outputs]
        assert result.sandbox == "docker"
        assert result.environment.startswith("sha256:")
    assert find_mismatch(specs[0].run, results) is None


@pytest.mark.slow
async def test_a_session_in_a_container_reaches_the_allowed_hosts_alone(
    engine: Engine, tmp_path: Path
):
    cli = real_cli()
    import_python_image(engine, tmp_path, cli.binary)
    net = Net({"cran.example": [PUBLIC], "other.example": [PUBLIC]})
    api = ScriptedModelApi(models=CLAUDE_LIKE, key=KEY)
    async with net.echoing(), api.serve() as server:
        sandboxes = DockerMaker(image=BUSYBOX, host=engine.host)
        launcher = make_launcher(
            cli, server.anthropic_url, sandboxes=sandboxes, make_gate=net.make_gate
        )
        api.script(Reply(calls=(look(ASK),)), Reply(text="asked"))
        prepared = Prepared(name="r", image=IMAGE, identity="an id", hosts=("cran.example",))
        spec = replace(a_session_spec(tmp_path), prepared=prepared)
        ran = await run_session(launcher, spec)
    asked = json.loads(ran.output(SEEN))
    assert list(asked.values()) == [200, 403, 403]
    assert ran.result.environment.startswith("sha256:")
    assert len(ran.result.refused_hosts) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("image", "words"),
    [(BUSYBOX, "need python3 in the image"), ("localhost/nowhere:1", "localhost/nowhere:1")],
)
async def test_an_image_that_does_not_serve_is_refused_before_anything_is_spent(
    engine: Engine, tmp_path: Path, image: str, words: str
):
    """One without python3, and one that cannot be pulled."""
    launcher = make_launcher(real_cli(), sandboxes=DockerMaker(image=IMAGE, host=engine.host))
    with pytest.raises(Refused, match=words):
        await launcher.prove(Prepared(name="r", image=image), tmp_path / "proof")
