"""A client of a real Redis: what it does with being cancelled."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
from redis.asyncio import Redis

from bot.redis_clients import connect_briefly, connect_patiently, make_pool

MANY_STEPS = 40
"""More turns of the event loop than one command takes."""


def connect_as_arq(url: str) -> Redis:
    return Redis.from_pool(make_pool(url, socket_timeout=30))


@pytest.fixture(params=[connect_patiently, connect_briefly, connect_as_arq])
async def client(request: pytest.FixtureRequest, redis_url: str) -> AsyncIterator[Redis]:
    connect: Callable[[str], Redis] = request.param
    async with connect(redis_url) as client:
        yield client


async def test_a_cancelled_command_is_cancelled_at_whatever_moment(client: Redis) -> None:
    await client.ping()
    lost = []
    for steps in range(MANY_STEPS):
        command = asyncio.ensure_future(client.ping())
        for _ in range(steps):
            await asyncio.sleep(0)
        if command.cancel():
            await asyncio.wait([command])
            lost += [] if command.cancelled() else [steps]
    assert lost == []


async def test_a_cancelled_command_leaves_no_answer_for_the_next_one(client: Redis) -> None:
    for steps in range(MANY_STEPS):
        command = asyncio.ensure_future(client.echo("old"))
        for _ in range(steps):
            await asyncio.sleep(0)
        command.cancel()
        await asyncio.wait([command])
        assert await client.echo("new") == b"new"


async def test_a_command_within_a_longer_timeout_is_not_taken_for_cancelled(
    client: Redis,
) -> None:
    async with asyncio.timeout(5):
        assert await client.ping()
