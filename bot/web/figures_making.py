"""Makes figures behind the pages: each once, however many ask for it, in however many processes."""

import asyncio
import time
from collections.abc import Callable
from datetime import datetime, timedelta

import structlog
from redis.asyncio import Redis

from bot.store.eval_digests import find_digests
from bot.store.figures_shelf import FiguresShelf, What
from bot.store.holds import hold
from bot.store.ledger import RedisLedger
from bot.store.run_index import Choice, RunIndex
from bot.web.aside import Aside
from bot.web.figures_work import GivenRuns, find_eval_ids, find_notes, work_out
from config.settings import Settings
from jobs.conclusions.thresholds import Thresholds
from jobs.errors import Error

MOST_READ = 1_000
"""Of a skill's runs, the newest."""
AT_ONCE = 2
"""One is read from Redis while the other is worked out: there is one process for that."""
MADE_ANEW = timedelta(hours=1)
"""Money is counted for the last seven days, so figures age although nothing was run."""
FAILED_FOR_S = 30.0
"""What could not be made is not tried again for so long."""

Key = tuple[str, str, What]
"""Repository in lower case, path of the skill, what of it."""

log = structlog.get_logger(__name__)


class FiguresMaking:
    """What is being made by this process."""

    def __init__(
        self,
        redis: Redis,
        settings: Settings,
        aside: Aside,
        shelf: FiguresShelf,
        clock: Callable[[], datetime],
    ) -> None:
        self._redis = redis
        self._settings = settings
        self._aside = aside
        self._shelf = shelf
        self._clock = clock
        self._index = RunIndex(redis)
        self._ledger = RedisLedger(redis)
        self._rooms = {"skill": asyncio.Semaphore(AT_ONCE), "notes": asyncio.Semaphore(1)}
        self._tasks: dict[Key, asyncio.Task[None]] = {}
        self._failed: dict[Key, float] = {}

    def begin(self, repo: str, skill: str, what: What = "skill") -> "asyncio.Task[None] | None":
        """Make something of a skill as it is now; None where that has just failed.

        The task ends without an error, whatever comes of it.
        """
        key: Key = (repo.lower(), skill, what)
        if (task := self._tasks.get(key)) is not None:
            return task
        if self._failed.get(key, 0.0) > time.monotonic():
            return None
        self._failed.pop(key, None)
        task = asyncio.create_task(self._make_safely(key, repo))
        self._tasks[key] = task
        return task

    async def close(self) -> None:
        """Stop making."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _make_safely(self, key: Key, repo: str) -> None:
        try:
            async with self._rooms[key[2]]:
                name = f"skillbench:figures-hold:{':'.join(key)}"
                async with hold(self._redis, name, look_s=0.05):
                    if not await self._is_made(*key):  # another process did meanwhile
                        await self._make(repo, key[1], key[2])
        except Exception as trouble:
            self._failed[key] = time.monotonic() + FAILED_FOR_S
            if isinstance(trouble, Error):
                log.warning("figures_not_made", repo=repo, skill=key[1], problem=str(trouble))
            else:
                log.exception("figures_not_made", repo=repo, skill=key[1])
        finally:
            self._tasks.pop(key, None)

    async def _is_made(self, repo: str, skill: str, what: What) -> bool:
        made = await self._shelf.made(repo, skill, what)
        if made is None or self._clock() - made.at > MADE_ANEW:
            return False
        is_current = made.version == await self._index.version(repo, skill)
        return is_current and await self._shelf.read(what, repo, [skill]) != [None]

    async def _make(self, repo: str, skill: str, what: What) -> None:
        version = await self._index.version(repo, skill)  # before the runs: rather too old
        part = await self._index.part(repo, Choice(skill), None, MOST_READ)
        stored = await self._ledger.stored(repo, part.runs)
        digests = await find_digests(self._redis, repo, find_eval_ids(stored))
        given = GivenRuns(repo, skill, stored, part.total, digests)
        now = self._clock()
        if what == "notes":
            notes = await self._aside.run(find_notes, given, self._settings.blobs)
            await self._shelf.put(repo, skill, {"notes": notes}, version, now)
            return
        limits = Thresholds.of(self._settings)
        card, figures = await self._aside.run(work_out, given, limits, now)
        await self._shelf.put(repo, skill, {"card": card, "skill": figures}, version, now)
