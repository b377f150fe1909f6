"""Setup scripts in real bubblewrap: what they can leave, and what they cannot do."""

import asyncio
import os
import stat
from pathlib import Path

import pytest

from config.settings import Settings
from jobs.environments.environments import SandboxEnvironments
from jobs.environments.setup import last_lines
from jobs.errors import Refused
from jobs.planning.environment import plan_environment
from jobs.proxy.connect import HostGate
from jobs.sessions.box import BoxLimits
from jobs.sessions.bubblewrap import BubblewrapMaker
from tests.builders import an_eval_case
from tests.jobs.content.trees import write_tree
from tests.jobs.environments.making import an_environment, kept, make_environments, run_prepared
from tests.jobs.proxy.net import take_any_greeting

GREETER = """
printf '#!/bin/sh\\necho "hello from $0"\\n' > /opt/environment/bin/greet
chmod +x /opt/environment/bin/greet
mkdir "$PYTHONPATH/greeting" && echo 'WORD = "hello"' > "$PYTHONPATH/greeting/__init__.py"
"""


@pytest.fixture
def environments(tmp_path: Path) -> SandboxEnvironments:
    return make_environments(tmp_path)


async def refusal(environments: SandboxEnvironments, setup: str) -> str:
    """Why a script is refused; it must leave nothing."""
    with pytest.raises(Refused) as refused:
        await environments.prepare(an_environment(setup))
    assert kept(environments) == []
    return str(refused.value)


async def test_what_a_script_installs_is_found_by_sessions(environments):
    """A command by its name, a module by PYTHONPATH, both at the place they were made for."""
    prepared = await environments.prepare(an_environment(GREETER))
    said = await run_prepared(
        environments, prepared, 'greet; python3 -c "import greeting; print(greeting.WORD)"'
    )
    assert said.output == b"hello from /opt/environment/bin/greet\nhello\n"


async def test_sessions_cannot_write_in_what_was_prepared(environments):
    """Else one arm could change what the other meets."""
    prepared = await environments.prepare(an_environment(GREETER))
    said = await run_prepared(environments, prepared, "echo x > /opt/environment/bin/greet")
    assert said.exit_code
    assert b"Read-only file system" in said.output


async def test_a_script_that_names_its_interpreter_is_run_by_it(environments):
    script = "#!/usr/bin/python3\nopen('/opt/environment/bin/x', 'w').write('made by Python')\n"
    prepared = await environments.prepare(an_environment(script))
    assert (prepared.binds[0].source / "bin" / "x").read_text() == "made by Python"


@pytest.mark.parametrize("first", ["", "#!/bin/sh -e\n", "#!/usr/bin/env sh\n"])
async def test_a_script_with_line_ends_of_windows_works_like_any_other(
    environments, tmp_path, first
):
    """As it lies in a repository, with and without an interpreter of its own."""
    script = f"{first}if true; then\n  cd /opt/environment\nfi\necho made > bin/x\n"
    defined = "environment: made\nenvironments: {made: {setup: setup.sh}}\n"
    found = []
    for name, content in (("lf", script), ("crlf", script.replace("\n", "\r\n"))):
        files = {".github/skillbench.yml": defined, "setup.sh": content.encode()}
        snapshot = write_tree(tmp_path / name, files)
        found.append(plan_environment(None, an_eval_case(), snapshot, Settings(_env_file=None)))
    assert found[0] == found[1]
    prepared = await environments.prepare(found[1])
    made = prepared.binds[0].source / "bin"
    assert [path.name for path in made.iterdir()] == ["x"]
    assert (made / "x").read_text() == "made\n"


async def test_a_script_that_makes_too_large_a_file_is_told_the_limit(tmp_path):
    small = BoxLimits(memory_bytes=0, processes=64, file_bytes=1024**2)
    environments = make_environments(
        tmp_path, maker=BubblewrapMaker(limits=small, use_memory_group=False)
    )
    script = "cd /opt/environment\necho first\nhead -c 3000000 /dev/zero > large\n"
    said = await refusal(environments, script)
    assert "ended with exit code 153: it reached the limit on the size of a file" in said
    assert "- `first`" in said


async def test_a_script_that_fails_half_way_leaves_nothing_and_may_be_asked_again(environments):
    """Without an interpreter of its own it ends at the first command that fails."""
    script = "echo first step\necho made > /opt/environment/made\nfalse\necho never said\n"
    for _ in range(2):
        said = await refusal(environments, script)
        assert "setup script of the environment `r-check` ended with exit code 1" in said
        assert "- `first step`" in said
        assert "never said" not in said


async def test_a_script_that_hangs_is_ended_with_all_it_has_started(tmp_path):
    environments = make_environments(tmp_path, timeout_s=1.0)
    said = await refusal(environments, "echo waiting\nsleep 1000 &\nsleep 1000")
    assert "did not end within 1 seconds" in said
    assert "- `waiting`" in said


async def test_a_script_that_floods_its_output_is_stopped(environments):
    assert "of output" in await refusal(environments, "yes flood")


async def test_a_script_that_fills_the_disk_is_stopped(environments):
    """What it writes in the shown folder counts like everything else."""
    said = await refusal(
        environments, "head -c 30000000 /dev/zero > /opt/environment/full; sleep 1000"
    )
    assert "filled more of the disk" in said


