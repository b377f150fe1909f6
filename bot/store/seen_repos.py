"""Repositories that the bot has had to do with, and whether they were private then."""

from collections.abc import Awaitable, Callable, Collection
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import cast

from pydantic import ValidationError
from redis.asyncio import Redis
from redis.asyncio.client import Pipeline

from bot.redis_clients import away_is_transient
from jobs.requests import Repo, Value
from jobs.results import LONG_AGO

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
    is_given_up: bool = False
    """Whether the name is no repository's any more; kept so that no late word opens it again."""


def unseen_repo(full_name: str, installation_id: int = 0) -> SeenRepo:
    """A repository of which nobody has said whether it is private: so it counts as private."""
    return SeenRepo(
        full_name=full_name, is_private=True, installation_id=installation_id, seen_at=LONG_AGO
    )


def utc_now() -> datetime:
    return datetime.now(UTC)


class RedisSeenRepos:
    """All of them. Raises `Transient` where Redis stays away."""

    def __init__(self, redis: Redis, clock: Callable[[], datetime] = utc_now) -> None:
        self._redis = redis
        self._clock = clock

    async def see(self, repo: Repo, at: datetime | None = None, *, is_asked: bool = False) -> None:
        """Remember a repository as GitHub told of it, now or at another moment.

        What was told before the last word changes nothing: a request may have waited for days,
        and its repository was made private meanwhile. An event may come days late, too, so only
        what GitHub `is_asked` makes a private repository public.
        """
        seen = SeenRepo(
            full_name=repo.full_name,
            is_private=repo.private,
            installation_id=repo.installation_id,
            seen_at=at or self._clock(),
        )
        with away_is_transient():
            await self._redis.transaction(partial(_keep_newer, seen, is_asked), SEEN)

    async def forget(self, full_name: str) -> None:
        """There is no repository of this name any more, until GitHub is asked and has one."""
        given_up = SeenRepo(
            full_name=full_name,
            is_private=True,
            installation_id=0,
            seen_at=self._clock(),
            is_given_up=True,
        )
        with away_is_transient():
            content = given_up.model_dump_json()
            await cast("Awaitable[int]", self._redis.hset(SEEN, full_name.lower(), content))

    async def find_many(self, full_names: Collection[str]) -> dict[str, SeenRepo]:
        """Those of them that were seen, by their name in lower case."""
        names = sorted({name.lower() for name in full_names})
        if not names:
            return {}
        with away_is_transient():
            found = await cast("Awaitable[list[bytes | None]]", self._redis.hmget(SEEN, names))
        read = {name: _read_there(stored) for name, stored in zip(names, found, strict=True)}
        return {name: seen for name, seen in read.items() if seen is not None}

    async def find(self, full_name: str) -> SeenRepo | None:
        """A repository by its name in any case; None where it was never seen."""
        with away_is_transient():
            found = self._redis.hget(SEEN, full_name.lower())
            return _read_there(await cast("Awaitable[bytes | None]", found))

    async def all(self) -> dict[str, SeenRepo]:
        """Every one that was seen, by its name in lower case."""
        with away_is_transient():
            found = await cast("Awaitable[dict[bytes, bytes]]", self._redis.hgetall(SEEN))
        read = {name.decode(): _read_there(stored) for name, stored in found.items()}
        return {name: seen for name, seen in read.items() if seen is not None}


async def _keep_newer(seen: SeenRepo, is_asked: bool, pipe: Pipeline) -> None:
    name = seen.full_name.lower()
    known = _read(await cast("Awaitable[bytes | None]", pipe.hget(SEEN, name)))
    pipe.multi()  # type: ignore[no-untyped-call]
    is_newer = known is None or known.seen_at <= seen.seen_at
    is_opened = known is not None and known.is_private and not seen.is_private
    if is_newer and (is_asked or not is_opened):
        pipe.hset(SEEN, name, seen.model_dump_json())


def is_closed(stored: bytes | None) -> bool:
    """Whether what is kept of a name says that not everybody may read its repository (any more)."""
    found = _read(stored)
    return found is not None and found.is_private


def _read_there(stored: bytes | None) -> SeenRepo | None:
    """What was kept of a repository that is still called so."""
    found = _read(stored)
    return None if found is None or found.is_given_up else found


def _read(stored: bytes | None) -> SeenRepo | None:
    """What was kept; None, too, for what another version wrote: it is seen again soon."""
    try:
        return SeenRepo.model_validate_json(stored) if stored else None
    except ValidationError:
        return None
