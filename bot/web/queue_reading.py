"""Reads the queue for the pages: everything that waits, runs and has failed, with its references.

What is read is of all repositories and is kept for a moment, since many look at once; what a
visitor sees of it is chosen afterwards.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

from arq.constants import in_progress_key_prefix
from redis.asyncio import Redis

from bot.cancels import flag_key, read_asking
from bot.queue_asking import retry_key
from bot.queue_view import SIGNS_OF_LIFE
from bot.queues import ASKED, AT_ONCE, EVENTS, JOB_KEY, REQUESTS
from bot.redis_clients import away_is_transient
from bot.store.expected import RedisExpected
from bot.store.failed_requests import RedisFailures
from bot.store.live_sessions import LiveReader
from bot.store.rights import RedisRights
from bot.store.seen_repos import RedisSeenRepos, SeenRepo, unseen_repo
from config.repo_sections import Permissions
from jobs.failures import Failure
from jobs.live_sessions import RunNow
from jobs.requests import Repo, Request

MOST_READ = 500
"""Requests at the front of the queue: whoever stands behind them is counted."""
KEPT_S = 1.0
"""How long one reading answers for all who look."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A request on the queue."""

    reference: str
    request: Request
    position: int
    """0: it is carried out."""
    is_retry: bool
    is_cancelled: bool
    expected_at: datetime | None


@dataclass(frozen=True, slots=True)
class Place:
    """The repository of a request, and what it takes to do something there."""

    repo: SeenRepo
    rights: Permissions


@dataclass(frozen=True, slots=True)
class Reading:
    """All of it at one moment."""

    askings: Sequence[Asking]
    """Those that are carried out, then the next in turn first."""
    failures: Sequence[Failure]
    """The last one first."""
    places: Mapping[str, Place]
    """By name in lower case."""
    retried: frozenset[str]
    """Ids of failures that were asked for again on the page within a week."""
    live: Sequence[RunNow]
    unread: int
    workers: int
    events: int
    at: datetime


class QueueReader:
    """One for a server. Raises `Transient` where Redis is away."""

    def __init__(self, redis: Redis, clock: Callable[[], datetime]) -> None:
        self._redis = redis
        self._clock = clock
        self._rights = RedisRights(redis)
        self._seen = RedisSeenRepos(redis)
        self._expected = RedisExpected(redis)
        self._live = LiveReader(redis)
        self.failures = RedisFailures(redis)
        self._reading = asyncio.Lock()
        self._kept: Reading | None = None
        self._good_until = 0.0

    async def read(self) -> Reading:
        """The queue now, or as it was a moment ago."""
        async with self._reading:
            if self._kept is None or time.monotonic() >= self._good_until:
                self._kept = await self._read()
                self._good_until = time.monotonic() + KEPT_S
            return self._kept

    def forget(self) -> None:
        """Something was done: the next reading is a new one."""
        self._good_until = 0.0

    async def find(self, reference: str) -> Asking | None:
        """A request on the queue by its reference."""
        askings, _ = await self._askings()
        return next((one for one in askings if one.reference == reference), None)

    async def place(self, repo: Repo) -> Place:
        """A request's repository, and what it takes to do something there."""
        name = repo.full_name.lower()
        return (await self._places([repo]))[name]

    async def _read(self) -> Reading:
        now = self._clock()
        askings, unread = await self._askings()
        failures = await self.failures.newest(now)
        repos = [*(one.request.repo for one in askings), *(one.request.repo for one in failures)]
        with away_is_transient():
            events = int(await self._redis.zcard(EVENTS))
            workers = len([key async for key in self._redis.scan_iter(SIGNS_OF_LIFE, 1000)])
        return Reading(
            askings=askings,
            failures=failures,
            places=await self._places(repos),
            retried=await self._find_retried(failures),
            live=await self._live.running(),
            unread=unread,
            workers=workers,
            events=events,
            at=now,
        )

    async def _find_retried(self, failures: Sequence[Failure]) -> frozenset[str]:
        if not failures:
            return frozenset()
        with away_is_transient():
            found = await self._mget([ASKED + retry_key(one) for one in failures])
        pairs = zip(failures, found, strict=True)
        return frozenset(one.id for one, memory in pairs if memory is not None)

    async def _places(self, repos: Sequence[Repo]) -> dict[str, Place]:
        named = {one.full_name.lower(): one for one in repos}
        seen = await self._seen.find_many(list(named))
        rights = await self._rights.find_many(
            [(one.installation_id, one.full_name) for one in named.values()]
        )
        return {
            name: Place(seen.get(name) or unseen_repo(repo.full_name, repo.installation_id), needed)
            for (name, repo), needed in zip(named.items(), rights, strict=True)
        }

    async def _askings(self) -> tuple[list[Asking], int]:
        with away_is_transient():
            found = await self._redis.zrange(REQUESTS, 0, MOST_READ - 1, withscores=True)
            unread = max(0, int(await self._redis.zcard(REQUESTS)) - len(found))
        running: list[Asking] = []
        waiting: list[Asking] = []
        for first in range(0, len(found), AT_ONCE):
            for one, is_running in await self._read_part(found[first : first + AT_ONCE]):
                into = running if is_running else waiting
                into.append(one)
        placed = [replace(one, position=at) for at, one in enumerate(waiting, start=1)]
        return [*running, *placed], unread

    async def _read_part(self, part: Sequence[tuple[bytes, float]]) -> list[tuple[Asking, bool]]:
        ids = [job_id.decode() for job_id, _ in part]
        with away_is_transient():
            bodies = await self._mget([JOB_KEY + one for one in ids])
            marks = await self._mget([in_progress_key_prefix + one for one in ids])
        rows = zip(ids, (score for _, score in part), bodies, marks, strict=True)
        read = [
            (asking, score > 0, mark is not None)
            for job_id, score, body, mark in rows
            if (asking := read_asking(job_id, body)) is not None
        ]
        if not read:
            return []
        with away_is_transient():
            flags = await self._mget([flag_key(reference) for (reference, _), _, _ in read])
        expected = await self._expected.find_many([request for (_, request), _, _ in read])
        found = zip(read, flags, expected, strict=True)
        return [
            (
                Asking(
                    reference=reference,
                    request=request,
                    position=0,
                    is_retry=is_retry and not is_running,
                    is_cancelled=flag is not None,
                    expected_at=until,
                ),
                is_running,
            )
            for ((reference, request), is_retry, is_running), flag, until in found
        ]

    async def _mget(self, keys: list[str]) -> list[bytes | None]:
        return await cast("Awaitable[list[bytes | None]]", self._redis.mget(keys))
