"""The repository's own file, as handlers ask for it: soon, often, and about the same few.

What was read is kept in Redis for all workers, for five minutes, and forgotten with each push
to the default branch. So a burst of fifty labels costs two calls, or one where there is no
such folder. A file that cannot be used says nothing here: whatever is asked for is a job in
the end, and the job refuses with the reasons.
"""

import asyncio
from collections.abc import Awaitable
from datetime import timedelta
from functools import lru_cache
from pathlib import PurePosixPath
from typing import cast

from redis.asyncio import Redis

from bot.github.calls import Calls
from bot.github.failures import NotFound
from bot.github.reads import base_of
from bot.redis_clients import away_is_transient
from bot.store.holds import hold
from bot.store.rights import RedisRights
from config.repo_file import REPO_FILES, RepoFile, RepoFileError, parse_repo_file
from config.yaml_lines import MAX_BYTES
from jobs.requests import Repo

KEPT_FOR = timedelta(minutes=5)
"""A push whose delivery is lost holds after this time at the latest."""
LOOK_S = 0.02
BARE_FILE = {"Accept": "application/vnd.github.raw+json"}
FOLDER = str(PurePosixPath(REPO_FILES[0]).parent)


class RepoFiles:
    """The file of one repository, on its default branch. Without a Redis nothing is kept."""

    def __init__(self, calls: Calls, repo: Repo, redis: Redis | None = None) -> None:
        self._calls = calls
        self._base = base_of(repo)
        self._redis = redis
        self._place = (repo.installation_id, repo.full_name)
        self._key = f"skillbench:repo-file:{repo.installation_id}:{repo.full_name.lower()}"

    async def repo_file(self) -> RepoFile:
        """What the file says; nothing, where there is none or it cannot be used.

        Raises `Gone` and `Transient` as every read does.
        """
        if self._redis is None:
            return await _parse(await self._fetch())
        kept = await self._find(self._redis)
        if kept is None:  # of many who ask at once, one fetches
            async with hold(self._redis, f"{self._key}:fetched", look_s=LOOK_S):
                kept = await self._find(self._redis)
                if kept is None:
                    kept = await self._fetch()
                    with away_is_transient():
                        await self._redis.set(self._key, kept, ex=KEPT_FOR)
                    rights = (await _parse(kept)).permissions
                    await RedisRights(self._redis).keep(*self._place, rights)
        return await _parse(kept)

    async def _find(self, redis: Redis) -> bytes | None:
        with away_is_transient():
            return await cast("Awaitable[bytes | None]", redis.get(self._key))

    async def forget(self, *, may_differ: bool = True) -> None:
        """Read it anew the next time. If it `may_differ`, so may what it takes to do something."""
        if self._redis is not None:
            with away_is_transient():
                await self._redis.delete(self._key)
            if may_differ:
                await RedisRights(self._redis).forget(*self._place)

    async def read_at(self, commit: str = "") -> dict[str, bytes | None]:
        """The files in a commit, by path; without one, on the default branch.

        Looks into the folder first, since most repositories have no such file under either name.
        None stands for a file that is too large. A link is no such file; jobs follow none either.
        """
        params = {"ref": commit} if commit else {}
        try:
            entries = await self._calls.read_json(f"{self._base}/contents/{FOLDER}", params=params)
        except NotFound:
            return {}
        if not isinstance(entries, list):  # a file of this name
            return {}
        found: dict[str, bytes | None] = {}
        for one in entries:
            if one["path"] in REPO_FILES and one["type"] == "file":
                is_small = one["size"] <= MAX_BYTES
                found[one["path"]] = await self._read(one["path"], params) if is_small else None
        return found

    async def _fetch(self) -> bytes:
        """The file's bytes; none where there is no file, two of them, or one beyond any use."""
        contents = list((await self.read_at()).values())
        return contents[0] or b"" if len(contents) == 1 else b""

    async def _read(self, path: str, params: dict[str, str]) -> bytes:
        try:
            answer = await self._calls.read(
                f"{self._base}/contents/{path}", params=params, headers=BARE_FILE
            )
        except NotFound:  # deleted this moment
            return b""
        return answer.content


async def _parse(content: bytes) -> RepoFile:
    """In a thread: a file of the largest size takes most of a second."""
    return await asyncio.to_thread(_parsed, content)


@lru_cache(maxsize=256)
def _parsed(content: bytes) -> RepoFile:
    try:
        return parse_repo_file(content)
    except RepoFileError:
        return RepoFile()
