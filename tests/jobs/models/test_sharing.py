"""Conversations that go on together share clients; afterwards none is open."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from jobs.models.sharing import USERS, Shared


class Client:
    """Knows whether it is open."""

    def __init__(self) -> None:
        self.is_open = True

    async def close(self) -> None:
        await asyncio.sleep(0)
        self.is_open = False


class Maker:
    """Remembers what it has made."""

    def __init__(self) -> None:
        self.made: list[Client] = []

    def __call__(self) -> Client:
        self.made.append(Client())
        return self.made[-1]


async def test_so_many_share_one_and_whoever_comes_after_gets_another() -> None:
    make = Maker()
    shared = Shared(make)
    async with AsyncExitStack() as users:
        for _ in range(USERS + 1):
            client = await users.enter_async_context(shared.use())
            assert client.is_open
        assert len(make.made) == 2
    assert [client.is_open for client in make.made] == [False, False]


async def test_a_client_stays_open_while_anybody_uses_one() -> None:
    """So that the connections of conversations that end and begin together are kept."""
    make = Maker()
    shared = Shared(make)
    async with shared.use():
        for _ in range(3):
            async with shared.use() as client:
                assert client.is_open
        assert len(make.made) == 1
        assert make.made[0].is_open
    assert not make.made[0].is_open
    async with shared.use() as client:
        assert client is make.made[1]


async def test_whoever_breaks_off_leaves_it_to_the_others() -> None:
    make = Maker()
    shared = Shared(make)
    async with shared.use() as client:
        with pytest.raises(RuntimeError):
            async with shared.use():
                raise RuntimeError
        assert client.is_open
    assert not client.is_open
