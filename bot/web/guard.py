"""Lets in who may be let in, and takes only forms that they were shown.

Whose sign-in has become old is led through GitHub again, which answers without a question; what a
page's script asks for, and forms, cannot be led there and are told so.
"""

from collections.abc import Awaitable, Callable
from urllib.parse import urlencode

import structlog
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bot.forms import read_form
from bot.redis_clients import REDIS_AWAY
from bot.web.access import Access, Visitor
from bot.web.shell import HEADERS, problem
from jobs.errors import Error

Show = Callable[[Request, Visitor], Awaitable[Response]]
Take = Callable[[Request, Visitor, dict[str, str]], Awaitable[Response]]
SEE_OTHER = 303
LARGEST_FORM = 128 * 1024
"""Bytes: ids of some thousand cases, and a system prompt."""

log = structlog.get_logger(__name__)


class Guard:
    """Wraps the pages of one server."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def page(self, show: Show) -> Callable[[Request], Awaitable[Response]]:
        """A page of the operator's users alone; who has not signed in is led to the sign-in."""

        async def guarded(request: Request) -> Response:
            return await self._shown(request, show, self._turn_away)

        return guarded

    def open_page(self, show: Show) -> Callable[[Request], Awaitable[Response]]:
        """A page that anybody may ask for: it looks itself at what its visitor sees."""

        async def guarded(request: Request) -> Response:
            return await self._shown(request, show, self._ask_again)

        return guarded

    def form(self, take: Take) -> Callable[[Request], Awaitable[Response]]:
        """What a form does that only the operator's users may send; one made elsewhere does
        nothing.
        """

        async def guarded(request: Request) -> Response:
            return await self._taken(request, take, for_operators=True)

        return guarded

    def open_form(self, take: Take) -> Callable[[Request], Awaitable[Response]]:
        """What a form does that anybody who has signed in may send: it looks itself at what its
        sender may do.
        """

        async def guarded(request: Request) -> Response:
            return await self._taken(request, take, for_operators=False)

        return guarded

    async def _shown(
        self, request: Request, show: Show, turn_away: Callable[[Request, Visitor], Response | None]
    ) -> Response:
        try:
            visitor = await self._access.visitor(request)
        except REDIS_AWAY as trouble:
            return not_now(None, trouble)
        if (answer := turn_away(request, visitor)) is not None:
            return answer
        response = await _or_not_now(show(request, visitor), visitor)
        self._access.ensure_local(request, response)
        return response

    async def _taken(self, request: Request, take: Take, *, for_operators: bool) -> Response:
        try:
            visitor = await self._access.visitor(request)
        except REDIS_AWAY as trouble:
            return not_now(None, trouble)
        if not visitor.is_known or visitor.is_stale:
            return problem(None, 403, "Not signed in", "Sign in, and send the form again.")
        if for_operators and not visitor.is_operator:
            return _not_theirs(visitor)
        form = await read_form(request, LARGEST_FORM)
        if not self._access.bears_key(request, visitor, form.get("key", "")):
            log.warning("form_refused", path=request.url.path)
            return problem(
                visitor, 403, "Nothing was done", "The form is too old: load the page anew."
            )
        return await _or_not_now(take(request, visitor, form), visitor)

    def _turn_away(self, _: Request, visitor: Visitor) -> Response | None:
        if not visitor.is_known:
            return RedirectResponse("/sign-in", SEE_OTHER, HEADERS)
        return None if visitor.is_operator else _not_theirs(visitor)

    def _ask_again(self, request: Request, visitor: Visitor) -> Response | None:
        if not visitor.is_stale:
            return None
        if request.headers.get("sec-fetch-mode", "navigate") == "navigate":
            path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            query = urlencode({"next": path})
            return RedirectResponse(f"/sign-in/github?{query}", SEE_OTHER, HEADERS)
        return problem(None, 401, "Not signed in", "The sign-in is too old: load the page anew.")


def _not_theirs(visitor: Visitor) -> Response:
    return problem(
        visitor,
        403,
        "Not for everybody",
        f"{visitor.login} may not use these pages: what is begun here spends the operator's money. "
        "The operator names who may, in SKILLBENCH_WEB_USERS.",
    )


async def _or_not_now(answering: Awaitable[Response], visitor: Visitor) -> Response:
    """The answer, or a page that says that what it needs is away."""
    try:
        return await answering
    except (Error, *REDIS_AWAY) as trouble:
        return not_now(visitor, trouble)


def not_now(visitor: Visitor | None, trouble: Exception) -> Response:
    """Says that what a page is made of is away; the log says more."""
    log.warning("page_not_made", problem=str(trouble))
    return problem(
        visitor, 503, "Not now", "What the page is made of cannot be reached; try again soon."
    )
