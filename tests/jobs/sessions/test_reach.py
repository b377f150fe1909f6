"""Hosts that an environment allows, asked for from inside a real sandbox."""

import contextlib

import pytest

from jobs.errors import Refused
from jobs.sandbox import SandboxMaker
from jobs.sessions.box import BoxLimits
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.sessions.docker import DockerMaker
from jobs.sessions.prepared import Prepared
from jobs.sessions.reach import NO_PYTHON, open_reaching
from jobs.sessions.unconfined import UnconfinedMaker
from jobs.sessions.workspace import Workspace
from tests.jobs.proxy.net import PUBLIC, Net
from tests.jobs.sessions.podman import IMAGE as BUSYBOX
from tests.jobs.sessions.python_image import IMAGE as PYTHON_IMAGE
from tests.jobs.sessions.python_image import import_python_image

ASK = r"""
import os, socket, sys
from urllib.parse import urlsplit

place = urlsplit(os.environ["https_proxy"])
for target in sys.argv[1:]:
    with socket.create_connection((place.hostname, place.port), 10) as tunnel:
        tunnel.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\nhello\n".encode())
        tunnel.shutdown(socket.SHUT_WR)
        answer = b""
        while chunk := tunnel.recv(1000):
            answer += chunk
    print(target, answer.split()[1].decode(), answer.split(b"\n")[-2].decode())
"""
CRAN = Prepared(name="r", hosts=("cran.example",))


@pytest.fixture
def net() -> Net:
    return Net({"cran.example": [PUBLIC], "other.example": [PUBLIC]})


@pytest.fixture
def boxes() -> SandboxMaker:
    return BubblewrapMaker(use_memory_group=False)


async def ask(sandbox, *targets: str) -> list[str]:
    result = await sandbox.run(["/usr/bin/python3", "-c", ASK, *targets], timeout_s=20)
    assert result.exit_code == 0, result.output
    return result.output.decode().splitlines()


async def test_exactly_the_named_hosts_are_reached(net: Net, boxes, workspace: Workspace):
    targets = ("cran.example:443", "other.example:443", "cran.example:80", f"{PUBLIC}:443")
    async with (
        net.echoing(),
        open_reaching(
            boxes, workspace.work, memory_mb=200, prepared=CRAN, make_gate=net.make_gate
        ) as sandbox,
    ):
        answers = await ask(sandbox, *targets)
        again = await ask(sandbox, "cran.example:443")
    assert [answer.split()[1] for answer in answers] == ["200", "403", "403", "403"]
    assert answers[0].endswith("HELLO")
    assert again == answers[:1]
    assert sandbox.refused_hosts == (
        "other.example:443: the environment does not allow this host",
        "cran.example:80: only port 443 is open",
        f"{PUBLIC}:443: the environment does not allow this host",
    )
    assert net.dialled == [(PUBLIC, 443)] * 2


async def test_commands_keep_their_input_output_and_exit_code(net: Net, boxes, workspace):
    async with open_reaching(
        boxes, workspace.work, memory_mb=200, prepared=CRAN, make_gate=net.make_gate
    ) as sandbox:
        result = await sandbox.run(
            ["sh", "-c", 'tr a-z A-Z; echo "$1" >&2; exit 7', "sh", "$(x) 'y'"],
            timeout_s=20,
            stdin=b"in\n",
        )
    assert (result.exit_code, result.output) == (7, b"IN\n$(x) 'y'\n")


async def test_what_is_prepared_is_there_with_and_without_hosts(boxes, workspace, tmp_path):
    """Variables of the environment come along, but the way out is not theirs to name."""
    for hosts in ((), ("cran.example",)):
        variables = {"R_LIBS": "/opt/r", "https_proxy": "http://192.0.2.1:1", "PATH": "/nowhere"}
        prepared = Prepared(variables=variables, hosts=hosts)
        async with open_reaching(
            boxes, workspace.work, memory_mb=200, prepared=prepared
        ) as sandbox:
            result = await sandbox.run(["/usr/bin/env"], timeout_s=20)
        seen = dict(line.split("=", 1) for line in result.output.decode().splitlines())
        assert (seen["R_LIBS"], seen["PATH"]) == ("/opt/r", "/nowhere")
        assert seen["https_proxy"] == ("http://127.0.0.1:8999" if hosts else "http://192.0.2.1:1")


async def test_without_hosts_nothing_is_started_and_nothing_listens(boxes, workspace):
    async with open_reaching(boxes, workspace.work, memory_mb=200) as sandbox:
        result = await sandbox.run(["sh", "-c", "ls /run; env; wc -l </proc/net/tcp"], timeout_s=20)
        assert [path.name for path in workspace.root.iterdir() if "reach" in path.name] == []
    assert b"proxy" not in result.output.lower()
    assert result.output.split()[-1] == b"1"
    assert sandbox.refused_hosts == ()


async def test_nothing_of_the_way_out_is_left_behind(net: Net, boxes, workspace: Workspace):
    before = set(workspace.root.iterdir())
    async with open_reaching(boxes, workspace.work, memory_mb=200, prepared=CRAN):
        assert set(workspace.root.iterdir()) != before
    assert set(workspace.root.iterdir()) == before


async def test_a_sandbox_without_python_is_refused_before_a_session(workspace, tmp_path):
    """As in an image of R that brings no Python."""

    class Bare:
        async def run(self, argv, **_):
            async with BubblewrapMaker(use_memory_group=False).open(
                workspace.work, memory_mb=200
            ) as sandbox:
                # a shell that finds nothing, however it is named
                script = argv[2].replace("/usr/", "/none/")
                return await sandbox.run(
                    [argv[0], argv[1], f"PATH=/none\n{script}", *argv[3:]], timeout_s=20
                )

    class BareMaker:
        def open(self, *_, **__):
            return contextlib.nullcontext(Bare())

    with pytest.raises(Refused, match=NO_PYTHON):
        async with open_reaching(BareMaker(), workspace.work, memory_mb=200, prepared=CRAN):
            pass


async def test_a_sandbox_with_the_whole_network_cannot_promise_some_hosts(workspace):
    with pytest.raises(Refused, match="SKILLBENCH_SANDBOX"):
        async with open_reaching(
            UnconfinedMaker(limits=BoxLimits(memory_bytes=0)),
            workspace.work,
            memory_mb=200,
            prepared=CRAN,
        ):
            pass


@pytest.mark.slow
async def test_a_container_reaches_exactly_the_named_hosts(net: Net, engine, workspace, tmp_path):
    import_python_image(engine, tmp_path)
    prepared = Prepared(name="r", image=PYTHON_IMAGE, hosts=("cran.example",))
    boxes = DockerMaker(image=BUSYBOX, host=engine.host)
    async with (
        net.echoing(),
        open_reaching(
            boxes, workspace.work, memory_mb=200, prepared=prepared, make_gate=net.make_gate
        ) as sandbox,
    ):
        answers = await ask(sandbox, "cran.example:443", "other.example:443")
    assert [answer.split()[1] for answer in answers] == ["200", "403"]
    assert len(sandbox.refused_hosts) == 1


@pytest.mark.slow
async def test_an_image_without_python_is_refused_where_hosts_are_named(engine, workspace):
    boxes = DockerMaker(image=BUSYBOX, host=engine.host)
    with pytest.raises(Refused, match=NO_PYTHON):
        async with open_reaching(boxes, workspace.work, memory_mb=200, prepared=CRAN):
            pass
