"""Sessions of both launchers in an environment with hosts, and all that they can reach there."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from config.settings import Settings
from demo.model_api import CLAUDE_LIKE, Gate, ModelServer, Reply, ScriptedModelApi, Stall
from jobs.errors import Refused
from jobs.models.agent import ModelAgent
from jobs.models.doors import Doors
from jobs.sessions.api_launcher import ApiLauncher
from jobs.sessions.box import Bind
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.sessions.prepared import PLAIN, Prepared
from jobs.values import SKILL_OR_NONE, Arm, SessionEnd
from jobs.world import Launcher
from tests.jobs.claude_code.sessions import (
    KEY,
    Ran,
    a_session_spec,
    make_launcher,
    real_cli,
)
from tests.jobs.looking import LOOK_AROUND, SEEN, look, set_up_worker
from tests.jobs.proxy.net import PUBLIC, Net

NETWORK = r"""
import json, os, socket, sys
from urllib.parse import urlsplit

port = sys.argv[1]
seen = {"direct": {}, "through": {}}
for host, number in [("127.0.0.1", port), ("::1", port), ("192.0.2.1", 443), ("93.184.216.34", 443),
                     ("169.254.169.254", 80), ("fd00:ec2::254", 80), ("cran.example", 443)]:
    try:
        socket.create_connection((host, int(number)), 3).close()
        seen["direct"][host] = "reached"
    except OSError as error:
        seen["direct"][host] = "refused"
way = urlsplit(os.environ["https_proxy"])
for target in ["cran.example:443", "cran.example:80", "cran.example:22", "other.example:443",
               "93.184.216.34:443", "127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port,
               "169.254.169.254:80", "inside.example:443"]:
    with socket.create_connection((way.hostname, way.port), 10) as tunnel:
        head = f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n"
        tunnel.sendall(head.encode() + b"hello\n")
        tunnel.shutdown(socket.SHUT_WR)
        answer = b""
        while chunk := tunnel.recv(1000):
            answer += chunk
    seen["through"][target] = int(answer.split()[1]), answer.endswith(b"HELLO\n")
with open("/proc/net/tcp") as table:
    lines = [line.split() for line in table.readlines()[1:]]
seen["listening"] = sorted(int(line[1].partition(":")[2], 16) for line in lines if line[3] == "0A")
seen["variables"] = sorted(os.environ)
print(json.dumps(seen))
"""


@dataclass
class Scene:
    """A launcher in front of a scripted model and a small internet."""

    launcher: Launcher
    api: ScriptedModelApi
    net: Net
    folder: Path

    async def run(
        self, prepared: Prepared, script: str, *arguments: str, arm: Arm = Arm.WITHOUT_SKILL
    ) -> Ran:
        """A session that looks around with a script."""
        self.api.script(Reply(calls=(look(script, *arguments),)), Reply(text="looked"))
        return await self.play(prepared, arm)

    async def play(self, prepared: Prepared, arm: Arm) -> Ran:
        """A session that does what the API's script says."""
        folder = self.folder / f"{arm}-{len(list(self.folder.iterdir()))}"
        folder.mkdir()
        spec = replace(a_session_spec(folder, arm, mode="forced"), prepared=prepared)
        async with asyncio.timeout(60):
            return Ran(await self.launcher.run(spec), spec.bundle)


def make_api_launcher(server: ModelServer, **changes: Any) -> ApiLauncher:
    settings = Settings(
        _env_file=None, anthropic_api_key=KEY, anthropic_base_url=server.anthropic_url
    )
    boxes = BubblewrapMaker(use_memory_group=False)
    return ApiLauncher(ModelAgent(Doors(settings)), boxes, memory_mb=500, **changes)


@pytest.fixture(params=["api", "claude-code"])
async def scene(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Scene]:
    net = Net({"cran.example": [PUBLIC], "other.example": [PUBLIC], "inside.example": ["10.0.0.1"]})
    api = ScriptedModelApi(models=CLAUDE_LIKE, key=KEY)
    folder = tmp_path / "runs"
    folder.mkdir()
    async with net.echoing(), api.serve() as server:
        launcher: Launcher = make_api_launcher(server, make_gate=net.make_gate)
        if request.param == "claude-code":
            launcher = make_launcher(real_cli(), server.anthropic_url, make_gate=net.make_gate)
        yield Scene(launcher, api, net, folder)


@pytest.fixture
def prepared(tmp_path: Path) -> Prepared:
    """As a setup script would leave it: a folder with a program in it, and hosts."""
    program = tmp_path / "prepared" / "bin" / "greet"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho prepared\n")
    program.chmod(0o755)
    return Prepared(
        name="r",
        identity="5e" * 32,
        binds=(Bind(tmp_path / "prepared", "/opt/environment"),),
        variables={
            "PATH": "/opt/environment/bin:/usr/local/bin:/usr/bin:/bin",
            "R_LIBS": "/opt/environment/R",
            "ANTHROPIC_BASE_URL": "http://192.0.2.1",
            "CLAUDE_CONFIG_DIR": "/opt/environment",
            "HTTPS_PROXY": "http://192.0.2.1",
        },
        hosts=("cran.example", "inside.example"),
    )


