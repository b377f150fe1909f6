"""Pages that are sent once: a browser that has one asks whether it is still the same.

What a page shows follows from the versions of its figures, from who asks and from the hour, as
money is counted for the last seven days. The page itself is made only where something of this has
changed.
"""

import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response

from bot.store.seen_repos import SeenRepo
from bot.web.access import Visitor
from bot.web.figures import Figures
from bot.web.shell import HEADERS, layout_version, problem

OWN = "private, no-cache"
PUBLIC = "public, max-age=60"
"""For what everybody may see; sign-in changes the cookie, and so the page."""
NOTHING_HERE = "There is nothing at this address, or nothing that you may see."
"""The same for what does not exist and for what somebody may not see."""


async def answer_fresh(
    request: Request,
    visitor: Visitor,
    versions: Sequence[object],
    make: Callable[[], Awaitable[Response]],
    *,
    now: datetime,
) -> Response:
    """The page that `make` makes, or 304 where the browser has it.

    `versions` are what the page is made from: texts, or values that JSON can hold.
    """
    tag = _make_tag(request, visitor, versions, now)
    is_had = has_tag(request, tag)
    response = Response(status_code=304, headers=HEADERS) if is_had else await make()
    if response.status_code in {200, 304}:
        response.headers["etag"] = tag
        response.headers["cache-control"] = OWN if visitor.is_known else PUBLIC
        response.headers["vary"] = "cookie, accept-encoding"
    return response


def has_tag(request: Request, tag: str) -> bool:
    """Whether whoever asks has what bears this `ETag`; weak and strong ones compare alike here.

    RFC 9110, 13.1.2. `*`, which asks whether there is anything at all, is no such tag.
    """
    asked = request.headers.get("if-none-match", "").split(",")
    return tag.removeprefix("W/") in {one.strip().removeprefix("W/") for one in asked}


def _make_tag(request: Request, visitor: Visitor, versions: Sequence[object], now: datetime) -> str:
    """A weak one: the same page comes packed or not."""
    seen = [
        layout_version(),
        request.url.path,
        request.url.query,
        visitor.login,
        visitor.form_key,
        visitor.is_operator,
        f"{now:%Y-%m-%dT%H}",
        *versions,
    ]
    return f'W/"{sha256(json.dumps(seen, default=str).encode()).hexdigest()[:24]}"'


async def find_repo(request: Request, visitor: Visitor, figures: Figures) -> SeenRepo | None:
    """The repository that the address names, where the visitor may see it."""
    names = request.path_params
    repo = await figures.repo(f"{names['owner']}/{names['name']}")
    return repo if repo is not None and visitor.sees(repo) else None


async def show_nothing(_: Request, visitor: Visitor) -> Response:
    """The page at every address at which there is none."""
    return not_there(visitor)


def not_there(visitor: Visitor) -> Response:
    """The page that says so."""
    return problem(visitor, 404, "Not here", NOTHING_HERE)
