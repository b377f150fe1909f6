"""Repositories that the bot has had to do with, and whether they were private then."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import cast

from pydantic import ValidationError
from redis.asyncio import Redis

from bot.redis_clients import away_is_transient
from jobs.requests import Repo, Value

SEEN = "skillbench:seen-repos"
"""Hash: name in lower case, as GitHub's names are the same in any case, to `SeenRepo`."""
PRIVACY_FRESH = timedelta(days=7)
"""How long it is believed that a repository is public; one not seen since counts as private."""


class SeenRepo(Value):
    """A repository as the bot saw it last."""

    full_name: str
    is_private: bool
    installation_id: int
    seen_at: datetime
    """When it was last known whether it is private."""


def utc_now() -> datetime:
    return datetime.now(UTC)


class RedisSeenRepos:
    """All of them. Raises `Transient` where Redis stays away."""

    def __init__(self, redis: Redis, clock: Callable[[], datetime] = utc_now) -> None:
        self._redis = redis
        self._clock = clock

    async def see(self, repo: Repo) -> None:
        """Remember a repository as GitHub just told of it."""
        seen = SeenRepo(
            full_name=repo.full_name,
            is_private=repo.private,
            installation_id=repo.installation_id,
            seen_at=self._clock(),
        )
        with away_is_transient():
            kept = self._redis.hset(SEEN, repo.full_name.lower(), seen.model_dump_json())
            await cast("Awaitable[int]", kept)

    async def find(self, full_name: str) -> SeenRepo | None:
        """A repository by its name in any case; None where it was never seen."""
        with away_is_transient():
            found = self._redis.hget(SEEN, full_name.lower())
            return _read(await cast("Awaitable[bytes | None]", found))

    async def all(self) -> dict[str, SeenRepo]:
        """Every one that was seen, by its name in lower case."""
        with away_is_transient():
            found = await cast("Awaitable[dict[bytes, bytes]]", self._redis.hgetall(SEEN))
        read = {name.decode(): _read(stored) for name, stored in found.items()}
        return {name: seen for name, seen in read.items() if seen is not None}


def _read(stored: bytes | None) -> SeenRepo | None:
    """What was kept; None, too, for what another version wrote: it is seen again soon."""
    try:
        return SeenRepo.model_validate_json(stored) if stored else None
    except ValidationError:
        return None