async def test_exactly_the_allowed_hosts_are_reached_from_a_session(scene, prepared):
    """No host of the worker's, no metadata service, no address, no other port."""
    with socket.create_server(("127.0.0.1", 0)) as service:
        service.setblocking(False)
        port = service.getsockname()[1]
        ran = await scene.run(prepared, NETWORK, str(port))
        with pytest.raises(BlockingIOError):
            service.accept()
    seen = json.loads(ran.output(SEEN))
    assert set(seen["direct"].values()) == {"refused"}
    reached = {target for target, (status, _) in seen["through"].items() if status == 200}
    assert reached == {"cran.example:443"}
    assert seen["through"]["cran.example:443"] == [200, True]
    assert seen["listening"] == [8999]
    assert scene.net.dialled == [(PUBLIC, 443)]
    refused = {refusal.rpartition(": ")[0] for refusal in ran.result.refused_hosts}
    assert refused == set(seen["through"]) - reached


async def test_nothing_of_the_worker_and_no_other_session_is_in_reach(
    scene, prepared, tmp_path, monkeypatch
):
    """Environments, command lines, open files and the whole tree, while another session runs."""
    secrets = set_up_worker(tmp_path, monkeypatch)
    stall = Stall(gate=Gate())
    scene.api.script(Reply(calls=(look("print('OTHER-' + 'SESSION')"),)), stall)
    other = asyncio.create_task(scene.play(prepared, Arm.WITH_SKILL))
    try:
        async with asyncio.timeout(30):
            await stall.gate.reached.wait()  # it has worked, and is alive while this one looks
        ran = await scene.run(prepared, LOOK_AROUND)
    finally:
        other.cancel()
        with suppress(asyncio.CancelledError):
            await other
    seen = ran.output(SEEN)
    assert ran.result.end is SessionEnd.COMPLETED
    assert "===== /proc/1/environ" in seen
    assert "===== /opt/environment/bin/greet" in seen
    for secret in (*secrets, "OTHER-SESSION", "people lose track", "with_skill"):
        assert secret not in seen
    program = str(real_cli().binary)
    assert str(Path(__file__).parents[3]) not in seen.replace(program, "")


async def test_what_is_prepared_is_there_and_what_is_the_launchers_stays_its_own(scene, prepared):
    script = "import os, subprocess; print(subprocess.getoutput('greet'), dict(os.environ))"
    for arm in SKILL_OR_NONE:
        ran = await scene.run(prepared, script, arm=arm)
        seen = ran.output(SEEN)
        assert seen.startswith("prepared ")
        assert "'R_LIBS': '/opt/environment/R'" in seen
        assert "'HTTPS_PROXY': 'http://127.0.0.1:8999'" in seen
        assert "cran.example, inside.example" in scene.api.requests[-1].system
        assert (ran.result.end, ran.result.refused_hosts) == (SessionEnd.COMPLETED, ())
        assert (ran.result.environment, ran.result.sandbox) == ("5e" * 32, "bubblewrap")
        assert ran.result.limits == a_session_spec(scene.folder / ran.bundle.parent).limits


async def test_the_plain_sandbox_has_no_way_out_and_says_so(scene):
    ran = await scene.run(PLAIN, "import os; print(*(n for n in os.environ if 'proxy' in n))")
    assert ran.output(SEEN).strip() == ""
    assert "there is no network" in scene.api.requests[-1].system
    assert "An exception" not in scene.api.requests[-1].system
    assert (ran.result.environment, ran.result.sandbox) == ("", "bubblewrap")


async def test_an_image_is_refused_where_there_are_no_images(scene, tmp_path):
    """Before a run, so nothing is charged; and by the session, should it come so far."""
    prepared = Prepared(name="r", image="sha256:" + "0" * 64)
    with pytest.raises(Refused, match="SKILLBENCH_SANDBOX=docker"):
        await scene.launcher.prove(prepared, tmp_path / "proof")
    ran = await scene.run(prepared, "")
    assert (ran.result.end, ran.result.scored) == (SessionEnd.ERROR, False)
    assert "SKILLBENCH_SANDBOX=docker" in ran.result.detail
    assert scene.api.requests == []


def test_the_image_below_an_environment_is_a_part_of_what_a_session_meets():
    """An operator who changes it between two sessions of a run has changed their world."""
    plain, prepared = Prepared(), Prepared(identity="sha256:5e5e")
    assert plain.identity_in("") == ""
    assert plain.identity_in("sha256:aaaa") == "sha256:aaaa"
    assert prepared.identity_in("") == prepared.identity_in("sha256:5e5e") == "sha256:5e5e"
    assert len({prepared.identity_in(image) for image in ("", "sha256:aaaa", "sha256:bbbb")}) == 3


async def test_an_environment_that_fits_is_proven_without_a_model(scene, prepared, tmp_path):
    await scene.launcher.prove(prepared, tmp_path / "proof")
    assert scene.api.requests == []
    assert list((tmp_path / "proof").iterdir()) == []
