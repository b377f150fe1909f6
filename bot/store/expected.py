"""Until when a request that waits is expected to have ended, as its comment was told last."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from redis.asyncio import Redis

from bot.redis_clients import away_is_transient
from jobs.living_comment import comment_tag
from jobs.requests import Request

KEY = "skillbench:expected:"
BELIEVED_FOR = timedelta(minutes=5)
"""It is worked out anew every minute while the request waits."""


class RedisExpected:
    """Keeps it by request. Raises `Transient` where Redis is away."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def keep(self, request: Request, until: datetime) -> None:
        with away_is_transient():
            key = KEY + comment_tag(request)
            await self._redis.set(key, until.isoformat(), ex=BELIEVED_FOR)

    async def find_many(self, requests: Sequence[Request]) -> list[datetime | None]:
        """Of each in turn; None: not known, or not any more."""
        if not requests:
            return []
        with away_is_transient():
            found = await self._redis.mget([KEY + comment_tag(one) for one in requests])
        return [datetime.fromisoformat(one.decode()) if one else None for one in found]
