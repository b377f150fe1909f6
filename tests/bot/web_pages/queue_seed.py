"""A queue in Redis as the bot leaves it: requests that wait, that are carried out, that failed."""

from datetime import UTC, datetime, timedelta
from typing import Any

from arq.constants import in_progress_key_prefix
from redis.asyncio import Redis

from bot.queues import REQUESTS, enqueue
from bot.store.failed_requests import RedisFailures
from bot.store.rights import RedisRights
from config.repo_sections import Permissions
from jobs.failures import Failure, HowFailed
from jobs.requests import Repo, Request

ACME = Repo(owner="acme", name="skills", installation_id=7)
HOSTILE = "<script>alert(1)</script>\u202e"


def a_request(repo: Repo = ACME, issue: int = 12, **changes: Any) -> Request:
    given: dict[str, Any] = {
        "key": f"comment:{repo.full_name}:{issue}:{changes.get('asker', 'mona')}",
        "repo": repo,
        "issue": issue,
        "asker": "mona",
        "origin": "comment",
        "comment_id": 100 + issue,
        "models": ("claude-sonnet",),
        "asked_at": datetime.now(UTC) - timedelta(minutes=issue % 50 + 1),
    }
    return Request.model_validate(given | changes)


async def let_wait(redis: Redis, *requests: Request) -> None:
    """Put requests on the queue."""
    for one in requests:
        assert await enqueue(redis, one)


async def let_run(redis: Redis, request: Request) -> None:
    """Let a worker hold a request that is on the queue."""
    await redis.set(f"{in_progress_key_prefix}request:{request.key}", "1", ex=600)


async def let_live(redis: Redis, workers: int = 1) -> None:
    """Let workers give signs of life."""
    for number in range(workers):
        await redis.set(f"{REQUESTS}:health:{number}", "x", ex=600)


async def let_fail(
    redis: Redis, request: Request, *, how: HowFailed = "platform", run: str = "", **changes: Any
) -> Failure:
    """Let a request fail, or a run of it."""
    given: dict[str, Any] = {
        "request": request,
        "how": how,
        "reason": "❌ **Stopped**: the model API could not be reached. Nothing was counted.",
        "reference": run or f"{request.issue:012x}",
        "run": run,
        "at": datetime.now(UTC),
    }
    failure = Failure.model_validate(given | changes)
    await RedisFailures(redis).note(failure)
    return failure


async def let_rights_be(redis: Redis, repo: Repo, **rights: str) -> None:
    """Let a repository's file have been read."""
    permissions = Permissions.model_validate(rights)
    await RedisRights(redis).keep(repo.installation_id, repo.full_name, permissions)
