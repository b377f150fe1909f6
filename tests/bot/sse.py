"""Server-sent events as a browser reads them: an id, a name and data, until a blank line."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from html import unescape
from typing import Any

import httpx
from httpx_sse import EventSource, ServerSentEvent, aconnect_sse

WAIT_S = 60.0
"""Bounds every wait but those for an update."""
UPDATE_S = 5.0
"""An update arrives within a second; a loaded machine is given several."""


def text_of(news: dict[str, Any]) -> str:
    """What the parts of a page say, without their tags."""
    html = " ".join(news["parts"].values())
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


@dataclass(slots=True)
class Watcher:
    """Somebody who follows a stream."""

    source: EventSource
    events: AsyncIterator[ServerSentEvent]
    last: ServerSentEvent | None = None

    async def next(self) -> ServerSentEvent:
        """The next event; when to ask again comes as one without data, which a browser skips."""
        while not (event := await anext(self.events)).data:
            pass
        self.last = event
        return event

    async def until(
        self, holds: Callable[[str], bool], *, within_s: float = UPDATE_S
    ) -> dict[str, Any]:
        """Wait for an event whose page says something; gives its data."""
        said = "nothing"
        try:
            async with asyncio.timeout(within_s):
                while True:
                    event = await self.next()
                    news: dict[str, Any] = json.loads(event.data)
                    if "parts" in news and holds(said := text_of(news)):
                        return news
        except (TimeoutError, StopAsyncIteration):
            raise AssertionError(f"it was never told; the last was: {said}") from None

    async def ended(self) -> str:
        """Wait for the event `ended` and the end of the stream; gives the state."""
        async with asyncio.timeout(WAIT_S):
            while (event := await self.next()).event != "ended":
                pass
            assert [one async for one in self.events] == []
        return str(json.loads(event.data)["state"])


@asynccontextmanager
async def watching(
    client: httpx.AsyncClient, path: str, *, seen: str = ""
) -> AsyncIterator[Watcher]:
    """Follow a stream while the block runs; `seen` is the id of the event that was seen last."""
    headers = {"last-event-id": seen} if seen else {}
    async with aconnect_sse(client, "GET", path, headers=headers, timeout=WAIT_S) as source:
        source.response.raise_for_status()
        yield Watcher(source, source.aiter_sse())
