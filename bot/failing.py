"""Notes for the queue's page that a worker gave a request up, with what its asker was told."""

from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError
from redis.asyncio import Redis

from bot.store.failed_requests import RedisFailures
from jobs.failures import Failure, HowFailed
from jobs.requests import Request


async def note_given_up(
    redis: Redis, stored: Any, told: str, *, reference: str, how: HowFailed
) -> None:
    """Note it; events and endings, which are no requests, are nobody's to ask for again."""
    try:
        request = Request.model_validate(stored)
    except ValidationError:
        return
    failure = Failure(
        request=request, how=how, reason=told, reference=reference, at=datetime.now(UTC)
    )
    await RedisFailures(redis).note(failure)
