"""Keeps up what is known of who may read a repository, since pages of public ones may be open.

What an event says may come days late, so it never opens anything: GitHub is asked. A repository
that became private is closed at once, before that. Where events do not come, a look at all
installations finds out within the hour; what no look finds any more counts as private in time
(`bot.store.seen_repos.PRIVACY_FRESH`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import structlog
from redis.asyncio import Redis

from bot.github.app import GitHubApp
from bot.store.seen_repos import RedisSeenRepos
from handlers.events import RepositoryChanged
from handlers.questions import as_repo
from jobs.errors import Gone, Transient

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Privacy:
    """Looks, and listens. Raises `Transient` where GitHub or Redis is away."""

    app: GitHubApp
    redis: Redis
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    async def run(self) -> None:
        """Look at every repository of every installation; trouble with one holds up no other."""
        seen = RedisSeenRepos(self.redis)
        async for installed in self.app.installations():
            if installed.is_suspended:
                continue
            try:
                asked_at = self.clock()
                async for place in self.app.places(installed.id):
                    await seen.see(place.repo, asked_at, is_asked=True)
            except (Gone, Transient) as trouble:
                log.warning("privacy_not_known", owner=installed.owner, problem=str(trouble))

    async def take(self, event: RepositoryChanged) -> None:
        """Take in what became of a repository. Twice is once."""
        seen = RedisSeenRepos(self.redis)
        repo = as_repo(event.repository)
        if event.name_before:
            await seen.forget(event.name_before)
        if event.change == "deleted":
            await seen.forget(repo.full_name)
            return
        asked_at = self.clock()
        if event.change == "privatized":
            await seen.see(repo.model_copy(update={"private": True}), asked_at)
        try:
            place = await self.app.place(repo.owner, repo.name)
        except Gone:  # it has another name by now, or the App is not there any more
            await seen.forget(repo.full_name)
            return
        await seen.see(place.repo, asked_at, is_asked=True)
        log.info("repository_changed", repo=place.repo.full_name, change=event.change)
