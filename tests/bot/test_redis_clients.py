"""A client of a real Redis: what it does with being cancelled, and while Redis is away."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import ClassVar

import pytest
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError

from bot.embedded_redis import embedded_redis
from bot.redis_clients import RedisGone, connect_briefly, connect_patiently, make_pool
from bot.store.ledger import RedisLedger
from jobs.errors import Transient

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


async def test_a_patient_client_waits_for_a_redis_that_restarts(short_path: Path) -> None:
    """With a new connection too: while the server is down, connecting is refused."""
    async with embedded_redis(short_path, append_only=True) as url:
        before = connect_patiently(url)
        await before.set("kept", "yes")
    async with before, connect_patiently(url) as meanwhile:
        asking = [asyncio.create_task(client.get("kept")) for client in (before, meanwhile)]
        done, _ = await asyncio.wait(asking, timeout=0.5)
        assert not done
        async with embedded_redis(short_path, append_only=True), asyncio.timeout(10):
            assert await asyncio.gather(*asking) == [b"yes", b"yes"]


async def test_a_redis_that_never_answers_is_given_up_in_bounded_time(short_path: Path) -> None:
    """Tries are not multiplied by the tries of the connection below."""
    Tries.asked.clear()
    client = Redis.from_pool(
        make_pool(
            f"unix://{short_path}/none.sock",
            retry=Retry(Tries(), 3),
            retry_on_error=[RedisConnectionError],
        )
    )
    with pytest.raises(RedisGone):
        await client.ping()
    assert Tries.asked == [1, 2, 3]


async def test_an_interrupted_step_is_worth_doing_again(short_path: Path) -> None:
    ledger = RedisLedger(Redis.from_pool(make_pool(f"unix://{short_path}/none.sock")))
    with pytest.raises(Transient):
        await ledger.find("k")
    with pytest.raises(Transient):
        async with ledger.hold("k"):
            pass


class Tries(NoBackoff):
    """Waits never, and counts how often it was asked to, over the copies that are made of it."""

    asked: ClassVar[list[int]] = []

    def compute(self, failures: int) -> float:
        self.asked.append(failures)
        return super().compute(failures)


async def test_a_command_cancelled_as_its_connection_breaks_is_cancelled(
    short_path: Path,
) -> None:
    """A worker that is told to leave in the moment in which Redis goes must hear it."""
    met: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()

    async def break_off(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        met.put_nowait(writer)

    server = await asyncio.start_unix_server(break_off, short_path / "redis.sock")
    lost = []
    for steps in range(MANY_STEPS):
        url = f"unix://{short_path}/redis.sock"
        silent = {"lib_name": None, "lib_version": None}  # nobody would answer
        connection = make_pool(url, socket_timeout=30, **silent).make_connection()
        await connection.connect()
        command = asyncio.ensure_future(connection.send_packed_command(b"x" * 10_000_000))
        writer = await met.get()
        writer.transport.abort()
        for _ in range(steps):
            await asyncio.sleep(0)
        if command.cancel():
            await asyncio.wait([command])
            lost += [] if command.cancelled() else [steps]
        else:
            command.exception()
        await connection.disconnect(nowait=True)
    server.close()
    assert lost == []
