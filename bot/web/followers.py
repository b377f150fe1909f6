"""Who follows what goes on, by server-sent events: told of each change, and asking nobody for it.

Everybody who follows the same thing shares one connection to Redis and one look at it, so two
hundred browsers ask no more of Redis than one. Many changes within a moment are one event.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

import structlog
from sse_starlette.event import ServerSentEvent
from sse_starlette.sse import AppStatus, EventSourceResponse
from starlette.responses import Response

from bot.redis_clients import REDIS_AWAY
from bot.web.shell import HEADERS
from jobs.errors import Transient

AT_MOST_EVERY_S = 0.25
ALIVE_EVERY_S = 15
"""A line that says nothing, so that nobody between takes the stream for dead."""
AGAIN_AFTER_MS = 2_000
"""When a browser asks again whose stream has ended."""
LONGEST_S = 15 * 60.0
"""Of one stream: then the browser asks again, and it is looked anew at what its visitor may see."""
SLOWEST_S = 60.0
"""For a browser to take an event; one that reads nothing holds its place for no longer."""
MOST_FOLLOWERS = 500
"""Of one kind, in one web process. Others load the page anew."""
MOST_FOLLOWED = 100
"""Things that are followed, each by a connection to Redis."""

# streams end by `leaving`, whole and at once; the library's own watch would break them off
AppStatus.enable_automatic_graceful_drain = False

log = structlog.get_logger(__name__)

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Told(Generic[Value]):
    """What there is to tell."""

    value: Value
    version: str = ""
    """Differs whenever the value does; empty: nobody knows."""
    is_last: bool = False


class Source(Protocol[Value]):
    """What can be followed, by names. Both raise `Transient` where what it needs is away."""

    def follow(self, name: str, /) -> AsyncIterator[object]:
        """Gives something at once, and whenever there may be news."""

    async def tell(self, name: str, /) -> Told[Value] | None:
        """How it stands; None where there is no such thing (any more)."""


@dataclass(slots=True)
class _Channel(Generic[Value]):
    """One thing that is followed."""

    told: Told[Value] | None = None
    is_over: bool = False
    followers: int = 0
    task: "asyncio.Task[None] | None" = None
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    """Set with the next news; those after it have another one."""

    def put(self, told: Told[Value]) -> None:
        """Tell everybody, unless it is what they know."""
        if self.told is None or not told.version or told.version != self.told.version:
            self.told = told
            self._wake()

    def end(self) -> None:
        """Nothing more comes."""
        self.is_over = True
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def after(self, told: Told[Value] | None) -> Told[Value] | None:
        """What is newer than `told`, once there is something; None where nothing more comes."""
        while self.told is told:
            if self.is_over:
                return None
            await self._news.wait()
        return self.told


class Followers(Generic[Value]):
    """Everybody who follows things of one kind in this process; `leaving`: the server goes."""

    def __init__(self, source: Source[Value], leaving: asyncio.Event) -> None:
        self._source = source
        self._leaving = leaving
        self._channels: dict[str, _Channel[Value]] = {}
        self._count = 0

    def takes(self, name: str) -> bool:
        """Whether there is room for one more who follows this."""
        has_room = name in self._channels or len(self._channels) < MOST_FOLLOWED
        return has_room and self._count < MOST_FOLLOWERS

    async def follow(self, name: str, seen: str = "") -> AsyncGenerator[Told[Value], None]:
        """How it stands, and each change, until it ends, the follower goes, or the server does.

        What has the version that was `seen` is not told again.
        """
        ends_at = asyncio.get_running_loop().time() + LONGEST_S
        channel = self._join(name)
        told: Told[Value] | None = None
        try:
            while True:
                async with asyncio.timeout_at(ends_at):
                    told = await channel.after(told)
                if told is None:
                    return
                if not seen or told.version != seen:
                    yield told
                if told.is_last:
                    return
        except TimeoutError:
            return
        finally:
            self._leave(name, channel)

    def _join(self, name: str) -> _Channel[Value]:
        channel = self._channels.get(name)
        if channel is None:
            channel = self._channels[name] = _Channel()
            channel.task = asyncio.create_task(self._keep_telling(name, channel))
        channel.followers += 1
        self._count += 1
        return channel

    def _leave(self, name: str, channel: _Channel[Value]) -> None:
        channel.followers -= 1
        self._count -= 1
        if not channel.followers and channel.task is not None:
            self._forget(name, channel)
            channel.task.cancel()

    def _forget(self, name: str, channel: _Channel[Value]) -> None:
        """Whoever comes now begins anew."""
        if self._channels.get(name) is channel:
            del self._channels[name]

    async def _keep_telling(self, name: str, channel: _Channel[Value]) -> None:
        """Tell everybody on a channel what is new, for as long as somebody is there."""
        changed = asyncio.Event()
        following = asyncio.create_task(self._follow(name, changed))
        waking = asyncio.create_task(self._wake(changed))
        try:
            while await changed.wait() and not self._leaving.is_set():
                changed.clear()
                told = await self._source.tell(name)
                if told is None:
                    return
                channel.put(told)
                if told.is_last or following.done():
                    return
                await asyncio.sleep(AT_MOST_EVERY_S)
        except Transient as trouble:
            log.warning("stream_broke_off", of=name, problem=str(trouble))
        finally:
            self._forget(name, channel)
            channel.end()
            following.cancel()
            waking.cancel()
            await asyncio.gather(following, waking, return_exceptions=True)

    async def _wake(self, changed: asyncio.Event) -> None:
        """Let streams end with the server: a browser asks the next one again."""
        await self._leaving.wait()
        changed.set()

    async def _follow(self, name: str, changed: asyncio.Event) -> None:
        try:
            async for _ in self._source.follow(name):
                changed.set()
        except Transient as trouble:
            log.warning("no_longer_told", of=name, problem=str(trouble))
        finally:
            changed.set()


async def stream(
    followers: Followers[list[ServerSentEvent]], name: str, seen: str = ""
) -> AsyncGenerator[ServerSentEvent, None]:
    """The events of something that is followed, one after the other."""
    async with aclosing(followers.follow(name, seen)) as changes:
        async for told in changes:
            for event in told.value:
                yield event


def make_event(name: str, data: object, version: str = "") -> ServerSentEvent:
    """One event. JSON holds no line end, so no text of others can end it."""
    return ServerSentEvent(json.dumps(data), event=name, id=version or None, sep="\n")


def answer_events(
    events: AsyncGenerator[ServerSentEvent, None], *, slowest_s: float = SLOWEST_S
) -> Response:
    """The answer that goes on for as long as there are events, and somebody who reads them."""
    return EventSourceResponse(
        _written(events),
        headers=HEADERS,
        send_timeout=slowest_s,
        ping=ALIVE_EVERY_S,
        ping_message_factory=lambda: ServerSentEvent(comment="still here", sep="\n"),
    )


def too_many() -> Response:
    """There is no room for one more; their page loads itself anew instead."""
    return Response(status_code=503, headers=HEADERS | {"retry-after": "30"})


async def _written(events: AsyncGenerator[ServerSentEvent, None]) -> AsyncGenerator[bytes, None]:
    """Each event as it is sent, the first behind when to ask again.

    Where what they are made of is away, they end, and the browser asks again.
    """
    before = ServerSentEvent(retry=AGAIN_AFTER_MS, sep="\n").encode()
    try:
        async with aclosing(events):
            async for event in events:
                yield before + event.encode()
                before = b""
    except (Transient, *REDIS_AWAY) as trouble:
        log.warning("stream_broke_off", problem=str(trouble))
