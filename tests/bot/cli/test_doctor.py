"""What `doctor` says, and which sandboxes the launcher of Claude Code is offered in."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.cli.doctor import (
    Unused,
    check_app,
    check_claude_code,
    check_redis,
    check_webhook_secret,
)
from bot.worlds import make_launchers
from config.settings import Settings
from jobs.errors import Refused
from jobs.models.agent import ModelAgent
from jobs.models.doors import Doors
from jobs.sessions.api_launcher import ApiLauncher
from jobs.sessions.sandboxes import make_sandbox_maker
from tests.bot.cli.processes import WAIT_S, environment

NO_ENGINE = "unix:///nowhere/docker.sock"


@pytest.fixture
def claude(tmp_path: Path) -> str:
    """A file that looks like the native program; nothing here starts it for long."""
    path = tmp_path / "claude"
    path.write_bytes(b"\x7fELF, or so it seems")
    path.chmod(0o755)
    return str(path)


def settings(**changes: object) -> Settings:
    return Settings(_env_file=None, anthropic_api_key="sk-a-key", **changes)


async def said_of(chosen: Settings) -> str:
    """What is wrong with Claude Code."""
    problem = await check_claude_code(chosen)
    assert isinstance(problem, str)
    return problem


@pytest.mark.parametrize(
    ("sandbox", "offered"), [("bubblewrap", True), ("docker", True), ("none", False)]
)
async def test_claude_code_is_offered_where_a_sandbox_can_show_it(
    claude: str, sandbox: str, offered: bool
) -> None:
    """In `none` there is no place to show it at, and nothing to hold it."""
    chosen = settings(sandbox=sandbox, claude_binary=claude, docker_host=NO_ENGINE)
    maker = make_sandbox_maker(sandbox, docker_host=NO_ENGINE)
    api = ApiLauncher(ModelAgent(Doors(chosen)), maker, memory_mb=500)
    launchers = make_launchers(chosen, api, maker)
    assert ("claude-code" in launchers.ready) is offered
    if not offered:
        with pytest.raises(Refused, match="the sandbox `bubblewrap` or `docker`"):
            launchers.get("claude-code")


async def test_the_doctor_tries_claude_code_where_it_runs_by_default_or_is_named(
    claude: str,
) -> None:
    """Whoever names it wants commands to ask for it; a sign beside it must not be hollow."""
    assert isinstance(await check_claude_code(settings(launcher="api")), Unused)
    named = settings(launcher="api", claude_binary=claude, sandbox="none")
    assert "SKILLBENCH_SANDBOX=bubblewrap or docker" in await said_of(named)


async def test_the_doctor_tries_it_in_the_sandbox_that_is_set(claude: str) -> None:
    chosen = settings(
        launcher="claude-code", claude_binary=claude, sandbox="docker", docker_host=NO_ENGINE
    )
    said = await said_of(chosen)
    assert "no sandbox for Claude Code can be started" in said
    assert "DOCKER_HOST" in said


async def test_the_doctor_names_the_sandboxes_it_needs(claude: str) -> None:
    chosen = settings(launcher="claude-code", claude_binary=claude, sandbox="none")
    said = await said_of(chosen)
    assert "SKILLBENCH_SANDBOX=bubblewrap or docker" in said


async def test_the_doctor_says_which_version_to_install() -> None:
    with pytest.raises(Refused, match=r"install version 2\.1\.197 or newer with `npm install"):
        await check_claude_code(settings(launcher="claude-code", claude_binary="/nowhere/claude"))


async def test_what_nobody_asked_for_is_neither_well_nor_wrong(tmp_path: Path) -> None:
    """`up` starts a Redis of its own, so that its absence is no fault."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "doctor"),
        cwd=tmp_path,
        env=environment(tmp_path, {"sandbox": "none"}),
        stdout=asyncio.subprocess.PIPE,
    )
    printed, _ = await asyncio.wait_for(process.communicate(), WAIT_S)
    lines = printed.decode().splitlines()
    assert "○ Redis: not set: `up` starts its own; `serve` and `worker` need" in lines[2]
    [of_claude] = [line for line in lines if "Claude Code" in line]
    assert of_claude.startswith("○ Claude Code: not used")
    assert "✔ blob store" in lines
    [of_secret] = [line for line in lines if "webhook secret" in line]
    assert of_secret == "○ webhook secret: comes with the GitHub App"
    assert process.returncode == 1


async def test_a_bot_without_an_app_is_led_to_setup_and_a_readable_key_is_told(
    tmp_path: Path,
) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path)
    assert "/setup" in str(await check_app(settings))
    assert isinstance(await check_webhook_secret(settings), Unused)
    place = tmp_path / "github-app.json"
    place.write_text("{}")
    place.chmod(0o644)
    named = settings.model_copy(update={"github_app_id": "7"})
    assert "chmod 600" in str(await check_app(named))


@asynccontextmanager
async def a_redis_of(version: str) -> AsyncIterator[str]:
    """The address of a server that says it is a Redis of this version, and no more."""
    told = f"# Server\r\nredis_version:{version}\r\naof_enabled:1\r\n".encode()
    answers = {b"PING": b"+PONG\r\n", b"INFO": b"$%d\r\n%s\r\n" % (len(told), told)}

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readline():  # an array of texts, each behind its length
            words = []
            for _ in range(int(head[1:])):
                length = int((await reader.readline())[1:])
                words.append((await reader.readexactly(length + 2))[:-2])
            writer.write(answers.get(words[0].upper(), b"+OK\r\n"))
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@pytest.mark.parametrize(
    ("version", "fits"),
    [("5.0.14", False), ("6.0.20", False), ("6.2.0", True), ("10.0.1", True), ("unknown", True)],
)
async def test_the_doctor_says_which_redis_is_too_old(version: str, fits: bool) -> None:
    async with a_redis_of(version) as url:
        said = await check_redis(settings(redis_url=url))
    assert said == (
        None if fits else f"Redis {version} is too old: use 6.2 or newer, or any Valkey"
    )


async def test_the_doctor_reads_the_version_of_a_real_redis(redis_url: str) -> None:
    said = await check_redis(settings(redis_url=redis_url))
    assert "too old" not in str(said)
