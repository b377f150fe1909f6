"""A commit's tarball, streamed to disk.

GitHub answers with a redirect to another host whose address carries its own short-lived
right to read; our token stays behind. The file appears under its name only when it is
whole. Unpacking it is somebody else's, and nothing in it is trusted here.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType

import httpx

from bot.github.calls import MOST_REDIRECTS, Calls
from bot.github.destinations import check_destination
from bot.github.failures import Moved, NotFound, ServerTrouble, TokenExpired, failure_of
from jobs.errors import Refused, Transient

LARGEST_TARBALL = 500_000_000
"""Bytes, compressed; what it unpacks to has limits of its own."""
LONGEST_S = 600.0
"""A server that only trickles is as good as down."""
CHUNK = 1 << 20
AS_IT_IS = {"Accept-Encoding": "identity"}
"""The file is packed already; the bytes on the wire are the file."""
NO_HEADERS: Mapping[str, str] = MappingProxyType({})


async def download(  # noqa: PLR0913 -- keyword-only but for what and where to
    calls: Calls,
    path: str,
    target: Path,
    *,
    plain: httpx.AsyncClient,
    largest: int = LARGEST_TARBALL,
    headers: Mapping[str, str] = NO_HEADERS,
) -> None:
    """Write the file that the API names at `path` to `target`, from the start at each try.

    `plain` is a client without credentials; `headers` tell the API what is wanted. Raises
    `Gone`, `Transient`, and `Refused` where the file is larger than `largest` bytes.
    """
    part = target.with_name(f"{target.name}.part")

    async def attempt() -> None:
        try:
            async with _opened(calls, path, plain, headers) as answer:
                await _save(answer, part, largest)
        except httpx.RequestError as dropped:
            reason = type(dropped).__name__
            raise ServerTrouble(f"the download of {path} broke off ({reason})") from None

    try:
        async with asyncio.timeout(LONGEST_S):
            await calls.repeat(attempt)
        await asyncio.to_thread(part.replace, target)
    except TimeoutError:
        raise Transient(f"the download of {path} took longer than {LONGEST_S:.0f} s") from None
    finally:
        await asyncio.to_thread(part.unlink, missing_ok=True)


@asynccontextmanager
async def _opened(
    calls: Calls, path: str, plain: httpx.AsyncClient, headers: Mapping[str, str]
) -> AsyncIterator[httpx.Response]:
    """The answer that holds the file, from the API or from where it redirects to."""
    answer = await _follow(calls, path, plain, headers)
    try:
        if not answer.is_success:
            await answer.aread()
            failure = failure_of(answer, now=calls.timing.now())
            if isinstance(failure, TokenExpired | Moved):  # the address was good for minutes only
                failure = ServerTrouble(str(failure))
            raise failure
        yield answer
    finally:
        await answer.aclose()


async def _follow(
    calls: Calls, path: str, plain: httpx.AsyncClient, headers: Mapping[str, str]
) -> httpx.Response:
    """A renamed repository redirects within the API first, where the token is needed still."""
    place = path
    for _ in range(MOST_REDIRECTS):
        try:
            return await calls.send(
                "GET", place, headers=AS_IT_IS | dict(headers), stream=True, follow=False
            )
        except Moved as moved:
            if not calls.is_api(moved):
                return await _follow_outside(moved.location, path, calls, plain)
            place = calls.target_of(moved)
    raise NotFound(f"GET {path} is redirected without end")


async def _follow_outside(
    location: str, path: str, calls: Calls, plain: httpx.AsyncClient
) -> httpx.Response:
    """Ask where the API sends us, without the token; each step is looked at before it is taken."""
    for _ in range(MOST_REDIRECTS):
        request = plain.build_request("GET", location, headers=AS_IT_IS)
        await check_destination(request.url, api=calls.base)
        answer = await plain.send(request, stream=True, follow_redirects=False)
        if answer.next_request is None:
            return answer
        await answer.aclose()
        location = str(answer.next_request.url)
    raise NotFound(f"GET {path} is redirected without end")


async def _save(answer: httpx.Response, part: Path, largest: int) -> None:
    written = 0
    file = await asyncio.to_thread(part.open, "wb")
    try:
        async for chunk in answer.aiter_raw(CHUNK):
            written += len(chunk)
            if written > largest:
                raise Refused(
                    f"the repository's tarball is larger than {largest // 1_000_000} MB, more "
                    "than this bot downloads. Take large files out of the repository."
                )
            await asyncio.to_thread(file.write, chunk)
    finally:
        await asyncio.to_thread(file.close)
