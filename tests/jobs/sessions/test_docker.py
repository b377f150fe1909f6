"""The docker sandbox beyond the common contract: what it needs, says and leaves."""

import asyncio
import re
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiodocker import Docker, DockerError

from config.settings import Settings
from jobs.errors import Refused, Transient
from jobs.sessions.box import Bind
from jobs.sessions.docker import DockerMaker
from jobs.sessions.docker_engine import check_engine, explain_silence
from jobs.sessions.program import Program
from jobs.sessions.workspace import Workspace
from tests.jobs.sessions.conftest import MEMORY_MB
from tests.jobs.sessions.podman import IMAGE, Engine, serve_podman, unpack_busybox
from tests.jobs.sessions.watching import Doorbell, Sleeper


@pytest.fixture
def maker(docker_maker: DockerMaker) -> DockerMaker:
    return docker_maker


@pytest.fixture
async def docker(engine: Engine) -> AsyncIterator[Docker]:
    async with Docker(url=engine.host) as docker:
        yield docker


async def ours(docker: Docker) -> list[str]:
    found = await docker.containers.list(all="true", filters='{"label":["skillbench.worker"]}')
    return [container.id for container in found]


def test_the_settings_name_an_engine_and_an_image_of_their_own(monkeypatch):
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    assert Settings(_env_file=None).docker_host == "unix:///var/run/docker.sock"
    monkeypatch.setenv("DOCKER_HOST", "tcp://engine:2376")
    monkeypatch.setenv("SKILLBENCH_DOCKER_IMAGE", "r-base:4")
    settings = Settings(_env_file=None)
    assert (settings.docker_host, settings.docker_image) == ("tcp://engine:2376", "r-base:4")


async def test_an_engine_that_is_not_there_is_named_with_what_to_do(tmp_path, workspace):
    maker = DockerMaker(image="any", host=f"unix://{tmp_path}/none.sock")
    problem = await maker.problem()
    assert problem is not None
    assert f"No Docker Engine answers at unix://{tmp_path}/none.sock" in problem
    assert "DOCKER_HOST" in problem
    with pytest.raises(Transient, match="No Docker Engine answers"):
        async with maker.open(workspace.work, memory_mb=100):
            pytest.fail("a sandbox was opened without an engine")
    assert [path.name for path in workspace.root.iterdir()] == ["work"]


@pytest.mark.parametrize("host", ["", "/var/run/docker.sock", "ssh://me@there", "unix:/x"])
async def test_an_address_that_is_none_is_refused(host):
    problem = await DockerMaker(image="any", host=host).problem()
    assert problem is not None
    assert f"DOCKER_HOST={host!r} cannot be used" in problem


@pytest.mark.parametrize("answer", [b"", b"no engine\r\n", b"HTTP/1.1 500 Oh\r\n\r\n"])
async def test_something_else_at_the_address_is_no_engine(tmp_path, answer):
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(answer)
        writer.close()
        await writer.wait_closed()

    path = tmp_path / "s"
    async with await asyncio.start_unix_server(serve, path):
        problem = await DockerMaker(image="any", host=f"unix://{path}").problem()
    assert problem is not None
    assert "No Docker Engine answers" in problem


def test_a_socket_that_may_not_be_used_is_explained_with_its_danger():
    said = explain_silence("unix:///s", DockerError(900, "Cannot connect [Permission denied]"))
    assert "rootless engine" in said
    assert "as mighty as root" in said


def test_an_engine_that_cannot_hold_limits_is_refused():
    with pytest.raises(Refused, match="cannot limit memory and processes"):
        check_engine({"MemoryLimit": False, "PidsLimit": False}, "unix:///s")
    with pytest.raises(Refused, match="no Linux containers"):
        check_engine({"OSType": "windows"}, "unix:///s")
    assert check_engine({"SecurityOptions": ["name=seccomp", "name=rootless"]}, "unix:///s")
    assert not check_engine({"MemoryLimit": True, "SecurityOptions": None}, "unix:///s")


async def test_an_image_that_cannot_be_had_is_refused_before_anything_is_made(engine, workspace):
    image = "127.0.0.1:1/nobody/nothing:1"
    maker = DockerMaker(image=image, host=engine.host)
    with pytest.raises(Refused, match=re.escape(f"The image {image} is not on the Docker Engine")):
        async with maker.open(workspace.work, memory_mb=100):
            pytest.fail("a sandbox was opened without its image")
    problem = await maker.problem()
    assert problem is not None
    assert "SKILLBENCH_DOCKER_IMAGE" in problem
    assert "The engine said:" in problem
    assert [path.name for path in workspace.root.iterdir()] == ["work"]


async def test_an_image_without_a_shell_is_refused(engine, docker, tmp_path):
    (tmp_path / "image").mkdir()
    (tmp_path / "image" / "file").write_text("nothing to run")
    engine.import_image(tmp_path / "image", "localhost/no-shell:latest")
    problem = await DockerMaker(image="localhost/no-shell:latest", host=engine.host).problem()
    assert problem is not None
    assert "/bin/sh" in problem
    assert await ours(docker) == []


async def test_what_an_image_prescribes_does_not_change_a_session(engine, tmp_path, workspace):
    engine.import_image(
        unpack_busybox(tmp_path),
        "localhost/prescribes:latest",
        'ENTRYPOINT ["/bin/false"]',
        "USER 0",
        "WORKDIR /data",
        "VOLUME /data",
        "ENV OWN=kept",
    )
    maker = DockerMaker(image="localhost/prescribes:latest", host=engine.host)
    script = "id -u; pwd; touch /data/x 2>/dev/null || echo refused; echo $OWN"
    async with maker.open(workspace.work, memory_mb=100) as sandbox:
        result = await sandbox.run(["sh", "-c", script], timeout_s=20)
    uid, *rest = result.output.decode().split()
    assert uid != "0"
    assert rest == ["/box", "refused", "kept"]


