"""Takes up what a repository waits for and nobody works on, as if it were asked for now.

Whoever asked must be allowed to spend now, as for an event; a request that had begun goes on
as the same one, so that nothing it paid for is paid again. Each asking is taken up once: one
that takes its workers down must not come back every few hours.
"""

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from redis.asyncio import Redis

from bot.dispatch import AnswerInquiry, dispatch
from bot.github.listings import FoundComment, LabelledIssue, Labelling, Person
from bot.github.places import Place
from bot.github.repository import RepositoryClient
from bot.queues import REQUESTS, RequestQueue, forget_asking, milliseconds
from bot.upkeep.said import Asked, Said
from handlers.decisions import CancelRequests
from handlers.events import Actor, EventRepository, IssueCommented, IssueLabelled
from handlers.questions import HandlerContext
from jobs.errors import Gone
from jobs.keeping import asking_folder, find_planned
from jobs.ports import BlobStore
from jobs.pull_requests.plan import pull_folder
from jobs.requests import Request

REMEMBERED = timedelta(days=30)
"""How long an asking that was taken up is not taken up again."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """What taking up needs beside the repository itself."""

    redis: Redis
    blobs: BlobStore
    context: HandlerContext
    answer: AnswerInquiry


class TakenUp(RequestQueue):
    """The queue as dispatch takes it, for what is found instead of delivered."""

    def __init__(self, redis: Redis, said: Said, asked_at: datetime | None = None) -> None:
        super().__init__(redis)
        self._own_redis = redis
        self._said = said
        self._asked_at = asked_at
        self.taken = 0

    async def enqueue(self, request: Request, *, delivery: str) -> bool:
        """Put a request on the queue that nothing answers yet."""
        if request.origin == "comment" and request.key in self._said.answered:
            return False
        if asked_at := self._said.begun_at(request.key) or self._asked_at:
            request = request.model_copy(update={"asked_at": asked_at})
        is_new = await super().enqueue(request, delivery=delivery)
        if is_new:
            self.taken += 1
            await forget_asking(self._own_redis, request)
        return is_new

    async def find_asking(self, request: Request) -> None:
        """Nobody has asked twice: only we have looked twice."""

    async def cancel(self, _: CancelRequests) -> int:
        """What is found late takes nothing back."""
        return 0

    async def is_being_cancelled(self, _: Request) -> bool:
        return False


class TakingUp:
    """What waits in one repository."""

    def __init__(self, place: Place, repository: RepositoryClient, said: Said, ends: Ends) -> None:
        self._place = place
        self._repository = repository
        self._said = said
        self._ends = ends
        self.taken = 0

    async def resume(self, tag: str, asked: Asked) -> None:
        """Go on with a request whose living comment was left in the middle."""
        if await self._is_queued(asked.key):
            return
        async with self._once(tag) as is_first:
            if is_first:
                await self._resume(asked)

    async def _resume(self, asked: Asked) -> None:
        folder = asking_folder(asked.key, asked.at)
        if await self._ends.blobs.exists(f"{folder}/ended"):
            return
        planned = await find_planned(folder, self._ends.blobs) or await find_planned(
            pull_folder(asked.key, asked.at), self._ends.blobs
        )
        if planned is None:
            log.info("plan_is_lost", key=asked.key)
            self._said.answered.discard(asked.key)  # what asked for it may be found still
            return
        request = planned.request.model_copy(update={"repo": self._place.repo})
        if not await self._may_spend(request.asker):
            log.info("may_not_spend_any_more", key=asked.key)
            return
        queue = TakenUp(self._ends.redis, Said())
        if await queue.enqueue(request, delivery=""):
            self._count(asked.key)

    async def take_up_label(self, issue: LabelledIssue, label: str) -> None:
        """Ask for the benchmark of a labelled issue, in the name of whoever labelled it."""
        repo = self._place.repo
        key = f"label:{repo.full_name}#{issue.number}"
        if await self._is_queued(key):
            return
        labelling = await self._find_labelling(issue.number, label)
        if labelling is None:
            log.warning("not_taken_up", key=key, reason="GitHub does not tell who labelled it")
            return
        asked_at = self._said.begun_at(key) or labelling.at
        async with self._once(f"{key}@{asked_at.isoformat()}") as is_first:
            if not is_first:
                return
            event = IssueLabelled(
                delivery=f"scan:{issue.number}:{labelling.at:%Y%m%dT%H%M%S}",
                repository=self._event_repository(),
                sender=_actor(labelling.by),
                issue=issue.number,
                is_pull_request=issue.is_pull_request,
                labels=(label,),
                at=labelling.at,
            )
            await self._dispatch(event, asked_at)

    async def _find_labelling(self, issue: int, label: str) -> Labelling | None:
        try:
            return await self._repository.listings.find_labelling(issue, label)
        except Gone:
            return None

    async def take_up_command(self, found: FoundComment) -> None:
        """Answer the commands of a comment that nothing answers."""
        comment = found.comment
        async with self._once(f"comment:{comment.id}@{found.changed_at.isoformat()}") as is_first:
            if not is_first or found.by is None:
                return
            event = IssueCommented(
                delivery=f"scan:{comment.id}",
                repository=self._event_repository(),
                sender=_actor(found.by),
                issue=found.issue,
                is_pull_request=found.is_pull_request,
                comment_id=comment.id,
                body=comment.body,
                body_before=None,
                created_at=comment.created_at,
                changed_at=found.changed_at,
            )
            await self._dispatch(event, None)

    async def _dispatch(
        self, event: IssueLabelled | IssueCommented, asked_at: datetime | None
    ) -> None:
        queue = TakenUp(self._ends.redis, self._said, asked_at)
        await dispatch(event, self._ends.context, self._repository, queue, self._ends.answer)
        if queue.taken:
            self._count(event.delivery)

    def _count(self, what: str) -> None:
        self.taken += 1
        log.info("taken_up", repo=self._place.repo.full_name, what=what)

    async def _is_queued(self, key: str) -> bool:
        """Whether the request with this key waits or runs."""
        return await self._ends.redis.zscore(REQUESTS, f"request:{key}") is not None

    async def _may_spend(self, login: str) -> bool:
        # no person can have such a login
        asker = Actor(id=0, login=login, is_bot=login.endswith("[bot]"))
        if self._ends.context.trusts_bot(asker):
            return True
        role = await self._repository.permission(login)
        return (await self._repository.repo_file()).permissions.allow("run", role)

    def _event_repository(self) -> EventRepository:
        repo = self._place.repo
        return EventRepository(
            id=self._place.id,
            owner=repo.owner,
            name=repo.name,
            private=repo.private,
            installation_id=repo.installation_id,
        )

    @asynccontextmanager
    async def _once(self, asking: str) -> AsyncIterator[bool]:
        """Whether this asking comes up for the first time; noted where the block ends well.

        An issue that is not there any more counts as well; trouble does not.
        """
        name = f"{self._place.id}|{asking}"
        key = f"skillbench:taken_up:{hashlib.sha256(name.encode()).hexdigest()[:32]}"
        try:
            yield not await self._ends.redis.exists(key)
        except Gone as gone:
            log.info("not_taken_up", what=asking, reason=str(gone))
        await self._ends.redis.set(key, "1", px=milliseconds(REMEMBERED))


def _actor(person: Person) -> Actor:
    return Actor(id=person.id, login=person.login, is_bot=person.is_bot)
