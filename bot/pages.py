"""The pages that anybody with the address may read: what a worker put on the shelf.

Shows them as they are, under headers that let a browser run nothing, ask nobody and be framed
by nobody. Knows nothing of what stands on them.
"""

from collections.abc import AsyncIterator, Iterator
from weakref import WeakValueDictionary

import structlog
from redis.asyncio import Redis
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from bot.redis_clients import REDIS_AWAY
from bot.store.page_shelf import PATH, Page, PageShelf, hash_style

HTML = "text/html; charset=utf-8"
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-robots-tag": "noindex",
    "cache-control": "no-cache",
    "vary": "accept-encoding",
}
POLICY = (
    "default-src 'none'; style-src '{style}'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_STYLE = (
    ":root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--paper:#fff}"
    "@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9198a1;--paper:#0d1117}}"
    "body{margin:0 auto;max-width:44rem;padding:2.5rem 1.5rem;background:var(--paper);"
    'color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif}'
    "h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem}p{color:var(--soft);margin:.25rem 0}"
)
_NOTICE = (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    "<title>{title}</title>\n<style>{style}</style>\n</head>\n"
    "<body>\n<h1>{title}</h1>\n<p>{text}</p>\n</body>\n</html>\n"
)
_STYLE_HASH = hash_style(_STYLE)

log = structlog.get_logger(__name__)


class Pages:
    """Serves the shelf of one Redis."""

    def __init__(self, redis: Redis) -> None:
        self._shelf = PageShelf(redis)
        self._sending: WeakValueDictionary[tuple[str, str], Page] = WeakValueDictionary()
        """What is being sent, once however many read it."""

    def routes(self) -> list[Route]:
        return [Route(PATH + "{page_id}", self.show, methods=["GET"])]

    async def show(self, request: Request) -> Response:
        """A page; 304 while it stays the same, 404 where there is none (any more)."""
        page_id = str(request.path_params["page_id"])
        asked = request.headers.get("if-none-match", "")
        try:
            version = await self._shelf.get_version(page_id)
            if version is not None and _etag(version) in {tag.strip() for tag in asked.split(",")}:
                return Response(status_code=304, headers=HEADERS | {"etag": _etag(version)})
            page = None if version is None else await self._find(page_id, version)
        except REDIS_AWAY as trouble:
            log.warning("page_not_read", problem=type(trouble).__name__)
            return notice(503, "Not now", "The page cannot be read for the moment; try later.")
        if page is None:
            return notice(
                404, "No such page", "It was never here, or has gone: pages are kept for a month."
            )
        headers = HEADERS | {
            "etag": _etag(page.version),
            "content-security-policy": POLICY.format(style=page.style),
        }
        if "gzip" in request.headers.get("accept-encoding", ""):
            packed = {"content-encoding": "gzip", "content-length": str(len(page.packed))}
            pieces, headers = page.packed_pieces(), headers | packed
        else:
            pieces = page.pieces()
        return StreamingResponse(_one_by_one(pieces), headers=headers, media_type=HTML)

    async def _find(self, page_id: str, version: str) -> Page | None:
        """The page, which a slow reader may be reading already."""
        if (shared := self._sending.get((page_id, version))) is not None:
            return shared
        page = await self._shelf.get(page_id)
        if page is None:
            return None
        return self._sending.setdefault((page_id, page.version), page)


async def _one_by_one(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Each piece when the one before it has gone, and in no thread, which a reader could hold."""
    for piece in pieces:
        yield piece


def _etag(version: str) -> str:
    """A weak one: the same page comes packed or not."""
    return f'W/"{version}"'


def notice(status: int, title: str, text: str) -> Response:
    """A page of one sentence."""
    policy = {"content-security-policy": POLICY.format(style=_STYLE_HASH)}
    html = _NOTICE.format(title=title, text=text, style=_STYLE)
    return Response(html, status, HEADERS | policy, media_type=HTML)
