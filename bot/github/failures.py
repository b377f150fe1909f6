"""What an answer of GitHub means when it is not the one we asked for.

Reads status, headers and GitHub's one-line message, and gives an exception that says what
to do next. It decides nothing about waiting or repeating (`bot.github.retry` does), and no
request or response body, header or query gets into a message: they can hold secrets.
"""

from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from jobs.errors import Gone, Suspended, Transient

LONGEST_MESSAGE = 200
"""Characters of GitHub's own message that are kept; it is one sentence."""
SUSPENDED = "suspended"
"""In GitHub's words for it: "This installation has been suspended"."""
LONGEST_SAID_S = 86_400.0
"""A longer wait is a mistake of a clock or a header; limits last an hour at most."""


class ServerTrouble(Exception):  # noqa: N818 -- named after what happened
    """5xx, a timeout or a dropped connection: a write may or may not have taken effect."""


class Limited(Exception):  # noqa: N818
    """A rate limit; `wait_s` is GitHub's own word on how long, None where it gave none."""

    def __init__(self, message: str, *, wait_s: float | None) -> None:
        super().__init__(message)
        self.wait_s = wait_s


class TokenExpired(Exception):  # noqa: N818
    """401: the token is not accepted (any more)."""


class Moved(Exception):  # noqa: N818
    """A redirect; `location` is where it points, absolute or not."""

    def __init__(self, message: str, *, location: str) -> None:
        super().__init__(message)
        self.location = location


class NotFound(Gone):
    """404, 410 or 451."""


class Forbidden(Gone):
    """403 that is no rate limit: suspended, or a permission is missing."""


class SuspendedInstallation(Forbidden, Suspended):
    """403 because somebody has suspended the installation, which they may take back."""


class BadCredentials(Transient):
    """The App itself is not accepted; an operator must act, so the work is kept meanwhile."""


class Rejected(Exception):  # noqa: N818
    """Any other 4xx: we sent something GitHub does not take, which is a defect of ours."""

    def __init__(self, message: str, *, status: int, said: str, codes: tuple[str, ...]) -> None:
        super().__init__(message)
        self.status = status
        self.said = said
        """GitHub's own message."""
        self.codes = codes
        """Error codes of a 422, such as `already_exists`."""


def failure_of(response: httpx.Response, *, now: float) -> Exception:
    """The failure an answer stands for that is no success.

    `now` is the time in seconds since 1970, to turn the moment of a reset into a wait. The
    body of an error must have been read.
    """
    status = response.status_code
    where = route_of(response.request)
    said, codes = _words_of(response)
    message = f"GitHub answered {status} to {where}" + (f": {said}" if said else "")
    if status in {301, 302, 303, 307, 308}:
        return Moved(message, location=response.headers.get("location", ""))
    if status >= 500:
        return ServerTrouble(message)
    if status in {403, 429} and (limit := _limit_of(response, said, message, now=now)):
        return limit
    if status == 403 and SUSPENDED in said.lower():
        return SuspendedInstallation(message)
    final = {401: TokenExpired, 403: Forbidden, 404: NotFound, 410: NotFound, 451: NotFound}
    if kind := final.get(status):
        return kind(message)
    listed = f" ({', '.join(codes)})" if codes else ""
    return Rejected(message + listed, status=status, said=said, codes=codes)


def token_failure_of(response: httpx.Response, installation: int, *, now: float) -> Exception:
    """The failure of a request for an installation token; it concerns the whole installation."""
    failure = failure_of(response, now=now)
    if isinstance(failure, Forbidden):
        return type(failure)(f"installation {installation} gives no access: {failure}")
    if isinstance(failure, NotFound):
        return NotFound(f"the App is not installed any more (installation {installation})")
    if isinstance(failure, TokenExpired):
        return bad_credentials(str(failure))
    return failure


def bad_credentials(reason: str) -> BadCredentials:
    """The one wording for an App that cannot identify itself."""
    return BadCredentials(
        f"the GitHub App cannot identify itself ({reason}): check SKILLBENCH_GITHUB_APP_ID, "
        "SKILLBENCH_GITHUB_PRIVATE_KEY, SKILLBENCH_GITHUB_API_URL and this machine's clock"
    )


def route_of(request: httpx.Request) -> str:
    """`GET /repos/acme/skills`, without host and query (a query can hold a signature)."""
    return f"{request.method} {request.url.path}"


def _limit_of(response: httpx.Response, said: str, message: str, *, now: float) -> Limited | None:
    """The rate limit a 403 or 429 stands for, by GitHub's rules for REST clients.

    https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api: first
    `retry-after`, then the reset where nothing remains; a secondary limit without either is
    known only by its words, with quota left and a reset that may lie in the past.
    """
    headers = response.headers
    if (wait := _retry_after(headers.get("retry-after", ""), now=now)) is not None:
        return Limited(message, wait_s=wait)
    secondary = "secondary rate limit" in said.lower() or "abuse" in said.lower()
    if headers.get("x-ratelimit-remaining") == "0" and not secondary:
        reset = headers.get("x-ratelimit-reset", "")
        # a second on top: the reset is given in whole seconds
        left = float(reset) - now + 1 if reset.isdecimal() else None
        return Limited(message, wait_s=None if left is None else _sane(left))
    if secondary or response.status_code == 429:
        return Limited(message, wait_s=None)
    return None


def _retry_after(value: str, *, now: float) -> float | None:
    """Seconds from a Retry-After header in either of its forms; None if there is none."""
    if value.strip().isdecimal():
        return _sane(float(value))
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return _sane(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() - now)


def _sane(seconds: float) -> float:
    return min(max(seconds, 0.0), LONGEST_SAID_S)


def _words_of(response: httpx.Response) -> tuple[str, tuple[str, ...]]:
    """GitHub's message and its error codes; empty where the body is not GitHub's JSON."""
    if not response.is_error:
        return "", ()
    try:
        body: Any = response.json()
    except (ValueError, httpx.ResponseNotRead):
        return "", ()
    if not isinstance(body, Mapping):
        return "", ()
    said = " ".join(str(body.get("message", "")).split())[:LONGEST_MESSAGE]
    errors = body.get("errors")
    listed = errors if isinstance(errors, list) else []
    codes = [str(error.get("code", "")) for error in listed if isinstance(error, Mapping)]
    said_too = [error for error in listed if isinstance(error, str)]
    said_too += [str(error["message"]) for error in listed if _has_message(error)]
    words = " ".join(" ".join([said, *said_too]).split())[:LONGEST_MESSAGE]
    return words, tuple(code for code in codes if code)


def _has_message(error: object) -> bool:
    return isinstance(error, Mapping) and bool(error.get("message"))
