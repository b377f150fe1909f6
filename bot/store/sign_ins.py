"""Who has signed in on the pages, with what GitHub said then of their repositories.

It lies in Redis under an id that nobody can guess, for as long as a sign-in holds at most. What
GitHub said counts for an hour; whoever signs out, or whose id Redis forgets, is signed out at once.
"""

from datetime import datetime, timedelta

import structlog
from pydantic import Field, ValidationError
from redis.asyncio import Redis

from config.repo_kinds import Role
from jobs.requests import Value

KEY = "skillbench:signed-in:"
LONGEST = timedelta(hours=12)
"""How long a sign-in holds."""
FRESH = timedelta(hours=1)
"""How long what GitHub said of somebody's repositories counts."""

log = structlog.get_logger(__name__)


def make_right_key(installation_id: int, full_name: str) -> str:
    """Under what a role is found: a name that went to another owner is another repository."""
    return f"{installation_id}/{full_name.casefold()}"


class SignedIn(Value):
    """Somebody who has signed in."""

    login: str
    user_id: int
    """Their number on GitHub, which stays when they rename themselves."""
    roles: dict[str, Role] = Field(default_factory=dict)
    """By `make_right_key`: the repositories that they can read and that this bot has seen."""
    asked_at: datetime
    """When GitHub was asked."""

    def is_fresh(self, now: datetime) -> bool:
        """Whether the roles count still."""
        return self.asked_at <= now < self.asked_at + FRESH


class SignIns:
    """Keeps who has signed in. Everything raises `REDIS_AWAY`."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def keep(self, session_id: str, who: SignedIn) -> None:
        await self._redis.set(KEY + session_id, who.model_dump_json(), ex=LONGEST)

    async def find(self, session_id: str) -> SignedIn | None:
        """Who signed in under this id; None where nobody did, or is any more."""
        stored = await self._redis.get(KEY + session_id)
        if stored is None:
            return None
        try:
            return SignedIn.model_validate_json(stored)
        except ValidationError:
            log.warning("sign_in_not_read")  # of another version: they sign in again
            return None

    async def forget(self, session_id: str) -> None:
        await self._redis.delete(KEY + session_id)
