"""The door: reads a delivery, checks that GitHub sent it, and says what it holds.

Verifies before it parses, over the bytes as they came, and takes no more of them than
GitHub would send. It decides nothing and stores nothing.
"""

import asyncio
import hmac
import re
from contextlib import AsyncExitStack
from dataclasses import dataclass

import msgspec
from starlette.requests import ClientDisconnect, Request

from bot.payloads import Ignored, parse_event
from handlers.events import Event

MAX_BODY = 25 * 1024 * 1024
"""GitHub's own cap on a payload: larger ones are never sent."""

BODY_S = 30.0
"""A sender that dawdles longer is no GitHub, which gives a whole delivery ten seconds."""

LARGE_BODY = 1024 * 1024
"""GitHub sends larger ones now and then; more than a few at once are an attack on memory."""
LARGE_AT_ONCE = 4

FORM_TYPES = ("application/x-www-form-urlencoded", "multipart/form-data")
_ID = re.compile(r"[A-Za-z0-9_.-]{1,100}")

NO_TARGET = "0"
"""Stands for the hook's target where an older server names none."""


class TurnedAway(Exception):  # noqa: N818 -- an outcome, answered as such
    """A delivery that is not let in: the HTTP status, and one sentence on what to mend."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Delivery:
    """One POST that GitHub sent: its ids, and the event it holds or why it holds none."""

    id: str
    target: str
    """`X-GitHub-Hook-Installation-Target-ID`: which App's hook this is."""
    name: str
    """`X-GitHub-Event`."""
    content: Event | Ignored


async def read_body(
    request: Request,
    limit: int = MAX_BODY,
    *,
    longest_s: float = BODY_S,
    large: asyncio.Semaphore | None = None,
) -> bytes:
    """The body, refused as soon as it proves longer than `limit`, or slower than `longest_s`.

    Nobody has proven who they are yet, so whoever sends more than `LARGE_BODY` waits for one of
    the places in `large`; small deliveries never wait for large ones. Raises `TurnedAway` (413
    and 408; 400 where it was cut off).
    """
    too_large = TurnedAway(413, f"The payload is larger than {limit} bytes.")
    announced = request.headers.get("content-length", "0")
    if announced.isdecimal() and int(announced) > limit:
        raise too_large
    body = bytearray()  # and no list: a byte at a time would take forty each
    try:
        async with asyncio.timeout(longest_s), AsyncExitStack() as places:
            is_large = False
            async for chunk in request.stream():
                body += chunk
                if len(body) > limit:
                    raise too_large
                if len(body) > LARGE_BODY and large is not None and not is_large:
                    await places.enter_async_context(large)
                    is_large = True
    except TimeoutError:
        raise TurnedAway(408, f"The payload took longer than {longest_s:.0f} s.") from None
    except ClientDisconnect:
        raise TurnedAway(400, "The payload was cut off.") from None
    return bytes(body)


def check_signature(secret: bytes, body: bytes, signature: str | None) -> None:
    """Raises `TurnedAway` (401) unless the signature is ours over these very bytes."""
    if not signature:
        raise TurnedAway(401, "X-Hub-Signature-256 is missing; set a secret on the webhook.")
    expected = b"sha256=" + hmac.digest(secret, body, "sha256").hex().encode("ascii")
    if not hmac.compare_digest(expected, signature.encode("utf-8")):
        raise TurnedAway(
            401,
            "X-Hub-Signature-256 does not match; the webhook's secret must be that of "
            "SKILLBENCH_GITHUB_WEBHOOK_SECRET.",
        )


async def read_delivery(
    request: Request, secret: bytes, *, large: asyncio.Semaphore | None = None
) -> Delivery:
    """The delivery in a request. Raises `TurnedAway` where it is not one we can take."""
    body = await read_body(request, large=large)
    headers = request.headers
    check_signature(secret, body, headers.get("x-hub-signature-256"))
    if headers.get("content-type", "").split(";")[0].strip().lower() in FORM_TYPES:
        raise TurnedAway(
            415,
            "This webhook sends form data; set its content type to application/json in the "
            "App's settings.",
        )
    name = _header_id(request, "x-github-event")
    delivery = _header_id(request, "x-github-delivery")
    target = headers.get("x-github-hook-installation-target-id") or NO_TARGET
    if not _ID.fullmatch(target):
        raise TurnedAway(400, "X-GitHub-Hook-Installation-Target-ID is not an id.")
    try:
        content = parse_event(name, body, delivery)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TurnedAway(400, f"The payload is not what GitHub sends for {name}: {error}") from None
    return Delivery(delivery, target, name, content)


def _header_id(request: Request, header: str) -> str:
    value = request.headers.get(header, "")
    if not _ID.fullmatch(value):
        raise TurnedAway(400, f"The header {header} is missing or not an id.")
    return value
