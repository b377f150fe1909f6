"""The two ways to talk to Redis: a web process that must answer soon, a worker that can wait."""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from redis.asyncio import ConnectionPool, Redis
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff, NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from jobs.errors import Transient

REDIS_AWAY = (RedisError, OSError)
"""What is raised while Redis cannot be reached, or cannot answer."""

PATIENT_TRIES = 40
"""With pauses of up to two seconds: a restart of a minute is waited out."""


class RedisGone(RedisError):  # noqa: N818 -- a state, not a defect
    """Redis could not be reached, as often as the client tries; trying more is of no use."""


@contextmanager
def away_is_transient() -> Iterator[None]:
    """Raise `Transient` where Redis is away: what was interrupted is worth doing again."""
    try:
        yield
    except REDIS_AWAY as trouble:
        raise Transient(f"Redis is away ({type(trouble).__name__})") from trouble


class _Steady(AbstractConnection):
    """A connection that comes about and ends as one would expect.

    redis-py sends under `asyncio.wait_for`, which before Python 3.12 forgets a cancellation
    that comes in the moment in which the sending succeeds or fails: a task that renews a lease
    would then live, and be waited for, for ever. And it repeats a command as often as it was
    told to, but not the connecting before it: a refused connection, as while a server restarts,
    would end what could wait.
    """

    async def connect(self) -> None:
        """Connect, as patiently as commands are repeated. Raises `RedisGone`."""
        if self.is_connected:
            return
        try:
            await self.retry.call_with_retry(super().connect, lambda _: self.disconnect())
        except (RedisConnectionError, RedisTimeoutError) as trouble:
            raise RedisGone(str(trouble)) from trouble

    async def _connect(self) -> None:
        try:
            await super()._connect()  # type: ignore[safe-super, no-untyped-call]  # a real connection's
        except TimeoutError as trouble:  # one that redis-py would repeat by itself
            raise OSError("connecting took too long") from trouble

    async def send_packed_command(
        self, command: bytes | str | Iterable[bytes], check_health: bool = True
    ) -> None:
        task = asyncio.current_task()
        before = task.cancelling() if task else 0
        try:
            await super().send_packed_command(command, check_health)
        finally:
            if task and task.cancelling() > before:
                await self.disconnect(nowait=True)  # its answer is nobody's any more
                raise asyncio.CancelledError


def make_pool(url: str, **options: Any) -> ConnectionPool:
    """The connections to a Redis; every client in this program is made on such a pool."""
    pool: ConnectionPool = ConnectionPool.from_url(url, **options)
    kind = pool.connection_class
    pool.connection_class = type(kind.__name__, (_Steady, kind), {})
    return pool


def connect_briefly(url: str) -> Redis:
    """A client that fails fast: GitHub waits for ten seconds and then calls it a failure.

    One repetition, at once, is for connections that a restarted Redis has closed.
    """
    pool = make_pool(
        url,
        socket_connect_timeout=2,
        socket_timeout=4,
        retry=Retry(NoBackoff(), 1),
        retry_on_error=[RedisConnectionError],
    )
    return Redis.from_pool(pool)


def connect_patiently(url: str) -> Redis:
    """A client that waits for a Redis that restarts; what it sends may arrive twice."""
    pool = make_pool(
        url,
        socket_connect_timeout=5,
        socket_timeout=30,
        retry=Retry(ExponentialBackoff(cap=2, base=0.05), PATIENT_TRIES),
        retry_on_error=[RedisConnectionError, RedisTimeoutError],
    )
    return Redis.from_pool(pool)
