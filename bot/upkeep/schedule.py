"""Has done what repositories want done by the clock: sweeps, summaries, digests.

How far the clock was looked at is remembered for each repository, so a time that passed while
the bot was down, or GitHub, is made up for: once, however often it passed. The request of a time
bears that time in its key, so it is put on the queue once, whoever looks. A repository that was
never looked at begins now. Trouble with one repository holds up no other.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, cast

import structlog
from redis.asyncio import Redis

from bot.github.app import GitHubApp
from bot.github.places import Installed, Place
from bot.queues import enqueue
from bot.upkeep.ticks import find_last_tick
from config.repo_sections import Schedule
from handlers.questions import HandlerContext
from jobs.errors import Gone, Transient
from jobs.requests import Repo, Request

Scheduled = Literal["sweep", "summary", "digest"]
KINDS: tuple[Scheduled, ...] = ("sweep", "summary", "digest")
FIRST_LOOK = timedelta(minutes=10)
"""How far a first look goes back: an emptied Redis forgets no more than this."""
WITHOUT = timedelta(hours=1)
"""How long a repository without a schedule is not asked for one again."""
LOOKED = "skillbench:schedule:looked"
UNSCHEDULED = "skillbench:schedule:none:"

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedules:
    """The chore."""

    app: GitHubApp
    redis: Redis
    find_context: Callable[[], Awaitable[HandlerContext]]
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    async def run(self) -> None:
        """Look at every served repository's clock. Raises `Transient` where GitHub names none."""
        context = await self.find_context()
        async for installed in self.app.installations():
            if installed.is_suspended or not context.allows_owner(installed.owner):
                continue
            try:
                await self._look_at_all(installed, context)
            except Gone as gone:
                log.info("installation_gone", owner=installed.owner, reason=str(gone))
            except Transient as trouble:
                log.warning("schedules_cut_short", owner=installed.owner, problem=str(trouble))

    async def _look_at_all(self, installed: Installed, context: HandlerContext) -> None:
        async for place in self.app.places(installed.id):
            if not place.is_writable:
                continue
            name = place.repo.full_name
            try:
                await self._look_at(place, context)
            except Gone as gone:
                log.info("repository_gone", repo=name, reason=str(gone))
            except Transient as trouble:  # made up for by the next look
                log.warning("schedule_not_read", repo=name, problem=str(trouble))
            except Exception:  # a defect that one repository shows must not hide all others
                log.exception("schedule_not_read", repo=name)

    async def _look_at(self, place: Place, context: HandlerContext) -> None:
        now = self.clock()
        name = place.repo.full_name.casefold()
        after = await self._looked_until(name, now)
        if after >= now:
            return  # by a worker whose clock goes before
        schedule = await self._find_schedule(place.repo, name)
        for kind in KINDS:
            line: str | None = getattr(schedule, kind)
            tick = find_last_tick(line, after=after, until=now) if line else None
            if tick is not None:
                request = request_at(kind, place.repo, tick, asker=context.app_bot_login)
                is_new = await enqueue(self.redis, request)
                log.info("schedule_due", key=request.key, is_new=is_new)
        noted = self.redis.hset(LOOKED, name, now.isoformat())
        await cast("Awaitable[int]", noted)

    async def _looked_until(self, name: str, now: datetime) -> datetime:
        kept = await cast("Awaitable[bytes | None]", self.redis.hget(LOOKED, name))
        return datetime.fromisoformat(kept.decode()) if kept else now - FIRST_LOOK

    async def _find_schedule(self, repo: Repo, name: str) -> Schedule:
        """What the repository's file says; most say nothing, and are not asked each time."""
        if await self.redis.exists(UNSCHEDULED + name):
            return Schedule()
        schedule = (await self.app.repository(repo).repo_file()).schedule
        if schedule == Schedule():
            await self.redis.set(UNSCHEDULED + name, "1", ex=WITHOUT)
        return schedule


async def forget_unscheduled(redis: Redis, full_name: str) -> None:
    """Ask a repository for its schedule again: something was pushed to it."""
    await redis.delete(UNSCHEDULED + full_name.casefold())


def request_at(kind: Scheduled, repo: Repo, tick: datetime, *, asker: str) -> Request:
    """What is due at a time; the same for everybody who finds that it is."""
    return Request(
        key=f"{kind}:{repo.full_name}:{tick:%Y%m%dT%H%M}",
        kind=kind,
        repo=repo,
        issue=0,
        asker=asker,
        origin="schedule",
        asked_at=tick,
    )
