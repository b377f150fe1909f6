"""Looks at a deployment as a doctor would: every part, each with what to do about it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from redis.asyncio import Redis
from redis.exceptions import RedisError
from rich.console import Console

from bot.blobs import Blobs
from bot.embedded_redis import find_server
from bot.github.app import GitHubApp
from bot.setup.credentials import find_leak, is_unconfigured
from config.settings import Settings
from jobs.claude_code.cli import ClaudeCli
from jobs.claude_code.readiness import find_problem
from jobs.errors import Error
from jobs.models.catalog import ApiModelCatalog
from jobs.models.doors import Doors
from jobs.sessions.sandboxes import make_sandbox_maker, runs_programs

GOOD, BAD = 0, 1
OLDEST_REDIS = (6, 2)
"""The index of runs needs `ZADD` with `GT`, which came with it. Valkey says the version of Redis
that it is compatible with.
"""


@dataclass(frozen=True, slots=True)
class Unused:
    """What a part that is not in use has to say: neither well nor ill."""

    words: str


Check = Callable[[Settings], Awaitable[str | Unused | None]]
"""What is wrong and what to do about it; None if nothing is."""


async def check_webhook_secret(settings: Settings) -> str | Unused | None:
    """The secret without which no delivery can be trusted."""
    if is_unconfigured(settings):
        return Unused("comes with the GitHub App")
    secret = settings.github_webhook_secret.get_secret_value()
    if not secret:
        return "set SKILLBENCH_GITHUB_WEBHOOK_SECRET to the secret of the App's webhook"
    if len(secret) < 16:
        return "SKILLBENCH_GITHUB_WEBHOOK_SECRET is short: use 16 characters or more"
    return None


async def check_app(settings: Settings) -> str | None:
    """The App's credentials, permissions and events, by using them."""
    if is_unconfigured(settings):
        return (
            "none is set up: start `skillbench up` (or `serve`) and open /setup; or set "
            "SKILLBENCH_GITHUB_APP_ID and SKILLBENCH_GITHUB_PRIVATE_KEY"
        )
    if not settings.github_app_id:
        return "set SKILLBENCH_GITHUB_APP_ID and SKILLBENCH_GITHUB_PRIVATE_KEY"
    if leak := find_leak(settings):
        return leak
    try:
        async with GitHubApp(settings) as app:
            return await app.check()
    except FileNotFoundError as missing:
        return f"SKILLBENCH_GITHUB_PRIVATE_KEY names a file that is not there: {missing.filename}"


async def check_redis(settings: Settings) -> str | Unused | None:
    """Redis answers, is new enough, and keeps its data over a restart; where none is set, `up` can
    start one.
    """
    if not settings.redis_url:
        find_server()
        return Unused(
            "not set: `up` starts its own; `serve` and `worker` need SKILLBENCH_REDIS_URL"
        )
    redis = Redis.from_url(settings.redis_url, socket_connect_timeout=3)
    try:
        await redis.ping()
        server = await redis.info("server")
        persistence = await redis.info("persistence")
    except (RedisError, OSError) as problem:
        return f"Redis does not answer ({type(problem).__name__}): see SKILLBENCH_REDIS_URL"
    finally:
        await redis.aclose()
    version = str(server.get("redis_version", ""))
    if _is_too_old(version):
        return f"Redis {version} is too old: use 6.2 or newer, or any Valkey"
    if not persistence.get("aof_enabled"):
        return "Redis keeps no append-only file: a restart would lose what waits; appendonly yes"
    return None


def _is_too_old(version: str) -> bool:
    """Whether a version is known and below the oldest that will do."""
    numbers = [int(part) for part in version.split(".")[:2] if part.isdecimal()]
    return len(numbers) == len(OLDEST_REDIS) and tuple(numbers) < OLDEST_REDIS


async def check_sandbox(settings: Settings) -> str | None:
    """Sessions can be isolated here."""
    maker = make_sandbox_maker(
        settings.sandbox, docker_image=settings.docker_image, docker_host=settings.docker_host
    )
    return await maker.problem()


async def check_claude_code(settings: Settings) -> str | Unused | None:
    """Sessions in Claude Code can start here, if they are what runs by default or can be asked for.

    One that merely lies on PATH may be there for somebody's own work.
    """
    if settings.launcher != "claude-code" and not settings.claude_binary:
        return Unused("not used: neither SKILLBENCH_LAUNCHER nor SKILLBENCH_CLAUDE_BINARY names it")
    sandboxes = make_sandbox_maker(
        settings.sandbox, docker_image=settings.docker_image, docker_host=settings.docker_host
    )
    if not runs_programs(sandboxes):
        return "the launcher claude-code needs SKILLBENCH_SANDBOX=bubblewrap or docker"
    return await find_problem(ClaudeCli.find(settings.claude_binary), sandboxes)


async def check_model(settings: Settings) -> str | None:
    """The configured model exists and the key may use it."""
    await ApiModelCatalog(Doors(settings)).resolve(settings.model)
    return None


async def check_judge(settings: Settings) -> str | None:
    """The judge exists too."""
    await ApiModelCatalog(Doors(settings)).resolve(settings.judge_model)
    return None


async def check_blobs(settings: Settings) -> str | None:
    """The blob store takes and gives."""
    blobs = Blobs(settings.blobs)
    try:
        await blobs.put("doctor/probe", b"well")
        found = await blobs.get("doctor/probe")
        await blobs.delete("doctor/probe")
    except (OSError, ValueError, Error) as problem:
        variable = "SKILLBENCH_BLOB_URL" if settings.blob_url else "SKILLBENCH_DATA_DIR"
        return f"cannot be used: see {variable} ({problem})"
    return None if found == b"well" else "the blob store gave back something else"


CHECKS: dict[str, Check] = {
    "webhook secret": check_webhook_secret,
    "GitHub App": check_app,
    "Redis": check_redis,
    "blob store": check_blobs,
    "sandbox": check_sandbox,
    "Claude Code": check_claude_code,
    "model": check_model,
    "judge": check_judge,
}


def run_doctor(settings: Settings) -> int:
    """Print one line per check; gives 0 if nothing is wrong, else 1."""
    return asyncio.run(_run(settings, Console(soft_wrap=True)))


async def _run(settings: Settings, console: Console) -> int:
    worst = GOOD
    for name, check in CHECKS.items():
        found = await _look(check, settings)
        line = f"✘ {name}: {found}"
        if found is None:
            line = f"✔ {name}"
        elif isinstance(found, Unused):
            line = f"○ {name}: {found.words}"
        else:
            worst = BAD
        console.print(line, markup=False)
    return worst


async def _look(check: Check, settings: Settings) -> str | Unused | None:
    try:
        return await check(settings)
    except Error as error:
        return str(error)
    except (OSError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
