"""Tells whoever waits that they wait: where their request stands, and until when about.

A request that is not begun within seconds gets its living comment while it waits; once it is
begun the same comment goes on. A chore looks at the queue, so one process of the fleet writes;
a hold on the request keeps it from writing what stopped being so while it wrote.
"""

import asyncio
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import structlog
from arq.constants import in_progress_key_prefix
from redis.asyncio import Redis

from bot.expecting import Expecting, find_repo_file
from bot.github.app import GitHubApp
from bot.github.repository import RepositoryClient
from bot.github.tags import bears_tag
from bot.queue_view import RedisQueueView
from bot.queues import KEEP_JOB, REQUESTS, milliseconds
from bot.redis_clients import away_is_transient
from bot.store.expected import RedisExpected
from bot.store.holds import hold
from bot.store.ledger import RedisLedger
from config.effective import Effective
from config.settings import Settings
from jobs.errors import Gone, Transient
from jobs.estimates import Estimate, describe
from jobs.keeping import find_planned, request_folder
from jobs.living_comment import comment_tag
from jobs.ports import BlobStore, Clock
from jobs.reporting.waiting_comment import (
    BEGUN,
    WAITING,
    Load,
    Waiting,
    expect_seconds,
    render_begun,
    render_left,
    render_waiting,
)
from jobs.requests import Kind, Request, Value

LOOK = timedelta(seconds=5)
"""How often the queue is looked at, and how long a request waits before it is told."""
REST = timedelta(minutes=1)
"""Between two edits of one comment."""
MOST_NEW = 10
"""Comments that one look begins: five hundred labels at once must not keep reports waiting."""
MOST_TOLD = 30
"""Requests of a repository that are told at a time; those behind them are told in their turn."""
MOST_SEEN = 300
"""Requests of the queue that one look reads."""
WRITE_S = 20.0
"""A request that begins waits no longer for a comment that is being written."""
LIVING: frozenset[Kind] = frozenset({"benchmark", "trigger", "optimize", "dataset"})
"""Kinds whose living comment goes on where it is."""
APART: frozenset[Kind] = frozenset({"rejudge", "report", "verdict", "summary", "sync"})
"""Kinds whose answer is a comment of its own: the one that says that they wait is folded away."""

log = structlog.get_logger(__name__)


class Told(Value):
    """A comment that says that its request waits."""

    comment: int
    at: datetime
    """When it was written last."""


class _Place(NamedTuple):
    """Where a request stands."""

    before: int
    running: int
    effective: Effective
    estimate: Estimate
    own: Load
    ahead: tuple[Load, ...]


