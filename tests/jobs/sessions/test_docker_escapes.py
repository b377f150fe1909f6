"""Ways out of a container that were thought of, each tried by a real command.

With nothing but busybox inside, so that the same holds for every image.
"""

import asyncio
import os
import socket
from collections.abc import AsyncIterator

import pytest

from jobs.sandbox import CommandResult, Sandbox
from jobs.sessions.docker import DockerMaker
from tests.jobs.sessions.conftest import MEMORY_MB
from tests.jobs.sessions.watching import Sleeper


@pytest.fixture
async def box(docker_maker: DockerMaker, workspace) -> AsyncIterator[Sandbox]:
    async with docker_maker.open(workspace.work, memory_mb=MEMORY_MB) as sandbox:
        yield sandbox


async def sh(box: Sandbox, script: str) -> CommandResult:
    return await box.run(["sh", "-c", script], timeout_s=20)


async def test_files_of_the_host_are_not_there(box, tmp_path, engine):
    secret = tmp_path / "secret.txt"
    secret.write_text("host only")
    own_socket = engine.host.removeprefix("unix://")
    places = f"/root /mnt /opt /var/run/docker.sock /run/docker.sock {own_socket} /work"
    result = await sh(
        box, f"cat '{secret}'; ls -d {places} 2>/dev/null; find / -type s 2>/dev/null"
    )
    assert b"host only" not in result.output
    assert [line for line in result.output.decode().splitlines() if line.startswith("/")] == []


async def test_only_the_sessions_folders_can_be_written_on_disk(box):
    """A file system in memory that an engine adds counts against the memory limit."""
    places = "/x /bin/x /etc/x /etc/passwd /dev/x /home/x /sys/x /proc/sys/kernel/core_pattern"
    script = f'for p in {places}; do (echo y >>"$p") 2>/dev/null && echo "wrote $p"; done'
    assert (await sh(box, script)).output == b""
    assert (await sh(box, "echo y > /box/x && echo y > /tmp/x && echo y > ~/x")).exit_code == 0


async def test_the_workers_environment_is_nowhere(box, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-very-secret")
    result = await sh(box, "cat /proc/*/environ | tr '\\0' '\\n'")
    names = {line.split("=")[0] for line in result.output.decode().splitlines()}
    ours = {"PATH", "HOME", "USER", "TMPDIR", "LANG", "PWD", "SHLVL"}
    engines = {"HOSTNAME", "container", "TERM"}
    assert names <= ours | engines
    assert b"sk-very-secret" not in result.output


async def test_there_is_no_network_and_no_name_server(box):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        port = server.getsockname()[1]
        script = (
            f"nc -w 2 127.0.0.1 {port} </dev/null && echo reached; "
            "nc -w 2 192.0.2.1 80 </dev/null && echo reached; "
            "cat /etc/resolv.conf; tail -n +3 /proc/net/dev | cut -d: -f1"
        )
        result = await sh(box, script)
        with pytest.raises(BlockingIOError):
            server.accept()
    lines = [line for line in result.output.decode().splitlines() if not line.startswith("nc:")]
    assert [line.strip() for line in lines] == ["lo"]


async def test_there_are_no_capabilities_and_none_can_be_gained(box):
    script = "cat /proc/self/status /proc/1/status | grep -E '^(Cap|NoNew)'"
    lines = (await sh(box, script)).output.decode().split("\n")
    assert {line.split()[1] for line in lines if line.startswith("Cap")} == {"0" * 16}
    assert lines.count("NoNewPrivs:\t1") == 2


async def test_programs_gain_no_rights_by_setuid(box):
    script = "cp /bin/busybox ./id; chmod 4755 ./id; ./id -u; id -u"
    first, second = (await sh(box, script)).output.split()
    assert first == second != b"0"


async def test_what_needs_rights_is_refused(box):
    changes = (
        "mount -t tmpfs none /box",
        "mount -o remount,rw /",
        "umount /box",
        "umount /proc/sys",
        "mknod /box/disk b 254 0",
        "hostname other",
        "chroot / true",
        "chown 0 /box/input",
        "unshare -n true",
        "unshare -m true",
        "dmesg | grep Linux",
        "head -c 10 /proc/kcore | grep .",
        "cat /proc/keys | grep .",
    )
    script = "\n".join(f"({change}) >/dev/null 2>&1 && echo '{change}'" for change in changes)
    assert (await sh(box, script)).output == b""


async def test_new_user_namespaces_are_the_engines_to_refuse(box, engine):
    """Where they can be made, nothing of the host is to be had by them."""
    made = await sh(box, "unshare -U true")
    assert (made.exit_code != 0) == engine.refuses_user_namespaces
    inside = "mount -o remount,rw /; echo y >/x; umount /etc/passwd; echo y >/etc/x"
    result = await sh(box, f"unshare -Urm sh -c '{inside}'; ls /x; ls /etc/x; wc -l </etc/passwd")
    assert result.output.split()[-1] == b"2"
    assert result.output.count(b"No such file") == 2


async def test_other_processes_of_the_host_are_not_seen_nor_signalled(box):
    sleeper = Sleeper()
    victim = await asyncio.create_subprocess_exec("sleep", sleeper.seconds)
    try:
        result = await sh(box, f"ls /proc; kill -9 {victim.pid}")
        numbers = [word for word in result.output.decode().split() if word.isdigit()]
        assert len(numbers) < 12
        assert sleeper.pids() == [victim.pid]
    finally:
        victim.kill()
        await victim.wait()


async def test_the_first_process_is_not_to_be_killed_from_inside(box):
    """With it the whole container would end, and somebody's next command with it."""
    result = await sh(box, "kill -9 1; echo alive; kill -9 -1; echo unheard")
    assert b"alive" in result.output
    assert (await sh(box, "echo next")).output == b"next\n"


async def test_shared_memory_is_small(box):
    fill = "for i in $(seq 20); do head -c 4000000 /dev/zero >/dev/shm/$i; done"
    result = await sh(box, f"{fill} 2>/dev/null; du -sm /dev/shm")
    assert 40 < int(result.output.split()[0]) <= 64


async def test_the_agent_is_a_made_up_user_without_groups(box):
    result = await sh(box, "whoami; id -G; hostname; id -u; ls -ln /box | awk 'NR > 1 {print $3}'")
    name, groups, host, uid, *owners = result.output.decode().split()
    assert (name, host) == ("agent", "sandbox")
    assert groups == uid != "0"
    assert set(owners) == {uid}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs sessions as somebody else")
async def test_roots_files_cannot_be_read_even_where_they_are_shown(box, workspace):
    held = workspace.work / "held"
    held.write_text("root's own")
    held.chmod(0o600)
    assert b"root's own" not in (await sh(box, "cat held")).output


async def test_links_made_in_a_container_do_not_lead_the_removal_outside(box, workspace, tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("stays")
    await sh(box, f"ln -s '{kept}' output/link; ln -s / root; mkdir -p a/b; chmod 000 a")
    await workspace.remove()
    assert not workspace.root.exists()
    assert (kept / "file").read_text() == "stays"
