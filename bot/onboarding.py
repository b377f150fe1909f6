"""What a change of an installation leads to: welcomes on the queue, or an end of serving.

An installation has no issue to answer on, so its events do not go through `bot.dispatch`. As
there, doing it twice has the effect of doing it once.
"""

from dataclasses import dataclass

import msgspec
import structlog
from redis.asyncio import Redis

from bot.blobs import Blobs
from bot.cancels import Cancels
from bot.github.app import GitHubApp
from bot.queues import enqueue
from bot.upkeep.rounds import SCAN, make_due
from handlers.decisions import Decision, Enqueue, Ignore, StopServing
from handlers.events import EventRepository, InstallationChanged
from handlers.installation_changed import on_installation_changed
from handlers.questions import HandlerContext
from jobs.cancelling import Cancelled
from jobs.late import LATE, read_late

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Onboarding:
    """Carries out what is decided. Raises `Transient` and `Gone` as GitHub does."""

    app: GitHubApp
    redis: Redis
    blobs: Blobs

    async def handle(self, event: InstallationChanged, context: HandlerContext) -> Decision:
        """Decide on an event and carry the decision out; gives it, for the tests."""
        decision = await on_installation_changed(await self._completed(event, context), context)
        match decision:
            case Enqueue():
                await self._welcome(decision, event)
            case StopServing():
                await self._stop(decision)
            case Ignore(reason=reason):
                log.info("event_ignored", reason=reason)
        return decision

    async def _completed(
        self, event: InstallationChanged, context: HandlerContext
    ) -> InstallationChanged:
        """The event with its repositories, which GitHub does not always list."""
        is_new = event.change in {"added", "resumed"} and event.is_whole
        if not is_new or event.repositories or not context.allows_owner(event.owner):
            return event
        places = [
            EventRepository(
                id=place.id,
                owner=place.repo.owner,
                name=place.repo.name,
                private=place.repo.private,
                installation_id=event.installation_id,
            )
            async for place in self.app.places(event.installation_id)
            if place.is_writable
        ]
        return msgspec.structs.replace(event, repositories=tuple(places))

    async def _welcome(self, decision: Enqueue, event: InstallationChanged) -> None:
        for request in decision.requests:
            await enqueue(self.redis, request, delivery=event.delivery)
        if event.change == "resumed":  # what was asked for meanwhile was delivered to nobody
            await make_due(self.redis, SCAN)
            await self._carry_on(event.installation_id)
        log.info("welcomes_enqueued", owner=event.owner, requests=len(decision.requests))

    async def _carry_on(self, installation: int) -> None:
        """Put back what was stopped by the suspension, without the rest that outages get."""
        async for blob in self.blobs.walk(LATE):
            late = await read_late(blob.key, self.blobs)
            if late is not None and late.request.repo.installation_id == installation:
                await enqueue(self.redis, late.request, is_late=True)

    async def _stop(self, decision: StopServing) -> None:
        """Cancel what is going on there, and forget the token that opened it."""
        cancels = Cancels(self.redis)
        cancelled = Cancelled(by=decision.by, comes_back=decision.may_come_back)
        names = decision.repositories
        count = 0
        async for reference, request in cancels.find_all():
            repo = request.repo
            is_there = repo.installation_id == decision.installation_id
            if is_there and (names is None or repo.full_name in names):
                count += await cancels.cancel(reference, request, cancelled)
        if names is None:
            self.app.forget(decision.installation_id)
        log.info("serving_stopped", installation=decision.installation_id, requests=count)
