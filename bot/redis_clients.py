"""The two ways to talk to Redis: a web process that must answer soon, a worker that can wait."""

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff, NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

REDIS_AWAY = (RedisError, OSError)
"""What is raised while Redis cannot be reached, or cannot answer."""

PATIENT_TRIES = 40
"""With pauses of up to two seconds: a restart of a minute is waited out."""


def connect_briefly(url: str) -> Redis:
    """A client that fails fast: GitHub waits for ten seconds and then calls it a failure.

    One repetition, at once, is for connections that a restarted Redis has closed.
    """
    client: Redis = Redis.from_url(
        url,
        socket_connect_timeout=2,
        socket_timeout=4,
        retry=Retry(NoBackoff(), 1),
        retry_on_error=[RedisConnectionError],
    )
    return client


def connect_patiently(url: str) -> Redis:
    """A client that waits for a Redis that restarts; what it sends may arrive twice."""
    client: Redis = Redis.from_url(
        url,
        socket_connect_timeout=5,
        socket_timeout=30,
        retry=Retry(ExponentialBackoff(cap=2, base=0.05), PATIENT_TRIES),
        retry_on_error=[RedisConnectionError, RedisTimeoutError],
    )
    return client
