"""Looks through all repositories for what an outage left behind, however long it lasted.

Delivery logs end after three days, and an emptied Redis has forgotten what it had taken; the
label on an issue, the comment that asks and the comment that says "under way" are still
there. Suspended installations, owners who are not served and repositories that nothing can
be written to are passed over; trouble with one holds up no other.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import structlog
from redis.asyncio import Redis

from bot.dispatch import AnswerInquiry
from bot.github.app import GitHubApp
from bot.github.places import Installed, Place
from bot.queues import milliseconds
from bot.upkeep.said import Said, read_said
from bot.upkeep.taking_up import Ends, TakingUp
from handlers.questions import HandlerContext
from jobs.errors import Gone, Transient
from jobs.ports import BlobStore

FURTHEST_BACK = timedelta(days=30)
"""Comments of the first scan, and of one whose memory was lost."""
OVERLAP = timedelta(days=1)
MOST_PAGES = 20
"""2,000 comments of one repository, the last changed first."""
SCANNED = "skillbench:scan:began"

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """The chore."""

    app: GitHubApp
    redis: Redis
    blobs: BlobStore
    find_context: Callable[[], Awaitable[HandlerContext]]
    answer: AnswerInquiry
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    async def run(self) -> None:
        """Scan every installation. Raises `Transient` where GitHub does not name them."""
        began = self.clock()
        since = await self._look_back_to(began)
        ends = Ends(
            redis=self.redis,
            blobs=self.blobs,
            context=await self.find_context(),
            answer=self.answer,
        )
        all_well = True
        async for installed in self.app.installations():
            if installed.is_suspended or not ends.context.allows_owner(installed.owner):
                log.debug("installation_passed_over", owner=installed.owner)
                continue
            try:
                await self._scan_installation(installed, since, ends)
            except Gone as gone:
                log.info("installation_gone", owner=installed.owner, reason=str(gone))
            except Transient as trouble:
                log.warning("scan_cut_short", owner=installed.owner, problem=str(trouble))
                all_well = False
        if all_well:
            await self.redis.set(SCANNED, began.isoformat(), px=milliseconds(FURTHEST_BACK))

    async def _look_back_to(self, now: datetime) -> datetime:
        stored = await self.redis.get(SCANNED)
        if stored is None:
            return now - FURTHEST_BACK
        return datetime.fromisoformat(stored.decode()) - OVERLAP

    async def _scan_installation(self, installed: Installed, since: datetime, ends: Ends) -> None:
        async for place in self.app.places(installed.id):
            if not place.is_writable:
                continue
            try:
                # nobody has asked us for anything before we were there
                await self._scan_place(place, max(since, installed.since), ends)
            except Gone as gone:
                log.info("repository_gone", repo=place.repo.full_name, reason=str(gone))
            except Transient:
                raise
            except Exception:  # a defect that one repository shows must not hide all others
                log.exception("repository_not_scanned", repo=place.repo.full_name)

    async def _scan_place(self, place: Place, since: datetime, ends: Ends) -> None:
        repository = self.app.repository(place.repo)
        comments = repository.listings.comments(since=since, most_pages=MOST_PAGES)
        repo_file = await repository.repo_file()
        mention = ends.context.mention
        said: Said = await read_said(comments, mention, repo_file.mention or mention)
        taking_up = TakingUp(place, repository, said, ends)
        for tag, asked in said.unfinished.items():
            await taking_up.resume(tag, asked)
        asks = repo_file.labels.run
        async for issue in repository.listings.labelled(asks):
            await taking_up.take_up_label(issue, asks)
        for found in said.commands:
            await taking_up.take_up_command(found)
        if taking_up.taken:
            log.info("scan_took_up", repo=place.repo.full_name, requests=taking_up.taken)