async def test_an_engine_that_sees_other_folders_is_refused(podman_engine, tmp_path, workspace):
    """It would give every session an empty folder, and every answer no points."""
    with serve_podman(hidden=tmp_path) as engine:
        maker = DockerMaker(image=IMAGE, host=engine.host)
        with pytest.raises(Transient, match="see the data folder under the same path"):
            async with maker.open(workspace.work, memory_mb=100):
                pytest.fail("a sandbox was opened over a folder that is not the session's")
    assert [path.name for path in workspace.root.iterdir()] == ["work"]


async def test_a_work_folder_that_has_gone_is_a_platform_failure(maker, workspace):
    async with maker.open(workspace.work, memory_mb=100) as sandbox:
        shutil.rmtree(workspace.work)
        with pytest.raises(Transient, match="work folder is gone"):
            await sandbox.run(["true"], timeout_s=10)


async def test_the_engines_own_socket_is_never_shown(maker, engine, workspace):
    socket = Path(engine.host.removeprefix("unix://"))
    with pytest.raises(ValueError, match="socket"):
        async with maker.open(workspace.work, memory_mb=100, binds=[Bind(socket, "/run/harmless")]):
            pytest.fail("a sandbox was opened that reaches the engine")


async def test_a_command_that_closes_its_output_is_waited_for(maker, workspace):
    async with maker.open(workspace.work, memory_mb=MEMORY_MB) as sandbox:
        result = await sandbox.run(
            ["sh", "-c", "exec >&- 2>&-; sleep 0.3; : > output/end; exit 3"], timeout_s=20
        )
    assert result.exit_code == 3
    assert (workspace.output / "end").exists()


async def test_no_container_is_left_when_opening_is_cancelled(maker, workspace, docker):
    async def session() -> None:
        async with maker.open(workspace.work, memory_mb=100) as sandbox:
            await sandbox.run(["sleep", "60"], timeout_s=60)

    for wait_s in (0.01, 0.05, 0.1, 0.2, 0.3):
        task = asyncio.create_task(session())
        await asyncio.wait({task}, timeout=wait_s)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await ours(docker) == []
    assert [path.name for path in workspace.root.iterdir()] == ["work"]


async def test_what_a_killed_worker_left_is_removed_by_the_next(
    maker, engine, workspace, docker, tmp_path
):
    sleeper, bell = Sleeper(), Doorbell(workspace.work)
    worker = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from jobs.sessions.docker import DockerMaker\n"
        "async def main(host, image, work, script):\n"
        "    maker = DockerMaker(host=host, image=image)\n"
        "    async with maker.open(Path(work), memory_mb=100) as box:\n"
        "        await box.run(['sh', '-c', script], timeout_s=60)\n"
        "asyncio.run(main(*sys.argv[1:]))\n"
    )
    script = f"setsid {sleeper.command} & echo > /box/bell; {sleeper.command}"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", worker, engine.host, IMAGE, str(workspace.work), script),
        cwd=Path(__file__).parents[3],
    )
    await bell.rung()
    process.send_signal(signal.SIGKILL)
    await process.wait()
    (abandoned,) = await ours(docker)
    other = Workspace.make(tmp_path)
    async with maker.open(other.work, memory_mb=100):
        assert abandoned not in await ours(docker)
        assert sleeper.pids() == []


async def test_containers_of_others_are_not_touched(maker, engine, workspace, docker):
    config = {"Image": IMAGE, "Cmd": ["true"], "Labels": {"skillbench.worker": "unread"}}
    theirs = await docker.containers.create(config)
    try:
        async with maker.open(workspace.work, memory_mb=100):
            assert theirs.id in await ours(docker)
    finally:
        await theirs.delete(force=True)


async def test_a_program_is_heard_while_it_talks_and_its_errors_are_kept_apart(maker, workspace):
    bell = Doorbell(workspace.work)
    heard: list[bytes] = []
    came = asyncio.Event()

    def hear(chunk: bytes) -> None:
        heard.append(chunk)
        came.set()

    script = "echo first; echo warning >&2; echo > bell; cat; cat /opt/note; echo $MORE; exit 4"
    program = Program(argv=["sh", "-c", script], stdin=b"asked", on_output=hear, timeout_s=20)
    note = workspace.root / "note"
    note.write_text("shown")
    note.chmod(0o444)
    async with maker.open(
        workspace.work,
        memory_mb=MEMORY_MB,
        binds=[Bind(note, "/opt/note")],
        environment={"MORE": "more"},
    ) as sandbox:
        ending = asyncio.create_task(sandbox.run_program(program))
        await bell.rung()
        await asyncio.wait_for(came.wait(), 10)
        end = await ending
    assert b"".join(heard) == b"first\naskedshownmore\n"
    assert (end.exit_code, end.errors, end.timed_out, end.killed_for) == (
        4,
        b"warning\n",
        False,
        "",
    )


async def test_a_cancelled_program_leaves_nothing(maker, workspace, docker):
    sleeper, bell = Sleeper(), Doorbell(workspace.work)
    program = Program(
        argv=["sh", "-c", f"setsid {sleeper.command} & echo > bell; {sleeper.command}"],
        on_output=lambda _: None,
        timeout_s=60,
    )
    async with maker.open(workspace.work, memory_mb=MEMORY_MB) as sandbox:
        task = asyncio.create_task(sandbox.run_program(program))
        await bell.rung()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert sleeper.pids() == []
        assert await ours(docker) == []
