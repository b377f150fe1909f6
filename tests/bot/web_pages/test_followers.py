"""Whoever follows something shares it with the others, as many as there is room for."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing

import pytest
from sse_starlette.event import ServerSentEvent
from sse_starlette.sse import SendTimeoutError
from starlette.types import Message

from bot.web.followers import (
    MOST_FOLLOWED,
    MOST_FOLLOWERS,
    Followers,
    Told,
    answer_events,
    make_event,
)
from jobs.errors import Transient

WAIT_S = 20.0


class Counter:
    """Something that counts up; everybody who asks for it is noted."""

    def __init__(self) -> None:
        self.count = 0
        self.changed = asyncio.Condition()
        self.followed: list[str] = []
        self.is_away = False

    async def add(self) -> None:
        async with self.changed:
            self.count += 1
            self.changed.notify_all()

    async def follow(self, name: str) -> AsyncIterator[object]:
        self.followed.append(name)
        while True:
            yield None
            async with self.changed:
                await self.changed.wait()

    async def tell(self, name: str) -> Told[int] | None:
        if self.is_away:
            raise Transient("it is away")
        if name == "nothing":
            return None
        return Told(self.count, f"{name} {self.count}", is_last=self.count >= 3)


async def first(stream: AsyncGenerator[Told[int], None], stack: AsyncExitStack) -> int:
    """What a stream tells first; it is closed with the stack."""
    await stack.enter_async_context(aclosing(stream))
    async with asyncio.timeout(WAIT_S):
        return (await anext(stream)).value


async def test_there_is_room_for_so_many_and_again_when_somebody_goes() -> None:
    source = Counter()
    followers = Followers(source, asyncio.Event())
    async with AsyncExitStack() as stack:
        for _ in range(MOST_FOLLOWERS):
            assert followers.takes("one")
            assert await first(followers.follow("one"), stack) == 0
        assert not followers.takes("one")
        assert source.followed == ["one"], "all share it"
    assert followers.takes("one")


async def test_only_so_many_things_are_followed_and_what_is_followed_takes_more() -> None:
    followers = Followers(Counter(), asyncio.Event())
    async with AsyncExitStack() as stack:
        for number in range(MOST_FOLLOWED):
            await first(followers.follow(str(number)), stack)
        assert not followers.takes("another")
        assert followers.takes("0")
    assert followers.takes("another")


async def test_each_is_told_the_newest_until_the_last_and_nothing_twice() -> None:
    source = Counter()
    followers = Followers(source, asyncio.Event())
    told: list[int] = []
    async with asyncio.timeout(WAIT_S), aclosing(followers.follow("one")) as stream:
        async for one in stream:
            told.append(one.value)
            if not one.is_last:
                await source.add()
    assert told == [0, 1, 2, 3]
    async with asyncio.timeout(WAIT_S):
        seen = [one.value async for one in followers.follow("one", "one 3")]
        assert seen == []
        assert [one.value async for one in followers.follow("nothing")] == []


async def test_a_stream_ends_where_what_it_needs_is_away_or_the_server_goes() -> None:
    source, leaving = Counter(), asyncio.Event()
    followers = Followers(source, leaving)
    source.is_away = True
    async with asyncio.timeout(WAIT_S):
        assert [one async for one in followers.follow("one")] == []
        source.is_away = False
        told = []
        async for one in followers.follow("one"):
            told.append(one.value)
            leaving.set()
        assert told == [0]


async def test_whoever_reads_nothing_holds_no_place_for_long() -> None:
    source = Counter()
    followers = Followers(source, asyncio.Event())

    async def events() -> AsyncGenerator[ServerSentEvent, None]:
        async with aclosing(followers.follow("one")) as told:
            async for one in told:
                yield make_event("changed", one.value)

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()  # as a full connection does

    async def receive() -> Message:
        await asyncio.Event().wait()
        return {}

    scope = {"type": "http", "method": "GET"}
    async with asyncio.timeout(WAIT_S):
        with pytest.raises(SendTimeoutError):
            await answer_events(events(), slowest_s=0.01)(scope, receive, send)
    assert source.followed == ["one"]
    async with aclosing(followers.follow("one")) as told:
        await anext(told)
    assert source.followed == ["one", "one"], "nobody was left there"
