"""From a failed request to `Trouble`: what it means and whether asking again can help.

One table for all vendors. It reads a failure's status, type and headers and never passes
a vendor's own words on, since those may quote a key, a header or the conversation.
"""

import email.utils
import re
from asyncio import timeout
from collections.abc import AsyncIterator, Awaitable, Mapping
from datetime import UTC, datetime
from typing import TypeVar

from jobs.models.door import Tokens, Trouble

Got = TypeVar("Got")

# Errors that arrive inside a stream come with status 200; their type tells the status.
_STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "gateway_timeout_error": 504,
    "overloaded_error": 529,
}
_RATE_STATUSES = {429, 529}
_FLEETING_STATUSES = {408, 409, 425, 429}
# Anthropic: "prompt is too long: 210000 tokens > 200000 maximum"; OpenAI and its kin:
# code context_length_exceeded or "maximum context length is 8192 tokens".
_CONTEXT_FULL = re.compile(
    r"prompt is too long|exceed context limit|context_length_exceeded|maximum context length"
    r"|context window",
    re.IGNORECASE,
)

# What a refusal of `max_tokens` says about the room there is, at Anthropic, OpenAI and vLLM.
_MOST_OF_MODEL = re.compile(
    r"max_tokens: \d{1,12} > (\d{1,12})|supports at most (\d{1,12}) completion"
)
_SUM_OVER = re.compile(r"(\d{1,12}) \+ \d{1,12} > (\d{1,12})")
_OVER_REST = re.compile(r"\d{1,12} > (\d{1,12}) - (\d{1,12})")


def find_answer_cap(message: str) -> int | None:
    """How long an answer may be, where a provider refused a longer one and says so."""
    if found := _MOST_OF_MODEL.search(message):
        return int(found[1] or found[2])
    if found := _SUM_OVER.search(message):
        return int(found[2]) - int(found[1])
    if found := _OVER_REST.search(message):
        return int(found[1]) - int(found[2])
    return None


def trouble_from(
    status: int,
    error_type: str,
    message: str,
    headers: Mapping[str, str],
    spent: Tokens | None = None,
) -> Trouble:
    """What an error answer means. `message` is only searched, never repeated."""
    if status < 400:
        status = _STATUS_OF_TYPE.get(error_type, 500)
    named = f"{status} ({error_type})" if error_type in _STATUS_OF_TYPE else str(status)
    if status == 413 or (status == 400 and _CONTEXT_FULL.search(f"{error_type} {message}")):
        detail = "the conversation outgrew what the model can read"
        return Trouble("context_full", detail, status=status, spent=spent)
    rate = status in _RATE_STATUSES
    return Trouble(
        "rate_limited" if rate else "error",
        f"the model API answered {named}",
        status=status,
        retry=_can_retry(status, error_type, headers),
        retry_after_s=_retry_after(headers),
        spent=spent,
    )


def find_headers(error: Exception) -> Mapping[str, str]:
    """The headers of the answer that an SDK's error was made of; none where there was none."""
    response = getattr(error, "response", None)
    headers: Mapping[str, str] = getattr(response, "headers", {})
    return headers


def broken_stream(spent: Tokens | None = None) -> Trouble:
    """The answer broke off, or could not be read as an answer."""
    return Trouble("error", "the model API broke off in the middle", retry=True, spent=spent)


async def in_time(awaited: Awaitable[Got], idle_s: float) -> Got:
    """What is waited for; raises `Trouble` where it takes over `idle_s`."""
    try:
        async with timeout(idle_s) as scope:
            return await awaited
    except TimeoutError as error:
        if scope.expired():
            detail = f"the model sent nothing for {idle_s:g} s"
            raise Trouble("stalled", detail, retry=True) from error
        raise


async def watched(events: AsyncIterator[Got], idle_s: float) -> AsyncIterator[Got]:
    """The events of a stream; raises `Trouble` where the next one takes over `idle_s`."""
    while True:
        try:
            event = await in_time(anext(events), idle_s)
        except StopAsyncIteration:
            return
        yield event


def _can_retry(status: int, error_type: str, headers: Mapping[str, str]) -> bool:
    if error_type == "insufficient_quota":  # OpenAI's 429 for an empty account
        return False
    told = headers.get("x-should-retry", "").lower()
    if told in {"true", "false"}:
        return told == "true"
    return status in _FLEETING_STATUSES or status >= 500


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from `retry-after-ms` or `retry-after` in seconds or as a date."""
    for name, factor in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "")
        if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", value):
            return float(value) * factor
    try:
        until = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max(0.0, (until - datetime.now(UTC)).total_seconds())
