"""Keeps up what is known of who may read a repository, since pages of public ones may be open.

What an event says may come days late, so it never opens anything: GitHub is asked. A repository
that became private is closed at once, before that. Where events do not come, a look at all
installations finds out within the hour, and gives up names that it does not find. Where no look
comes about, what is public counts as private in time (`bot.store.seen_repos.PRIVACY_FRESH`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import structlog
from redis.asyncio import Redis

from bot.github.app import GitHubApp
from bot.github.places import Place
from bot.store.ledger import RedisLedger
from bot.store.seen_repos import RedisSeenRepos, SeenRepo
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
        seen = RedisSeenRepos(self.redis, self.clock)
        before = await seen.all()
        async for installed in self.app.installations():
            if installed.is_suspended:
                continue
            own = {name: one for name, one in before.items() if one.installation_id == installed.id}
            try:
                asked_at = self.clock()
                async for place in self.app.places(installed.id):
                    await seen.see(place.repo, asked_at, is_asked=True)
                    own.pop(place.repo.full_name.lower(), None)
                await self._close(own)
            except (Gone, Transient) as trouble:
                log.warning("privacy_not_known", owner=installed.owner, problem=str(trouble))

    async def _close(self, missing: Mapping[str, SeenRepo]) -> None:
        """Give up the names that a whole look at their installation did not find: what became of
        them was never told.
        """
        seen = RedisSeenRepos(self.redis, self.clock)
        now_known = await seen.find_many(list(missing))
        for name, one in missing.items():
            if now_known.get(name) == one:  # nobody has told of it since
                await seen.forget(one.full_name)

    async def take(self, event: RepositoryChanged) -> None:
        """Take in what became of a repository. Twice is once."""
        seen = RedisSeenRepos(self.redis, self.clock)
        repo = as_repo(event.repository)
        before = event.name_before
        is_renamed = before.lower() not in {"", repo.full_name.lower()}
        if is_renamed:
            await seen.forget(before)
        if event.change == "deleted":
            await seen.forget(repo.full_name)
            await self._set_aside(repo.full_name)
            return
        asked_at = self.clock()
        if event.change == "privatized":
            await seen.see(repo.model_copy(update={"private": True}), asked_at)
        place = await self._find(repo.full_name)
        if is_renamed:
            await self._move_runs(before, place)
        if place is None:  # it has another name by now, or the App is not there any more
            await seen.forget(repo.full_name)
            return
        await seen.see(place.repo, asked_at, is_asked=True)
        log.info("repository_changed", repo=place.repo.full_name, change=event.change)

    async def _find(self, full_name: str) -> Place | None:
        owner, _, name = full_name.partition("/")
        try:
            return await self.app.place(owner, name)
        except Gone:
            return None

    async def _move_runs(self, name_before: str, place: Place | None) -> None:
        """Let the runs go with their repository: whoever takes its name must not read them."""
        heir = await self._find(name_before)
        is_taken = heir is not None and heir.repo.full_name.lower() == name_before.lower()
        if place is None or is_taken:  # whose they are cannot be told any more
            await self._set_aside(name_before)
        else:
            await RedisLedger(self.redis).move(name_before, place.repo.full_name)

    async def _set_aside(self, full_name: str) -> None:
        """Keep the runs of a repository that is gone under a name that GitHub gives to none, so
        that the operator alone sees them.
        """
        await RedisLedger(self.redis).move(full_name, f"{full_name}~{self.clock():%Y-%m-%d}")
