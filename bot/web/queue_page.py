"""`/queue`: what waits, what runs, what failed, and the buttons that cancel and ask again."""

from collections.abc import Callable
from datetime import datetime

import structlog
from redis.asyncio import Redis
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from bot.cancels import Cancels
from bot.queue_asking import make_retry
from bot.queues import enqueue
from bot.redis_clients import away_is_transient
from bot.web.access import Visitor
from bot.web.fresh import OWN, answer_fresh
from bot.web.guard import SEE_OTHER, Guard
from bot.web.queue_figures import make_figures, may_cancel, may_retry
from bot.web.queue_reading import QueueReader
from bot.web.shell import HEADERS, problem, render
from config.settings import Settings, names_in
from jobs.cancelling import Cancelled

MOST_SHOWN = 200
"""Requests that wait, on one page."""
TOLD = {
    "cancelled": "The request is cancelled. Whoever asked for it is told on its issue.",
    "ended": "There was nothing left to cancel: the request has ended, or is not there.",
    "asked": "It is asked for again. The answer comes on its issue.",
    "before": "It was asked for again before; nothing more was asked for.",
    "gone": "There is nothing to ask for again: it is not on the list any more.",
}
"""What is said after something was done, by a word in the address."""
OPERATOR = "the operator"

log = structlog.get_logger(__name__)


class QueuePage:
    """The page and what its buttons do."""

    def __init__(
        self, reader: QueueReader, redis: Redis, settings: Settings, clock: Callable[[], datetime]
    ) -> None:
        self._reader = reader
        self._redis = redis
        self._cancels = Cancels(redis)
        self._settings = settings
        self._clock = clock

    def routes(self, guard: Guard) -> list[BaseRoute]:
        return [
            Route("/queue", guard.open_page(self.show), methods=["GET"]),
            Route("/queue/cancel", guard.open_form(self.cancel), methods=["POST"]),
            Route("/queue/retry", guard.open_form(self.retry), methods=["POST"]),
        ]

    async def show(self, request: Request, visitor: Visitor) -> Response:
        """All that this visitor may see; whoever can see nothing is led to the sign-in."""
        if not visitor.is_known and visitor.public_since is None:
            return RedirectResponse("/sign-in?next=%2Fqueue", SEE_OTHER, HEADERS)
        figures = make_figures(await self._reader.read(), visitor)
        told = TOLD.get(request.query_params.get("told", ""), "")

        async def make() -> Response:
            return render(
                "queue.html",
                visitor,
                here="/queue",
                queue=figures,
                waiting=figures.waiting[:MOST_SHOWN],
                told=told,
                web_url=self._settings.github_web_url,
            )

        shown = [figures.model_dump_json(exclude={"at"}), told]
        answer = await answer_fresh(request, visitor, shown, make, now=figures.at)
        answer.headers["cache-control"] = OWN  # it changes by the second
        return answer

    async def cancel(self, _: Request, visitor: Visitor, form: dict[str, str]) -> Response:
        """Cancel a request, as the command does; what is not seen is as if it were not there."""
        found = await self._reader.find(form.get("reference", ""))
        place = await self._reader.place(found.request.repo) if found is not None else None
        if found is None or place is None or not visitor.sees(place.repo):
            return _back("ended")
        if not may_cancel(visitor, found, place):
            return _not_allowed(visitor, "cancel", place.rights.cancel)
        by = OPERATOR if visitor.is_local else visitor.login
        with away_is_transient():
            was_there = await self._cancels.cancel(found.reference, found.request, Cancelled(by=by))
        self._reader.forget()
        log.info("request_cancelled_on_page", key=found.request.key, by=by, was_there=was_there)
        return _back("cancelled" if was_there else "ended")

    async def retry(self, _: Request, visitor: Visitor, form: dict[str, str]) -> Response:
        """Ask again for what failed, in the visitor's own name."""
        failure = await self._reader.failures.find(form.get("failure", ""))
        place = await self._reader.place(failure.request.repo) if failure is not None else None
        if failure is None or place is None or not visitor.sees(place.repo):
            return _back("gone")
        if not self._serves(failure.request.repo.owner):
            text = f"The operator's settings do not name {failure.request.repo.owner}."
            return problem(visitor, 403, "Nothing was asked for", text)
        if not may_retry(visitor, failure, place):
            return _not_allowed(visitor, "ask for it again", place.rights.run)
        asked = make_retry(
            failure,
            asker=failure.request.asker if visitor.is_local else visitor.login,
            is_private=place.repo.is_private,
            now=self._clock(),
        )
        with away_is_transient():
            is_new = await enqueue(self._redis, asked)
        self._reader.forget()
        log.info("asked_again_on_page", key=asked.key, by=visitor.login, is_new=is_new)
        return _back("asked" if is_new else "before")

    def _serves(self, owner: str) -> bool:
        """Whether the operator still pays for this owner; where none is named, the App's own."""
        owners = {name.casefold() for name in names_in(self._settings.allowed_owners)}
        return not owners or "*" in owners or owner.casefold() in owners


def _back(told: str) -> Response:
    return RedirectResponse(f"/queue?told={told}", SEE_OTHER, HEADERS)


def _not_allowed(visitor: Visitor, what: str, role: str) -> Response:
    return problem(
        visitor,
        403,
        "Nothing was done",
        f"To {what} here takes the role {role} in the repository, or more. What you may do is "
        "asked of GitHub when you sign in, and once an hour after that.",
    )
