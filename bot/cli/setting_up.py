"""The time before there is a GitHub App: `/setup` is served until one is registered."""

import socket

import structlog

from bot.cli.server import Server, make_config
from bot.cli.settings import set_up_logs
from bot.setup.credentials import is_unconfigured, with_stored
from config.settings import Settings
from jobs.alongside import alongside

EVERYWHERE = frozenset({"0.0.0.0", "::"})  # noqa: S104 -- known, not bound to
"""Hosts to listen on that no browser can go to."""

log = structlog.get_logger(__name__)


async def wait_for_app(settings: Settings, bound: socket.socket) -> Settings:
    """The settings with an App in them; where they name none, the one that is registered now.

    Serves `/setup` on the socket meanwhile, and leaves it open. The log tells the token.
    """
    if not is_unconfigured(settings):
        return settings
    from bot.setup.app import Setup  # what only a first start needs
    from bot.setup.gate import Gate

    host = "localhost" if settings.host in EVERYWHERE else settings.host
    address = settings.public_url or f"http://{host}:{bound.getsockname()[1]}"

    def announce(token: str) -> None:
        log.warning("setup_wanted", address=f"{address}/setup", one_time_token=token)

    gate = Gate(announce)
    gate.ensure_token()
    setup = Setup(settings, gate)
    server = Server(make_config(setup.app()))
    async with alongside(setup.done.wait()) as stored:
        await server.serve_until(stored, bound.dup())
    complete = with_stored(settings)
    set_up_logs(complete, for_people=False)  # the new secrets are secrets, too
    return complete
