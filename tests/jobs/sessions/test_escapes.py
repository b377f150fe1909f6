"""Ways out of the default sandbox that were thought of, each tried by a real command.

One test per way. They must hold for a worker that is root as for one that is not.
"""

import asyncio
import contextlib
import os
import signal
import socket
import sys
from pathlib import Path

import pytest

from jobs.sandbox import CommandResult, Sandbox
from jobs.sessions.ownership import UNPRIVILEGED
from jobs.sessions.workspace import Workspace
from tests.jobs.sessions.watching import Doorbell, Sleeper


async def sh(box: Sandbox, script: str, *, timeout_s: float = 20) -> CommandResult:
    return await box.run(["sh", "-c", script], timeout_s=timeout_s)


async def python(box: Sandbox, script: str) -> CommandResult:
    return await box.run(["python3", "-c", script], timeout_s=20)


async def test_files_of_the_host_are_not_there(box, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("host only")
    places = ("/root", "/home/*", "/etc/shadow", "/etc/hostname", "/var", "/mnt", "/sys", "/opt")
    result = await sh(box, f"cat '{secret}'; ls -d {' '.join(places)}; ls -A /tmp")
    assert b"host only" not in result.output
    seen = [line for line in result.output.decode().splitlines() if line.startswith("/")]
    assert seen == ["/home/agent"]


async def test_only_the_work_folder_and_its_private_folders_can_be_written(box):
    places = "/x /usr/x /usr/bin/x /etc/x /dev/x /run/x /home/x /proc/sys/kernel/core_pattern"
    script = f'for p in {places}; do (echo y > "$p") 2>/dev/null && echo "wrote $p"; done'
    assert (await sh(box, script)).output == b""
    assert (await sh(box, "echo y > /box/x && echo y > /tmp/x && echo y > ~/x")).exit_code == 0


async def test_the_workers_environment_is_nowhere(box, monkeypatch):
    """The first process of the sandbox would show it, had it inherited one."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-very-secret")
    result = await sh(box, "env; cat /proc/*/environ | tr '\\0' '\\n'")
    assert b"sk-very-secret" not in result.output
    names = {line.split("=")[0] for line in result.output.decode().splitlines()}
    assert names <= {"PATH", "HOME", "USER", "TMPDIR", "LANG", "PWD", "OLDPWD", "_", "SHLVL"}


async def test_command_lines_hold_no_path_of_the_host(box, workspace):
    result = await sh(box, "cat /proc/*/cmdline | tr '\\0' ' '")
    assert b"bwrap" in result.output
    assert str(workspace.root.parent).encode() not in result.output


async def test_services_of_the_host_cannot_be_reached(box):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        port = server.getsockname()[1]
        result = await python(
            box, f"import socket; socket.create_connection(('127.0.0.1', {port}), 5)"
        )
        assert b"ConnectionRefusedError" in result.output
        with pytest.raises(BlockingIOError):
            server.accept()


async def test_abstract_sockets_of_the_host_cannot_be_reached(box):
    """They belong to the network, not to any folder."""
    with socket.socket(socket.AF_UNIX) as server:
        name = f"skillbench-test-{os.getpid()}"
        server.bind(f"\0{name}")
        server.listen()
        result = await python(
            box, f"import socket; socket.socket(socket.AF_UNIX).connect('\\0{name}')"
        )
        assert b"ConnectionRefusedError" in result.output


async def test_there_is_no_way_to_other_machines(box):
    script = (
        "import socket\n"
        "for ask in (lambda: socket.getaddrinfo('example.org', 80),\n"
        "            lambda: socket.create_connection(('192.0.2.1', 80), 5)):\n"
        "    try: ask()\n"
        "    except OSError as error: print('refused', error)\n"
        "print(sorted(name for _, name in socket.if_nameindex()))\n"
    )
    result = await python(box, script)
    assert result.output.count(b"refused") == 2
    assert result.output.endswith(b"['lo']\n")


async def test_other_processes_of_the_host_are_not_seen_nor_signalled(box):
    sleeper = Sleeper()
    victim = await asyncio.create_subprocess_exec("sleep", sleeper.seconds)
    try:
        result = await sh(box, f"ls /proc; kill -9 {victim.pid}; kill -9 -1; echo $?")
        numbers = [word for word in result.output.decode().split() if word.isdigit()]
        assert len(numbers) < 12
        assert victim.returncode is None
        assert sleeper.pids() == [victim.pid]
    finally:
        victim.kill()
        await victim.wait()


async def test_the_first_process_has_nothing_that_the_command_lacks(box):
    """It belongs to the same user, so a command may trace it; there must be no point in it."""
    script = (
        "grep -E '^(Cap(Inh|Prm|Eff)|NSpid)' /proc/1/status; ls /proc/1/root/; "
        "readlink /proc/1/ns/user /proc/1/ns/mnt; readlink /proc/self/ns/user /proc/self/ns/mnt"
    )
    lines = (await sh(box, script)).output.decode().splitlines()
    assert [line.split()[1] for line in lines[:4]] == ["1", *["0" * 16] * 3]
    assert "root" not in lines
    assert lines[-4:-2] == lines[-2:]


async def test_a_stopped_first_process_does_not_outlive_the_time_limit(box):
    sleeper = Sleeper()
    script = (
        "import ctypes, os\n"
        "ctypes.CDLL(None).ptrace(16, 1, 0, 0)\n"
        f"os.execvp('sleep', ['sleep', '{sleeper.seconds}'])\n"
    )
    result = await box.run(["python3", "-c", script], timeout_s=0.5)
    assert result.timed_out
    assert sleeper.pids() == []


async def test_a_command_that_kills_its_process_group_ends_only_itself(box):
    """Above it, unseen, is the group of what builds and holds the box."""
    result = await sh(box, "ps -o sid= -p $$; kill -9 0")
    assert (result.exit_code, result.killed_for) == (137, "")
    assert int(result.output) > 1  # a session of its own, not one from outside, which shows as 0
    assert (await sh(box, "echo next")).output == b"next\n"


async def test_programs_gain_no_rights_by_setuid(box):
    script = (
        "cp /usr/bin/id ./mine; chmod 4755 ./mine; ./mine -u; grep NoNewPrivs /proc/self/status"
    )
    result = await sh(box, script)
    assert result.output.split() == [b"1000", b"NoNewPrivs:", b"1"]


async def test_there_are_no_capabilities(box):
    result = await sh(box, "grep -E '^Cap(Inh|Prm|Eff|Bnd|Amb)' /proc/self/status")
    assert len(result.output.splitlines()) == 5
    assert {line.split()[1] for line in result.output.splitlines()} == {b"0" * 16}


@pytest.mark.parametrize("kind", ["-U", "-Ur", "-n", "-m", "-p"])
async def test_no_new_namespaces_can_be_made(box, kind):
    result = await sh(box, f"unshare {kind} echo inside")
    assert result.exit_code != 0
    assert b"inside" not in result.output.splitlines()


@pytest.mark.parametrize(
    "change",
    [
        "mount -t tmpfs none /box",
        "mount -o remount,rw /usr",
        "mount -o remount,rw /",
        "umount /box",
        "umount /proc/sys",
        "mknod /box/disk b 254 0",
        "hostname other",
        "chroot / true",
        "chown 0 /box/input",
    ],
)
async def test_what_needs_rights_is_refused(box, change):
    assert (await sh(box, change)).exit_code != 0


async def test_memory_file_systems_are_small_or_read_only(box):
    """They would hold memory that belongs to no process and is never counted."""
    script = (
        "head -c 4000000 /dev/zero > /dev/shm/a; "
        "i=0; while [ $i -lt 30 ]; do i=$((i+1)); head -c 4000000 /dev/zero > /dev/shm/$i; done; "
        "du -sm /dev/shm | cut -f1; awk '$3 == \"tmpfs\" && $4 ~ /^rw/ {print $2}' /proc/mounts"
    )
    lines = (await sh(box, script)).output.decode().splitlines()
    assert int(lines[-2]) <= 64
    assert lines[-1] == "/dev/shm"


async def test_the_process_limit_counts_threads_and_cannot_be_raised(box):
    script = (
        "import resource, threading, time\n"
        "try: resource.setrlimit(resource.RLIMIT_NPROC, (9999, 9999))\n"
        "except (ValueError, OSError): print('refused')\n"
        "count = 0\n"
        "try:\n"
        "    for count in range(500):\n"
        "        threading.Thread(target=time.sleep, args=(30,), daemon=True).start()\n"
        "except RuntimeError: pass\n"
        "print(count, flush=True)\n"
        "import os; os._exit(0)\n"
    )
    result = await python(box, script)
    words = result.output.split()
    assert words[:1] == [b"refused"]
    # either the kernel refused the 65th, or the watch ended it all before that was told
    assert result.killed_for == "processes" or int(words[1]) < 64


async def test_no_descriptor_of_the_worker_is_inherited(box, workspace):
    with (workspace.root / "open").open("wb") as held:
        os.set_inheritable(held.fileno(), True)
        result = await sh(box, "ls -l /proc/self/fd /proc/1/fd 2>/dev/null")
    assert str(workspace.root).encode() not in result.output
    own = result.output.decode().split("/proc/self/fd:")[1].split("/proc/1/fd:")[0]
    assert own.count("->") <= 4  # the three standard ones, and the folder that ls reads


async def test_the_agent_has_a_made_up_name_and_no_real_user(box):
    result = await sh(box, "id; whoami; hostname; cat /etc/passwd | wc -l")
    assert result.output.decode().splitlines() == [
        "uid=1000(agent) gid=1000(agent) groups=1000(agent)",
        "agent",
        "sandbox",
        "2",
    ]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
async def test_root_becomes_nobody_on_the_host(box, workspace):
    sleeper, bell = Sleeper(), Doorbell(workspace.work)
    task = asyncio.create_task(sh(box, f"echo > /box/bell; {sleeper.command}"))
    await bell.rung()
    async with asyncio.timeout(10):
        while not sleeper.pids():  # the bell rings just before
            await asyncio.sleep(0)
    status = Path(f"/proc/{sleeper.pids()[0]}").stat()
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert (status.st_uid, status.st_gid) == (UNPRIVILEGED, UNPRIVILEGED)


async def test_the_system_journal_and_keys_are_out_of_reach(box):
    result = await sh(box, "dmesg; cat /proc/kcore | head -c 10; cat /proc/keys /dev/kmsg /dev/mem")
    assert result.exit_code != 0
    assert b"Linux version" not in result.output


async def test_kill_9_of_the_worker_leaves_nothing(workspace: Workspace):
    sleeper, bell = Sleeper(), Doorbell(workspace.work)
    worker = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from jobs.sessions.bubblewrap import BubblewrapMaker\n"
        "async def main(work, script):\n"
        "    maker = BubblewrapMaker(use_memory_group=False)\n"
        "    async with maker.open(Path(work), memory_mb=100) as box:\n"
        "        await box.run(['sh', '-c', script], timeout_s=60)\n"
        "asyncio.run(main(*sys.argv[1:]))\n"
    )
    script = f"setsid {sleeper.command} & echo > /box/bell; {sleeper.command}"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", worker, str(workspace.work), script),
        cwd=Path(__file__).parents[3],
    )
    try:
        await bell.rung()
    finally:
        process.send_signal(signal.SIGKILL)
        await process.wait()
    await sleeper.gone()
    assert sleeper.pids() == []


async def test_links_made_in_the_sandbox_do_not_lead_the_removal_outside(box, workspace, tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("stays")
    await sh(box, f"ln -s '{kept}' output/link; ln -s / root; mkdir -p a/b; chmod 000 a")
    await workspace.remove()
    assert not workspace.root.exists()
    assert (kept / "file").read_text() == "stays"
