"""What a REST endpoint gives back: an answer, or a problem in the words GitHub uses.

Nothing here knows HTTP machinery or state; endpoints and actions raise `Problem`, and the
dispatcher alone turns both into responses.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

DOCUMENTATION = "https://docs.github.com/rest"

MESSAGES: Mapping[int, str] = {
    400: "Bad Request",
    401: "Bad credentials",
    403: "Resource not accessible by integration",
    404: "Not Found",
    409: "Conflict",
    410: "This issue was deleted",
    422: "Validation Failed",
    429: "API rate limit exceeded",
    500: "Server Error",
    502: "Server Error",
    503: "Service Unavailable",
    504: "We couldn't respond to your request in time. Sorry about that.",
}
"""What GitHub says with each status when it has nothing closer to say."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, a JSON body (None: no body) and headers of its own."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    """Sent instead of JSON where the caller asked for another media type."""
    media_type: str = "application/json; charset=utf-8"


class Problem(Exception):  # noqa: N818 -- a refusal is an answer here, not a defect
    """A refusal with GitHub's status, message and field errors."""

    def __init__(
        self,
        status: int,
        message: str | None = None,
        *,
        errors: Sequence[Mapping[str, Any]] = (),
        headers: Mapping[str, str] | None = None,
        url: str | None = None,
    ) -> None:
        self.status = status
        self.message = message or MESSAGES.get(status, "Server Error")
        self.errors = list(errors)
        self.headers = dict(headers or {})
        self.url = url
        super().__init__(f"{status} {self.message}")

    def answer(self) -> Answer:
        """The problem as the JSON body GitHub sends."""
        body: dict[str, Any] = {"message": self.message}
        if self.url is not None:
            body["url"] = self.url
        if self.errors:
            body["errors"] = [dict(error) for error in self.errors]
        body["documentation_url"] = DOCUMENTATION
        body["status"] = str(self.status)
        return Answer(self.status, body, self.headers)


def make_field_error(resource: str, name: str, code: str, message: str | None = None) -> Problem:
    """A 422 about one field, shaped as GitHub's validation errors are."""
    error = {"resource": resource, "field": name, "code": code}
    if message is not None:
        error["message"] = message
    return Problem(422, errors=[error])


def not_found() -> Problem:
    """The 404 that also hides what the caller may not see."""
    return Problem(404)