async def test_set_user_id_bits_do_not_outlive_the_setup(environments):
    script = """
cp /bin/true /opt/environment/bin/root
chmod 6755 /opt/environment/bin/root; chmod 1777 /opt/environment/bin
mkdir /opt/environment/closed; chmod 0 /opt/environment/closed
"""
    prepared = await environments.prepare(an_environment(script))
    binaries = prepared.binds[0].source / "bin"
    assert stat.S_IMODE((binaries / "root").stat().st_mode) == 0o755
    assert stat.S_IMODE(binaries.stat().st_mode) == 0o777


async def test_nothing_of_the_host_can_be_written_or_read(environments, tmp_path):
    """Not the worker's data, not what the machine's users own, not the sandbox's own frame."""
    (tmp_path / "secret").write_text("host secret")
    script = f"""
for place in / /opt /usr/bin /etc /run; do
  touch $place/written 2>/dev/null && echo "wrote $place"
done
cat {tmp_path}/secret /etc/shadow /root/.bashrc 2>/dev/null && echo "read the host"
[ -e {tmp_path} ] && echo "saw the data folder"
env | grep -i -E 'key|token|secret' && echo "saw a secret"
false
"""
    said = await refusal(environments, script)
    assert "It wrote nothing." in said
    assert not Path("/opt/written").exists()


async def test_a_link_in_the_place_of_the_folder_is_refused(environments):
    """It would show every session what it points to on the host."""
    script = "cd /box; mv environment moved; ln -s / environment"
    assert "moved the folder" in await refusal(environments, script)


async def test_links_are_kept_and_lead_nowhere_outside(environments):
    script = "ln -s /root /opt/environment/root; ln -s /etc/shadow /opt/environment/shadow"
    prepared = await environments.prepare(an_environment(script))
    assert (prepared.binds[0].source / "shadow").is_symlink()
    said = await run_prepared(environments, prepared, "cat /opt/environment/shadow")
    assert said.exit_code


async def test_nothing_stays_through_which_two_sessions_could_talk(environments):
    """A pipe can be written to even where its folder cannot."""
    script = "mkfifo /opt/environment/pipe; echo kept > /opt/environment/file"
    prepared = await environments.prepare(an_environment(script))
    names = sorted(path.name for path in prepared.binds[0].source.iterdir())
    assert names == ["R", "bin", "file", "python"]


async def test_a_tree_without_end_is_refused(environments):
    """To look through it would hold a descriptor of the worker's for each level."""
    script = """#!/usr/bin/python3
import os
os.chdir("/opt/environment")
for _ in range(300):
    os.mkdir("deeper")
    os.chdir("deeper")
"""
    said = await refusal(environments, script)
    assert "left folders nested more than 60 deep" in said


async def test_a_script_reaches_no_network_where_no_host_is_named(environments):
    """A shell that can connect would say so."""
    said = await refusal(environments, "cat /proc/net/dev | tail -n +3; false")
    assert "lo:" in said
    assert "eth" not in said


CONNECT = """#!/usr/bin/python3
import os, socket, sys
host, port = os.environ["https_proxy"].removeprefix("http://").split(":")
for name in ("cran.example", "evil.example"):
    with socket.create_connection((host, int(port))) as tunnel:
        tunnel.sendall(f"CONNECT {name}:443 HTTP/1.1\\r\\nHost: {name}\\r\\n\\r\\n".encode())
        said = b""
        while chunk := tunnel.recv(1000):
            said += chunk
    print(name, said.split()[1].decode(), b"package" in said)
sys.exit(1)
"""


async def test_a_script_reaches_the_hosts_that_are_named_and_hears_which_were_not(tmp_path):
    """Those of the environment, by name; what was asked for in vain is told."""

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"a package")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]

    async def resolve(_: str) -> list[str]:
        return ["93.184.216.34"]

    async def dial(_host: str, _port: int):
        return await asyncio.open_connection("127.0.0.1", port)

    async with server:
        environments = make_environments(
            tmp_path,
            make_gate=lambda hosts: HostGate(
                hosts, resolve=resolve, dial=dial, read_greeting=take_any_greeting
            ),
        )
        with pytest.raises(Refused) as refused:
            await environments.prepare(an_environment(CONNECT, hosts=("cran.example",)))
    said = str(refused.value)
    assert "- `cran.example 200 True`" in said
    assert "- `evil.example 403 False`" in said
    assert "- evil.example:443: the environment does not allow this host" in said


def test_last_words_are_the_last_lines_without_colours_and_back_ticks():
    output = b"\x1b[31mred\x1b[0m `tick`\r\n\n" + b"\n".join(b"line %d" % n for n in range(30))
    lines = last_lines(output)
    assert len(lines) == 15
    assert lines[-1] == "line 29"
    assert last_lines(b"\x1b[31mred\x1b[0m `tick`\n\xff\n") == ["red 'tick'", "\ufffd"]
    assert last_lines(b"") == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can hand folders over")
async def test_a_worker_that_is_root_leaves_nothing_of_root_in_the_folder(environments):
    """The script ran as nobody, and what it made stays nobody's."""
    prepared = await environments.prepare(an_environment(GREETER))
    assert (prepared.binds[0].source / "bin" / "greet").stat().st_uid == 65534


async def test_files_that_are_nothing_but_holes_are_refused_before_they_are_read(environments):
    """They take no room on the disk, and days to look through."""
    script = """
for number in 1 2 3 4 5 6 7 8 9 10; do
  truncate -s 900M "/opt/environment/$number"
done
"""
    said = await refusal(environments, script)
    assert "left files of more than 8 GB, which is more than can be kept" in said
