"""Pages that workers have made, kept in Redis so that any web process can show them.

Each is small, complete and packed, and goes after a month. A page of a private repository is
never put here, and one of a repository that became private is not shown any more: whoever has the
address sees a page, and an address gets around. Losing a page
loses nothing else, so a Redis that is away is no reason to stop what the page tells of.
"""

import base64
import gzip
import hashlib
import re
import zlib
from collections.abc import Awaitable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

import structlog
from redis.asyncio import Redis

from bot.redis_clients import REDIS_AWAY
from bot.store.seen_repos import SEEN, is_closed
from jobs.requests import Repo

KEY = "skillbench:page:"
KEPT = timedelta(days=30)
LARGEST = 4 * 1024 * 1024
"""Bytes of a page as a browser gets it."""
LARGEST_PACKED = 512 * 1024
"""Bytes of a page in Redis."""
PIECE = 64 * 1024
"""Bytes in hand for one reader, however slow."""
PATH = "/runs/"
_ID = re.compile(r"[0-9a-f]{32,64}")
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Page:
    """A page as it is kept: packed, with what its headers say."""

    packed: bytes
    """The HTML under gzip."""
    version: str
    """A digest of the HTML."""
    style: str
    """Hash of the page's one style sheet, as a Content-Security-Policy names it."""

    def packed_pieces(self) -> Iterator[bytes]:
        """The page as it is kept, a little at a time."""
        for start in range(0, len(self.packed), PIECE):
            yield self.packed[start : start + PIECE]

    def pieces(self) -> Iterator[bytes]:
        """The HTML, unpacked no faster than it is taken."""
        unpacking = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        for packed in self.packed_pieces():
            waiting = packed
            while waiting:
                yield unpacking.decompress(waiting, PIECE)
                waiting = unpacking.unconsumed_tail
        yield unpacking.flush()


class PageShelf:
    """Implements `jobs.ports.Pages`, and is where the web process looks."""

    def __init__(self, redis: Redis, *, public_url: str = "") -> None:
        """`public_url` is where this bot's web process is reached, without a slash at its end."""
        self._redis = redis
        self._public_url = public_url

    async def put(self, repo: Repo, page_id: str, html: str) -> str | None:
        """Keep a page and give its address; None where it may or can not be shown.

        Raises `ValueError` for an id that could be guessed, or that no address can hold.
        """
        if not _ID.fullmatch(page_id):
            raise ValueError("a page's id is 32 to 64 hexadecimal digits")
        if repo.private or not self._public_url:
            return None
        content = html.encode()
        packed = gzip.compress(content, compresslevel=6, mtime=0)
        if len(content) > LARGEST or len(packed) > LARGEST_PACKED:
            log.warning("page_too_large", page=page_id, size=len(content), packed=len(packed))
            return None
        fields = {
            "html": packed,
            "version": _version(content),
            "style": _hash_first_style(html),
            "repo": repo.full_name.lower(),
        }
        try:
            async with self._redis.pipeline() as pipeline:
                pipeline.hset(KEY + page_id, mapping=fields)
                pipeline.expire(KEY + page_id, KEPT)
                await pipeline.execute()
        except REDIS_AWAY as trouble:
            # the next one may be kept, under the same address
            log.warning("page_not_kept", page=page_id, problem=type(trouble).__name__)
        return f"{self._public_url}{PATH}{page_id}"

    async def get(self, page_id: str) -> Page | None:
        """The page with this id, if there is one that may be shown. Raises `REDIS_AWAY`."""
        if not _ID.fullmatch(page_id):
            return None
        asked = self._redis.hmget(KEY + page_id, ["html", "version", "style", "repo"])
        found = await cast("Awaitable[list[bytes | None]]", asked)
        packed, version, style, repo = found
        if packed is None or version is None or style is None or await self._is_closed(repo):
            return None
        return Page(packed, version.decode(), style.decode())

    async def get_version(self, page_id: str) -> str | None:
        """The version of the page with this id that `get` gives. Raises `REDIS_AWAY`."""
        if not _ID.fullmatch(page_id):
            return None
        asked = self._redis.hmget(KEY + page_id, ["version", "repo"])
        version, repo = await cast("Awaitable[list[bytes | None]]", asked)
        return None if version is None or await self._is_closed(repo) else version.decode()

    async def _is_closed(self, repo: bytes | None) -> bool:
        """Whether a page's repository became private since; pages of an older bot name none."""
        if repo is None:
            return False
        asked = self._redis.hget(SEEN, repo.decode())
        return is_closed(await cast("Awaitable[bytes | None]", asked))


def _version(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


def hash_style(style: str) -> str:
    """A style sheet as a Content-Security-Policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()


def _hash_first_style(html: str) -> str:
    """Of the first style sheet: a second one would be a guest's."""
    found = _STYLE.search(html)
    return hash_style(found[1] if found else "")
