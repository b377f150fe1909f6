"""Reads and writes of one installation: retried, spaced, followed through renames.

Everything above this module speaks in paths below the API's address. A write is given as an
attempt that is safe to repeat; this module gives each attempt its moment, so that a step
that looks before it writes looks at the last instant.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

import httpx
import structlog

from bot.github.client import Client, Content, origin_of
from bot.github.failures import Limited, Moved, NotFound, ServerTrouble, route_of
from bot.github.pacing import Pacer
from bot.github.retry import LONGEST_WAIT_S, Timing, limit_wait_s, run_with_retries
from jobs.errors import Transient

log = structlog.get_logger(__name__)

T = TypeVar("T")

PAGE = 100
"""The most that GitHub lists on one page."""
MOST_PAGES = 1000
"""A listing that goes on for ever is a broken server, not a long issue."""
MOST_REDIRECTS = 5
DROPPABLE_WAIT_S = 5.0
"""A progress edit that would come later than this is stale; the next one says more."""
KEPT_FOR_REPORTS = 100
"""Writes of the hour that progress edits may not use up."""


class Calls:
    """The calls of one installation. Raises `Gone`, `Transient` and `Rejected` everywhere."""

    def __init__(self, client: Client, *, installation: int, pacer: Pacer, timing: Timing) -> None:
        self._client = client
        self._installation = installation
        self._pacer = pacer
        self.timing = timing

    async def read(
        self,
        path: str,
        *,
        params: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
        stream: bool = False,
    ) -> httpx.Response:
        """GET, repeated at once on 5xx and dropped connections."""

        async def attempt() -> httpx.Response:
            return await self.send("GET", path, params=params, headers=headers, stream=stream)

        return await self.repeat(attempt)

    async def read_json(self, path: str, *, params: dict[str, Any] | None = None) -> Any:
        """GET what is JSON; anything else in its place is trouble of a server or proxy."""

        async def attempt() -> Any:
            return json_of(await self.send("GET", path, params=params))

        return await self.repeat(attempt)

    async def pages(
        self,
        path: str,
        *,
        params: dict[str, Any] | None = None,
        within: str = "",
        most: int = MOST_PAGES,
    ) -> AsyncIterator[dict[str, Any]]:
        """Every entry of a listing, page after page; `within` names the field it stands in.

        Raises `Transient` after `most` pages. Counts pages itself and takes only the word
        "next" from the Link header: its address may name a host that a proxy hides, where the
        token has no business.
        """
        for page in range(1, most + 1):
            entries, more = await self.repeat(partial(self._page, path, params or {}, page))
            for entry in entries[within] if within else entries:
                yield entry
            if not more:
                return
        raise Transient(f"GitHub lists more than {most} pages at {path}")

    async def write(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Run an attempt that is safe to repeat, each time in its own moment."""

        async def paced() -> T:
            slot = await self._pacer.reserve(self._installation, longest_s=LONGEST_WAIT_S)
            if not slot.granted:
                wait = timedelta(seconds=slot.wait_s)
                raise Transient("too many writes in this hour", retry_after=wait)
            await self.timing.sleep(slot.wait_s)
            return await attempt()

        return await self.repeat(paced)

    async def write_or_drop(self, attempt: Callable[[], Awaitable[object]]) -> bool:
        """Run an attempt once, if its moment is near and GitHub is well; whether it was done."""
        slot = await self._pacer.reserve(
            self._installation, longest_s=DROPPABLE_WAIT_S, kept_back=KEPT_FOR_REPORTS
        )
        if not slot.granted:
            return False
        await self.timing.sleep(slot.wait_s)
        try:
            await attempt()
        except Limited as limit:
            await self._pause(limit_wait_s(limit, 1, self.timing.spread()))
            return False
        except (ServerTrouble, Transient) as trouble:
            log.info("droppable_write_failed", problem=str(trouble))
            return False
        return True

    async def repeat(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Run an attempt that is safe to repeat, without giving it a moment first."""
        return await run_with_retries(attempt, timing=self.timing, on_limit=self._pause)

    async def send(  # noqa: PLR0913 -- the parts of an HTTP request
        self,
        method: str,
        path: str,
        *,
        params: dict[str, Any] | None = None,
        json: Any = None,
        headers: dict[str, str] | None = None,
        content: Content | None = None,
        stream: bool = False,
        follow: bool = True,
    ) -> httpx.Response:
        """One request, as it is, also where a rename redirects it (unless not to `follow`)."""
        target = path
        for _ in range(MOST_REDIRECTS):
            try:
                return await self._client.send(
                    method, target, params=params, json=json,
                    headers=headers, content=content, stream=stream,
                )  # fmt: skip
            except NotFound as missing:
                if target == path:
                    raise
                raise NotFound(f"{method} {path} was moved: {missing}") from None
            except Moved as moved:
                if not follow:
                    raise
                target = self.target_of(moved)
                params = None  # the new address names them
        raise NotFound(f"{method} {path} is redirected without end")

    @property
    def base(self) -> httpx.URL:
        """The API's own address."""
        return self._client.base

    def is_api(self, moved: Moved) -> bool:
        """Whether a redirect stays below the API's address, the only place for the token."""
        url, base = self._location(moved), self._client.base
        return origin_of(url) == origin_of(base) and url.path.startswith(base.path)

    def target_of(self, moved: Moved) -> str:
        """Where a redirect leads within the API. Raises `NotFound` if it leads out of it."""
        if not self.is_api(moved):
            host = self._location(moved).host
            raise NotFound(f"{moved}: redirected away from GitHub's API, to {host}")
        return str(self._location(moved))

    def _location(self, moved: Moved) -> httpx.URL:
        try:
            return self._client.base.join(moved.location)
        except httpx.InvalidURL:
            raise NotFound(f"{moved}: redirected to what is no address") from None

    async def _page(self, path: str, params: dict[str, Any], page: int) -> tuple[Any, bool]:
        asked = params | {"per_page": PAGE, "page": page}
        answer = await self.send("GET", path, params=asked)
        return json_of(answer), "next" in answer.links

    async def _pause(self, seconds: float) -> None:
        await self._pacer.pause(self._installation, seconds)


def json_of(answer: httpx.Response) -> Any:
    """The JSON of a successful answer. Raises `ServerTrouble` where it is none.

    For a write that means: it may have taken effect, look before doing it again.
    """
    try:
        return answer.json()
    except ValueError:
        raise ServerTrouble(f"the answer to {route_of(answer.request)} is no JSON") from None
