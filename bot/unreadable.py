"""A job that this version cannot read: told to whoever waits for it, as far as it can be told.

It happens after an update that changed what crosses the queue, or went back.
"""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from jobs.errors import Gone, Transient

TEXT = (
    "❌ **This request came from another version of the bot** and cannot be read any more. "
    "Nothing was started and nothing was charged. Please ask again."
)

log = structlog.get_logger(__name__)


async def answer_unreadable(
    stored: Any, say: Callable[[dict[str, Any], str], Awaitable[None]]
) -> None:
    """Say on the issue, if one can be made out, that the request was lost."""
    place = find_place(stored)
    if place is None:
        log.error("unreadable_job", job=str(stored)[:500])
        return
    try:
        await say(place, TEXT)
    except (Gone, Transient) as trouble:
        log.exception("unreadable_job_not_answered", problem=str(trouble))


def find_place(stored: Any) -> dict[str, Any] | None:
    """The object that names a repository and an issue, wherever it stands in the job."""
    if isinstance(stored, str):
        try:
            stored = json.loads(stored)
        except ValueError:
            return None
    waiting = [stored]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            repo, issue = value.get("repo"), value.get("issue")
            if isinstance(repo, dict) and isinstance(issue, int):
                return value
            waiting += list(value.values())
        elif isinstance(value, list):
            waiting += value
    return None
