"""A hold on a name, for one process at a time: a lock in Redis that its holder renews.

Whoever is killed blocks the others for seconds, not for as long as the work might have
taken. It guards against doing the same thing twice at once; whatever must never happen
twice needs a rule of its own beside it.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import structlog
from redis.asyncio import Redis
from redis.asyncio.lock import Lock
from redis.exceptions import LockError

from bot.redis_clients import REDIS_AWAY, away_is_transient
from jobs.alongside import alongside

LEASE_S = 15.0
"""A killed holder blocks others for at most this long."""

log = structlog.get_logger(__name__)


@asynccontextmanager
async def hold(
    redis: Redis, name: str, *, lease_s: float = LEASE_S, look_s: float = 0.2
) -> AsyncIterator[None]:
    """Wait for the hold, looking every `look_s`, and keep it while the block runs.

    Raises `Transient` where Redis is away before there is a hold.
    """
    lock = redis.lock(name, timeout=lease_s, sleep=look_s)
    with away_is_transient():
        await lock.acquire()
    try:
        async with alongside(_renew(lock, lease_s / 3)):
            yield
    finally:
        with suppress(*REDIS_AWAY):  # an expired lease frees itself
            await lock.release()


async def _renew(lock: Lock, every_s: float) -> None:
    """Keep the hold for ever; one that is gone, from an emptied Redis, is taken again."""
    while True:
        await asyncio.sleep(every_s)
        with suppress(*REDIS_AWAY):  # away; then nobody else can take it either
            try:
                await lock.reacquire()
            except LockError:
                if not await lock.do_acquire(lock.local.token):
                    log.warning("hold_lost", lock=lock.name)