class WaitingComments:
    """Writes the comments of requests that wait. Raises `Transient` where Redis is away."""

    def __init__(
        self,
        *,
        settings: Settings,
        redis: Redis,
        app: GitHubApp,
        blobs: BlobStore,
        clock: Clock = lambda: datetime.now(UTC),
    ) -> None:
        self._settings = settings
        self._redis = redis
        self._app = app
        self._blobs = blobs
        self._clock = clock
        self._view = RedisQueueView(redis)
        self._ledger = RedisLedger(redis)
        self._expected = RedisExpected(redis)

    async def look(self) -> None:
        """Tell those who wait; what cannot be written now is written at another look."""
        queue = (await self._view.look(most=MOST_SEEN)).requests
        running = sum(one.is_running for one in queue)
        if running == len(queue):
            return
        expecting = Expecting(self._settings, self._ledger, self._app)
        ahead: list[Load] = []
        begun, told = 0, Counter[str]()
        for one in queue:
            repo = one.request.repo.full_name.casefold()
            is_told = not one.is_running and self._is_told(one.request) and told[repo] < MOST_TOLD
            effective = await expecting.settle(one.request) if is_told else None
            estimate, load = await expecting.find(one.request)
            if effective is not None:
                told[repo] += 1
                place = _Place(one.position - 1, running, effective, estimate, load, tuple(ahead))
                begun += await self._tell(one.request, place)
            ahead.append(load)
            if begun >= MOST_NEW:
                return

    async def begin(self, request: Request) -> None:
        """The request begins: what is being written about its waiting is awaited, and the last.

        Where no other comment says that it goes on, the one that said that it waits does.
        """
        await self._close(request)
        async with hold(self._redis, _held(request), look_s=0.05):
            pass
        told = await self._find(request) if request.kind in APART else None
        if told is not None:
            repository, tag = self._app.repository(request.repo), comment_tag(request)
            with suppress(Gone, Transient):  # a courtesy
                text = render_begun(await self._mention(request), request.asker)
                await repository.edit_comment(told.comment, text, tag=tag, droppable=True)

    async def end(self, request: Request) -> None:
        """The request has ended: a comment that still says that it waits is ended, too."""
        told = await self._find(request)
        with away_is_transient():
            await self._redis.delete(_told(request), _closed(request))
        if told is None:
            return
        repository = self._app.repository(request.repo)
        tag = comment_tag(request)
        with suppress(Gone, Transient):  # its answer was given; this is a courtesy
            for comment in await repository.comments(request.issue):
                waits = comment.body.partition("\n")[2].startswith((WAITING, BEGUN))
                if comment.by_this_app and bears_tag(comment.body, tag) and waits:
                    left = render_left(await self._mention(request), request.asker)
                    await repository.edit_comment(comment.id, left, tag=tag)
                    await repository.minimise(comment.id)

    async def _tell(self, request: Request, place: _Place) -> bool:
        """Write one comment, unless the request begins; whether it is a new one."""
        known = await self._find(request)
        if known is not None and self._is_within(REST, known.at):
            return False
        try:
            async with hold(self._redis, _held(request), look_s=0.05), asyncio.timeout(WRITE_S):
                if not await self._waits(request):
                    return False
                seconds = self._expect(place)
                if seconds is not None:
                    until = self._clock() + timedelta(seconds=seconds)
                    await self._expected.keep(request, until)
                return await self._write(request, self._render(request, place, seconds), known)
        except Gone as gone:
            log.info("nowhere_to_tell", key=request.key, reason=str(gone))
            await self._close(request)  # said once: another look would find no more
        except (Transient, TimeoutError) as trouble:
            log.info("not_told", key=request.key, problem=str(trouble))
            return True  # it was tried, and counts among the new ones of this look
        return False

    async def _write(self, request: Request, text: str, known: Told | None) -> bool:
        repository: RepositoryClient = self._app.repository(request.repo)
        tag, comment = comment_tag(request), known.comment if known else 0
        if known is not None:
            with suppress(Transient):  # left out; the next one says more
                await repository.edit_comment(comment, text, tag=tag, droppable=True)
        else:
            await repository.react(request.issue, request.comment_id, "eyes")
            comment = (await repository.comment(request.issue, text, tag=tag)).id
        told = Told(comment=comment, at=self._clock()).model_dump_json()
        with away_is_transient():
            await self._redis.set(_told(request), told, px=milliseconds(KEEP_JOB))
        return known is None

    async def _waits(self, request: Request) -> bool:
        """Whether it still waits, and was never begun: then its comment says other things."""
        job_id = f"request:{request.key}"
        with away_is_transient():
            score = await self._redis.zscore(REQUESTS, job_id)
            marks = await self._redis.exists(in_progress_key_prefix + job_id, _closed(request))
        if score is None or marks:
            return False
        return await find_planned(request_folder(request), self._blobs) is None

    async def _close(self, request: Request) -> None:
        """Write no more of its waiting."""
        with away_is_transient():
            await self._redis.set(_closed(request), 1, px=milliseconds(KEEP_JOB))

    async def _find(self, request: Request) -> Told | None:
        with away_is_transient():
            stored = await self._redis.get(_told(request))
        return Told.model_validate_json(stored) if stored else None

    async def _mention(self, request: Request) -> str:
        """How the bot is mentioned in the request's repository."""
        return (await find_repo_file(self._app, request)).mention or self._settings.mention

    def _is_told(self, request: Request) -> bool:
        """Whether somebody asked for it on an issue, and has waited a moment."""
        asked = request.origin in {"label", "comment", "button"} and request.issue
        has_waited = not self._is_within(LOOK, request.asked_at)
        return bool(asked) and request.kind in LIVING | APART and has_waited

    def _is_within(self, period: timedelta, since: datetime) -> bool:
        """Whether it is less than so long ago; what has yet to come is another clock's mistake."""
        return timedelta(0) <= self._clock() - since < period

    def _expect(self, place: _Place) -> float | None:
        """In how many seconds the request will have ended; None: nobody knows."""
        return expect_seconds(
            place.own,
            place.ahead,
            per_repository=self._settings.max_requests_per_repository,
            overall=self._settings.max_requests_overall,
        )

    def _render(self, request: Request, place: _Place, seconds: float | None) -> str:
        is_run = request.kind == "benchmark"
        return render_waiting(
            Waiting(
                asker=request.asker,
                before=place.before,
                running=place.running,
                seconds=seconds,
                expected=describe(place.estimate) if is_run and place.estimate.tokens else "",
                most_usd=place.effective.usd_per_run.value if is_run else None,
                mention=place.effective.mention.value,
                label=request.label if request.origin == "label" else "",
                is_apart=request.kind in APART,
                at=self._clock(),
            )
        )


def _closed(request: Request) -> str:
    return f"skillbench:told-enough:{comment_tag(request)}"


def _told(request: Request) -> str:
    return f"skillbench:told:{comment_tag(request)}"


def _held(request: Request) -> str:
    return f"skillbench:telling:{comment_tag(request)}"
