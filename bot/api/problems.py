"""Errors of the API as RFC 9457 has them: `application/problem+json`, in plain words."""

from collections.abc import Mapping, Sequence

import structlog
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from bot.web.fresh import NOTHING_HERE
from bot.web.shell import HEADERS

PROBLEM_JSON = "application/problem+json"
TOO_OLD = "The sign-in is too old: load a page of the bot, then ask again."
TITLES = {
    401: "Not signed in",
    404: "Not here",
    405: "Not that way",
    422: "Not understood",
    500: "Something broke on our side",
    503: "Not now",
}
PLAIN = {"extra_forbidden": "is not known here", "missing": "is missing"}
"""What is wrong, by the validator's name for it, where its own words are not plain."""
RETRY_AFTER_S = 5

log = structlog.get_logger(__name__)


class Fault(BaseModel):
    """One thing that was asked for wrongly."""

    where: str
    """Such as `query.most`."""
    what: str


class Problem(BaseModel):
    """Why there is no answer."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    """What is wrong, and what to do."""
    errors: tuple[Fault, ...] = ()
    """Of a question that was not understood: each part of it that was wrong."""


class NotUnderstood(Exception):  # noqa: N818 -- what it says in its answer
    """A part of the question is wrong in a way that its type does not show."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(what)
        self.fault = Fault(where=where, what=what)


def answer_problem(
    status: int,
    detail: str,
    *,
    errors: Sequence[Fault] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The answer that says why there is none."""
    problem = Problem(
        title=TITLES.get(status, "Not done"), status=status, detail=detail, errors=tuple(errors)
    )
    return Response(
        problem.model_dump_json(),
        status,
        HEADERS | dict(headers or {}),
        media_type=PROBLEM_JSON,
    )


async def on_status(_: Request, error: Exception) -> Response:
    """No such address, or no such method."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 405:
        return answer_problem(
            405, "This is only read: ask with GET.", headers={"allow": "GET, HEAD"}
        )
    return answer_problem(status, TOO_OLD if status == 401 else NOTHING_HERE)


async def on_unfit(_: Request, error: Exception) -> Response:
    """A question that was not understood."""
    if isinstance(error, NotUnderstood):
        faults = [error.fault]
    elif isinstance(error, RequestValidationError):
        faults = [
            Fault(where=".".join(map(str, one["loc"])), what=PLAIN.get(one["type"], one["msg"]))
            for one in error.errors()
        ]
    else:
        raise error
    named = "; ".join(f"{one.where}: {one.what}" for one in faults)
    return answer_problem(422, named, errors=faults)


async def on_away(request: Request, error: Exception) -> Response:
    """Redis, or the blob store, cannot be reached."""
    log.warning("api_not_answered", path=request.url.path, problem=str(error))
    return answer_problem(
        503,
        "What the answer is made of cannot be reached; ask again soon.",
        headers={"retry-after": str(RETRY_AFTER_S)},
    )


async def on_defect(_: Request, __: Exception) -> Response:
    """A defect: the log says more, and the answer nothing of it."""
    return answer_problem(500, "This answer could not be made; the operator's log says why.")
