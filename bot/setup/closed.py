"""What `/setup` answers once there is an App: that it is closed, and where GitHub leads after
an installation.
"""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.pages import notice


async def _closed(_: Request) -> Response:
    return notice(
        404, "Set up already", "This bot has its GitHub App; there is nothing to do here."
    )


async def _installed(_: Request) -> Response:
    return notice(
        200,
        "Installed",
        "The bot looks through the repositories now, and opens one issue in each that holds "
        "skills: what it found, and how to start.",
    )


def closed_routes() -> list[Route]:
    """The routes of a bot that has its App."""
    return [
        Route("/setup/installed", _installed, methods=["GET"]),
        Route("/setup", _closed),
        Route("/setup/{rest:path}", _closed),
    ]
