"""What a container is told to be, before any engine is asked."""

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from jobs.sessions.box import Bind, Box, BoxLimits
from jobs.sessions.docker_container import (
    ContainerCommand,
    ContainerSetup,
    Image,
    accounts,
    container_config,
)
from jobs.sessions.docker_leftovers import WorkerId, is_left_over

NOW_S = 1_800_000_000.0


def config_of(*argv: str, stdin: Path | None = None, volumes: tuple[str, ...] = (), **box):
    setup = ContainerSetup(
        image=Image(id="sha256:abc", volumes=volumes),
        box=Box(work=Path("/w"), home=Path("/h"), temporary=Path("/t"), **box),
        limits=BoxLimits(memory_bytes=100),
        user="1000:1000",
        worker="here 1 2",
    )
    command = ContainerCommand(argv=argv, timeout_s=5, stdin=stdin, merge_errors=True)
    return container_config(setup, command, now_s=NOW_S)


def test_nothing_is_mounted_but_the_sessions_folders_and_what_was_named():
    mounts = config_of("true", binds=[Bind(Path("/cli"), "/opt/cli")])["HostConfig"]["Mounts"]
    shown = [(mount["Source"], mount["Target"], mount["ReadOnly"]) for mount in mounts]
    assert shown == [
        ("/w", "/box", False),
        ("/h", "/home/agent", False),
        ("/t", "/tmp", False),
        ("/cli", "/opt/cli", True),
    ]


def test_a_volume_of_the_image_becomes_no_folder_of_the_host():
    mounts = config_of("true", volumes=("/data", "/tmp"))["HostConfig"]["Mounts"]
    assert mounts[3:] == [{"Type": "tmpfs", "Target": "/data", "ReadOnly": True}]


def test_the_worker_gives_none_of_its_own_variables(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-very-secret")
    config = config_of("true", environment={"MORE": "1", "LANG": "C"})
    assert "sk-very-secret" not in str(config)
    assert config["Env"] == ["HOME=/home/agent", "USER=agent", "TMPDIR=/tmp", "LANG=C", "MORE=1"]


@pytest.mark.parametrize(
    "argument", ["a\0b", "x" * 131_072, "\ud800"], ids=["NUL", "too long", "half a character"]
)
def test_what_no_process_can_be_given_is_refused_before_a_container_is_made(argument):
    with pytest.raises((OSError, ValueError)):
        config_of("echo", argument)


def test_many_arguments_are_too_long_together():
    config_of("echo", *["x" * 100_000] * 18)
    with pytest.raises(OSError, match="too long"):
        config_of("echo", *["x" * 100_000] * 20)


def entered(config: dict, *, limit: str) -> subprocess.CompletedProcess[bytes]:
    """The container's command as it is, run here, with another limit for its time."""
    *enter, _ = config["Entrypoint"]
    return subprocess.run([*enter, limit, *config["Cmd"]], capture_output=True, check=False)


def test_a_container_ends_by_itself_should_nobody_end_it():
    result = entered(config_of("sleep", "30"), limit="0.3")
    assert result.returncode in {137, -9}


def test_a_container_outlives_the_time_limit_of_its_command_a_little():
    config = config_of("true")
    assert int(config["Entrypoint"][-1]) > 5
    until = int(config["Labels"]["skillbench.until"])
    assert until > NOW_S + int(config["Entrypoint"][-1])


@pytest.mark.parametrize("uid", [0, 1000, 65534])
def test_accounts_name_the_user_once(uid):
    for content in accounts(uid, uid):
        ids = [line.split(":")[2] for line in content.decode().splitlines()]
        assert ids.count(str(uid)) == 1
        assert f"agent:x:{uid}" in content.decode()


def labels(worker: WorkerId | str, until_s: float) -> dict[str, str]:
    return {"skillbench.worker": str(worker), "skillbench.until": str(int(until_s))}


async def test_a_container_of_a_worker_that_is_dead_is_left_over():
    own = WorkerId.own()
    process = await asyncio.create_subprocess_exec("true")
    await process.wait()
    assert is_left_over(labels(WorkerId(own.place, process.pid, "1"), NOW_S + 9), now_s=NOW_S)


def test_a_container_of_a_living_worker_is_left_over_only_after_its_time():
    own = WorkerId.own()
    assert WorkerId.parse(str(own)) == own
    assert not is_left_over(labels(own, NOW_S + 9), now_s=NOW_S)
    assert is_left_over(labels(own, NOW_S - 9), now_s=NOW_S)


def test_a_process_that_got_the_id_of_a_dead_worker_is_not_taken_for_it():
    own = WorkerId.own()
    earlier = WorkerId(own.place, os.getpid(), "1")
    assert is_left_over(labels(earlier, NOW_S + 9), now_s=NOW_S)


def test_of_workers_elsewhere_only_the_time_is_believed():
    other = WorkerId("elsewhere/pid:[1]", 2**22 + 1, "1")
    assert not is_left_over(labels(other, NOW_S + 9), now_s=NOW_S)
    assert is_left_over(labels(other, NOW_S - 9), now_s=NOW_S)


@pytest.mark.parametrize(
    "strange",
    [
        {},
        {"skillbench.worker": "", "skillbench.until": "1"},
        {"skillbench.worker": "here 1 2"},
        {"skillbench.worker": "here x", "skillbench.until": "1"},
        {"skillbench.worker": "here 1 2", "skillbench.until": "-1"},
    ],
)
def test_containers_that_are_not_surely_ours_are_left_alone(strange):
    assert not is_left_over(strange, now_s=NOW_S)
