"""A webhook's receiving end on a real socket, which answers what it is told to."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from demo.github.serving import open_socket, serving


@dataclass
class Receiver:
    """What arrived, as it arrived."""

    url: str = ""
    status: int = 202
    bodies: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    async def receive(self, request: Request) -> Response:
        self.bodies.append(await request.body())
        self.headers.append(dict(request.headers))
        return Response("noted", self.status)


@contextlib.asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    """A receiver that listens for as long as the context lasts."""
    receiver = Receiver()
    routes: list[Any] = [Route("/webhook", receiver.receive, methods=["POST"])]
    bound = open_socket("127.0.0.1", 0)
    receiver.url = f"http://127.0.0.1:{bound.getsockname()[1]}/webhook"
    async with serving(Starlette(routes=routes), bound):
        yield receiver
