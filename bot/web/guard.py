"""Lets in who may be let in, and takes only forms that they were shown."""

from collections.abc import Awaitable, Callable

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
        """A page that only visitors who are let in see; others are led to the sign-in."""

        async def guarded(request: Request) -> Response:
            visitor = self._access.find(request)
            if visitor is None:
                return RedirectResponse("/sign-in", SEE_OTHER, HEADERS)
            response = await _or_not_now(show(request, visitor), visitor)
            self._access.ensure_local(request, response)
            return response

        return guarded

    def form(self, take: Take) -> Callable[[Request], Awaitable[Response]]:
        """What a form of a page does; one that was made elsewhere does nothing."""

        async def guarded(request: Request) -> Response:
            visitor = self._access.find(request)
            if visitor is None:
                return problem(None, 403, "Not signed in", "Sign in, and send the form again.")
            form = await read_form(request, LARGEST_FORM)
            if not self._access.bears_key(request, visitor, form.get("key", "")):
                log.warning("form_refused", path=request.url.path)
                return problem(
                    visitor, 403, "Nothing was done", "The form is too old: load the page anew."
                )
            return await _or_not_now(take(request, visitor, form), visitor)

        return guarded


async def _or_not_now(answering: Awaitable[Response], visitor: Visitor) -> Response:
    """The answer, or a page that says that what it needs is away."""
    try:
        return await answering
    except (Error, *REDIS_AWAY) as trouble:
        log.warning("page_not_made", problem=str(trouble))
        return problem(
            visitor, 503, "Not now", "What the page is made of cannot be reached; try again soon."
        )
