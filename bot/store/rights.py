"""Which role it takes in a repository to do what, as its file said when it was read last.

The web process has no GitHub to ask: workers keep here what they read. Where nothing is known it
takes the most there is.
"""

from collections.abc import Awaitable, Sequence
from datetime import timedelta
from typing import cast

from pydantic import ValidationError
from redis.asyncio import Redis

from bot.redis_clients import away_is_transient
from config.repo_sections import Permissions

KEY = "skillbench:rights:"
KEPT = timedelta(days=30)
"""Each reading of the file begins it anew."""
STRICTEST = Permissions(
    run="admin", read="admin", cancel="admin", verdict="admin", override_budget="admin"
)


class RedisRights:
    """Keeps them by installation and name. Raises `Transient` where Redis is away."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def keep(self, installation_id: int, full_name: str, rights: Permissions) -> None:
        with away_is_transient():
            key = _key(installation_id, full_name)
            await self._redis.set(key, rights.model_dump_json(), ex=KEPT)

    async def forget(self, installation_id: int, full_name: str) -> None:
        """The file may say something else now."""
        with away_is_transient():
            await self._redis.delete(_key(installation_id, full_name))

    async def find(self, installation_id: int, full_name: str) -> Permissions:
        """What the file said last; the strictest where that is not known."""
        return (await self.find_many([(installation_id, full_name)]))[0]

    async def find_many(self, places: Sequence[tuple[int, str]]) -> list[Permissions]:
        """The same of each of these in turn."""
        if not places:
            return []
        with away_is_transient():
            found = self._redis.mget([_key(*place) for place in places])
            return [_read(one) for one in await cast("Awaitable[list[bytes | None]]", found)]


def _read(stored: bytes | None) -> Permissions:
    try:
        return Permissions.model_validate_json(stored) if stored else STRICTEST
    except ValidationError:
        return STRICTEST


def _key(installation_id: int, full_name: str) -> str:
    return f"{KEY}{installation_id}:{full_name.lower()}"
