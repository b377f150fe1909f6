"""The long-running commands: the web process, the worker, and both at once."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
from starlette.applications import Starlette

from bot.app import create_app
from bot.cli.server import Server, make_config
from bot.cli.setting_up import wait_for_app
from bot.embedded_redis import embedded_redis
from bot.needs import require
from bot.setup.credentials import is_unconfigured
from config.settings import Settings
from jobs.errors import Error

if TYPE_CHECKING:
    from bot.github.app import GitHubApp
    from bot.github.pacing import Pacer

BACKLOG = 2048
"""Connections that may wait to be accepted."""

log = structlog.get_logger(__name__)


def make_app(settings: Settings) -> Starlette:
    """The web application, its readiness proven by the App's credentials."""

    async def check_credentials() -> None:
        # heavy, and needed only when somebody asks: loaded beside the loop, which goes on
        app = await asyncio.to_thread(_make_github_app, settings)
        async with app:
            await app.prove()

    return create_app(settings, check_credentials=check_credentials)


def _make_github_app(settings: Settings) -> "GitHubApp":
    from bot.github.app import GitHubApp

    return GitHubApp(settings)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any. Raises `Error` naming the settings to change."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        # asyncio switches Nagle's delay (40 ms an answer) off only where the protocol is named
        bound = socket.socket(family, kind, socket.IPPROTO_TCP)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
            bound.listen(BACKLOG)
        except BaseException:
            bound.close()
            raise
    except (OSError, UnicodeError) as problem:
        raise Error(
            f"Cannot listen on {host} port {port} ({problem}); change SKILLBENCH_HOST or "
            "SKILLBENCH_PORT, or --host and --port."
        ) from None
    bound.setblocking(False)
    return bound


async def run_server(settings: Settings) -> None:
    """Serve until cancelled; deliveries under way are then answered first.

    Where no App is named, `/setup` is served until one is registered. Raises `Error` where
    another needed setting is missing.
    """
    secret = [] if is_unconfigured(settings) else ["github_webhook_secret"]
    require(settings, *secret, "redis_url")
    with listen(settings.host, settings.port) as bound:
        await serve(await wait_for_app(settings, bound), bound)


async def serve(settings: Settings, bound: socket.socket) -> None:
    """The web process on a socket. Raises `Error` where a needed setting is missing."""
    server = Server(make_config(make_app(settings)))
    log.info("serving", host=settings.host, port=bound.getsockname()[1])
    await server.serve_until(asyncio.get_running_loop().create_future(), bound.dup())


async def run_worker(settings: Settings, scratch: Path, *, pacer: "Pacer | None" = None) -> None:
    """Work until cancelled; running jobs are then handed back.

    Raises `Error` where a setting is missing without which no job could be answered.
    """
    require(settings, "redis_url", "github_app_id", "github_private_key")
    from bot.leaving import run_workers
    from bot.turns import Limits
    from bot.wiring import wired  # loads the model SDKs
    from bot.worker import make_workers

    async with wired(settings, scratch, pacer=pacer) as wiring, wiring.upkeep():
        workers = make_workers(
            settings.redis_url,
            wiring.jobs(),
            requests_at_once=settings.max_concurrent_requests,
            limits=Limits(
                overall=settings.max_requests_overall,
                per_repository=settings.max_requests_per_repository,
                per_provider=settings.max_requests_per_provider,
                default_model=settings.model,
            ),
        )
        log.info("working", sandbox=settings.sandbox)
        await run_workers(workers)


@asynccontextmanager
async def with_redis(settings: Settings) -> AsyncIterator[Settings]:
    """The settings with a Redis: the configured one, else one of our own in the data folder."""
    if settings.redis_url:
        yield settings
        return
    async with embedded_redis(settings.data_dir / "redis", append_only=True) as url:
        yield settings.model_copy(update={"redis_url": url})


async def run_everything(settings: Settings, scratch: Path) -> None:
    """Server, worker and, where none is configured, a Redis; until cancelled.

    Where no App is named, `/setup` is served until one is registered. Raises `Error` with all
    that either of them lacks, before anything is started.
    """
    if not is_unconfigured(settings):
        require(settings, "github_app_id", "github_private_key", "github_webhook_secret")
    with listen(settings.host, settings.port) as bound:
        settings = await wait_for_app(settings, bound)
        async with with_redis(settings) as complete, asyncio.TaskGroup() as group:
            group.create_task(serve(complete, bound))
            group.create_task(run_worker(complete, scratch))


def make_fast_loop() -> asyncio.AbstractEventLoop:
    """A loop for the web process alone: uvloop takes half as many deliveries again."""
    try:
        import uvloop  # not to be had on Windows
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()
