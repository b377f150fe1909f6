"""Makes the ledger's index whole: of a ledger that is older than it, and of what an older worker
wrote meanwhile.

Whether something lacks is seen in two counts, so it is looked at whenever an index is read. Making
it twice, or by two processes at once, comes to the same.
"""

import asyncio
import time
from collections.abc import Awaitable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Literal, cast

import msgspec
import structlog
from redis.asyncio import Redis
from redis.asyncio.client import Pipeline
from redis.exceptions import WatchError

from bot.store.eval_digests import digests_key
from bot.store.run_index import (
    INDEX,
    REPOS,
    STATES,
    Choice,
    RunIndex,
    index_runs,
    models_key,
    runs_key,
    skills_key,
    touch,
)

RUNS = "skillbench:runs:"
"""Before a repository's name in lower case: hash of its runs, by run id."""
LOOKED = f"{INDEX}looked"
"""Stands for as long as no repository is looked for that the index does not know."""
LOOK_AGAIN_S = 3600
LOOKING_S = 60
"""Whoever looks may be killed: then the next one does after this long."""
AT_ONCE = 200
"""Records that are read in one go."""

log = structlog.get_logger(__name__)


class _Record(msgspec.Struct):
    """What the index needs of a record: all else is left unread."""

    run: str
    repo: str
    skill: str
    model: str
    eval_id: str
    eval_digest: str
    state: Literal["complete", "ungraded"]
    invalid: bool = False
    finished_at: datetime | None = None
    pull: int = 0
    should_load: bool = True


_Scanned = tuple[int, dict[bytes, bytes]]
_decode = msgspec.json.Decoder(_Record).decode


class IndexUpkeep:
    """Of one Redis. Raises what Redis raises."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._index = RunIndex(redis)
        self._turn = asyncio.Lock()
        self._odd: dict[str, tuple[float, tuple[int, int]]] = {}
        """Repositories whose counts stay different, as where a record cannot be read: which
        counts, and until when nothing is done about it.
        """

    async def find_repos(self) -> None:
        """Index every repository of whose runs the index knows nothing; looks once an hour."""
        if await self._redis.exists(LOOKED):  # asked before, as a full Redis takes no writes
            return
        if not await self._redis.set(LOOKED, "1", ex=LOOKING_S, nx=True):
            return
        async for key in self._redis.scan_iter(f"{RUNS}*", count=1000, _type="HASH"):
            await self.ensure([key.decode().removeprefix(RUNS)])
        await self._redis.set(LOOKED, "1", ex=LOOK_AGAIN_S)

    async def ensure(self, repos: Sequence[str]) -> None:
        """Make the index of each of these repositories whole where it is not.

        One at a time: many look at once at a ledger that is not indexed yet.
        """
        if not await self._find_lacking(repos):
            return
        async with self._turn:
            for repo in await self._find_lacking(repos):
                await self.make(repo)

    async def _find_lacking(self, repos: Sequence[str]) -> list[str]:
        async with self._redis.pipeline(transaction=True) as asked:
            for repo in repos:
                _ask_counts(asked, repo)
            found = await asked.execute()
        lacking = []
        for repo, counts in zip(repos, zip(found[::2], found[1::2], strict=True), strict=True):
            until, known = self._odd.get(repo.lower(), (0.0, None))
            if counts[0] != counts[1] and not (counts == known and time.monotonic() < until):
                lacking.append(repo)
        return lacking

    async def make(self, repo: str) -> None:
        """Index all runs of a repository, and forget those that are no more."""
        for is_last in (False, True):
            skills = await self._add_all(repo)
            async with self._redis.pipeline(transaction=True) as both:
                touch(both, repo, skills)
                _ask_counts(both, repo)
                *_, there, indexed = await both.execute()
            if indexed == there or is_last:
                break  # else an older worker wrote meanwhile, or a run cannot be read
            if indexed > there:
                await self.forget(repo)  # it holds runs that are no more, and is made anew
        if there != indexed:
            log.warning("runs_not_indexed", repo=repo, runs=there, indexed=indexed)
            self._odd[repo.lower()] = (time.monotonic() + LOOK_AGAIN_S, (there, indexed))
        log.info("runs_indexed", repo=repo, runs=indexed)

    async def _add_all(self, repo: str) -> set[str]:
        """Index every run there is; gives the skills that have one."""
        key = RUNS + repo.lower()
        skills: set[str] = set()
        cursor = 0
        async with self._redis.pipeline(transaction=True) as pipe:
            while True:
                with suppress(WatchError):  # a worker wrote meanwhile: this part is read again
                    await pipe.watch(key)
                    # a watching pipeline answers at once
                    then, stored = await cast(
                        "Awaitable[_Scanned]", pipe.hscan(key, cursor, count=AT_ONCE)
                    )
                    if records := list(_read(stored.values())):
                        pipe.multi()  # type: ignore[no-untyped-call]
                        index_runs(pipe, repo, records)
                        await pipe.execute()
                    skills |= {one.skill for one in records}
                    cursor = then
                    if cursor == 0:
                        return skills

    async def forget(self, repo: str) -> None:
        """Take a repository out of the index."""
        state = await self._index.state(repo)
        keys = [skills_key(repo), digests_key(repo)]
        for skill in ("", *state.skills):
            models = await self._index.models(repo, skill)
            chosen = [Choice(skill, model, end) for model in models for end in STATES]
            keys += [models_key(repo, skill)]
            keys += [runs_key(repo, one) for one in (Choice(skill), *chosen)]
        async with self._redis.pipeline(transaction=True) as both:
            both.hdel(REPOS, repo.lower())
            both.delete(*keys)
            await both.execute()


def _ask_counts(pipe: Pipeline, repo: str) -> None:
    """How many runs there are, and how many are indexed."""
    pipe.hlen(RUNS + repo.lower())
    pipe.zcard(runs_key(repo, Choice()))


def _read(stored: Iterable[bytes]) -> Iterable[_Record]:
    for one in stored:
        with suppress(msgspec.DecodeError, UnicodeDecodeError):
            yield _decode(one)
