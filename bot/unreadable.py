"""A job that this version cannot read: told to whoever waits for it, as far as it can be told.

It happens after an update that changed what crosses the queue, or went back. An event that
cannot be read is answered only if it seems to speak to us; most comments do not.
"""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from jobs.errors import Gone
from jobs.requests import NEEDS_BENCHMARK

TEXT = (
    "❌ **This request came from another version of the bot** and cannot be read any more "
    "(reference `{reference}`). Nothing more is started or charged for it. Please ask again."
)

Say = Callable[[dict[str, Any], str], Awaitable[None]]
"""Says something in a place as `find_place` gives it."""

log = structlog.get_logger(__name__)


async def answer_unreadable(stored: Any, say: Say, *, mention: str, reference: str) -> None:
    """Say on the issue, if one can be made out, that the request was lost.

    Raises `Transient` as `say` does: it is worth saying later.
    """
    place = find_place(stored, mention=mention)
    log.error("unreadable_job", reference=reference, place=place, job=str(stored)[:500])
    if place is None:
        return
    try:
        await say(place, TEXT.format(reference=reference))
    except Gone as gone:
        log.info("nowhere_to_answer", reason=str(gone))


def find_place(stored: Any, *, mention: str) -> dict[str, Any] | None:
    """`{"repo": {owner, name, installation_id}, "issue": …}`, wherever it stands in a job.

    With `"commit"` beside it where a push asked, which is answered on its commit.
    None where nothing in it names an issue, or where it is an event that asks us nothing.
    """
    if isinstance(stored, str):
        try:
            stored = json.loads(stored)
        except (ValueError, RecursionError):
            return None
    waiting = [stored]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            repo = value.get("repo") or (_seems_for_us(value, mention) and value.get("repository"))
            if (place := _place(repo, value.get("issue"))) is not None:
                place |= _commit(value)
                # nobody waits for an answer where neither an issue nor a commit is named
                return place if place["issue"] or "commit" in place else None
            waiting += list(value.values())
    return None


def _place(repo: Any, issue: Any) -> dict[str, Any] | None:
    if not isinstance(repo, dict) or not isinstance(issue, int):
        return None
    owner, name = repo.get("owner"), repo.get("name")
    installation = repo.get("installation_id")
    if not (isinstance(owner, str) and isinstance(name, str) and isinstance(installation, int)):
        return None
    named = {"owner": owner, "name": name, "installation_id": installation}
    return {"repo": named, "issue": issue}


def _commit(request: dict[str, Any]) -> dict[str, Any]:
    commit = request.get("after")
    return {"commit": commit} if commit and isinstance(commit, str) else {}


def _seems_for_us(event: dict[str, Any], mention: str) -> bool:
    labels, body = event.get("labels"), event.get("body")
    if isinstance(labels, list) and NEEDS_BENCHMARK in {str(one).casefold() for one in labels}:
        return True
    return isinstance(body, str) and mention.casefold() in body.casefold()
