"""The addresses of the pages, whose code is loaded when somebody first asks for one.

Most web processes only take deliveries; templates, the store's client and what is known of
datasets would double what one holds.
"""

import asyncio
import gc
from contextlib import AsyncExitStack

from redis.asyncio import Redis
from starlette.applications import Starlette
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from config.settings import Settings

PATHS = ("/", "/api/v1/{rest:path}", "/repos/{rest:path}", "/running/events",
         "/charts/{rest:path}", "/queue",
         "/queue/{rest:path}", "/tasks", "/tasks/{rest:path}", "/sign-in",
         "/sign-in/{rest:path}", "/sign-out", "/static/{rest:path}")  # fmt: skip


class PagesWhenAsked:
    """An application that is made for the first who asks."""

    def __init__(self, settings: Settings, redis: Redis) -> None:
        self._settings = settings
        self._redis = redis
        self.leaving = asyncio.Event()
        """Set when the server goes: what is told without end comes to one."""
        self._making = asyncio.Lock()
        self._app: Starlette | None = None
        self._open = AsyncExitStack()

    async def close(self) -> None:
        """End what the pages keep open, where anybody asked for one."""
        await self._open.aclose()

    def routes(self) -> list[BaseRoute]:
        return [Route(path, self) for path in PATHS]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._making:
            if self._app is None:  # beside the loop, which goes on taking deliveries
                app = await asyncio.to_thread(_make, self._settings, self._redis, self.leaving)
                await self._open.enter_async_context(app.router.lifespan_context(app))
                self._app = app
        await self._app(scope, receive, send)


def _make(settings: Settings, redis: Redis, leaving: asyncio.Event) -> Starlette:
    from bot.web.all_pages import make_pages  # noqa: PLC0415

    app = make_pages(settings, redis, leaving)
    gc.freeze()  # else each full round looks through all that code, and somebody waits for it
    return app
