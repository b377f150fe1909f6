"""A job that this version cannot read: told to whoever waits for it, as far as it can be told.

It happens after an update that changed what crosses the queue, or went back. An event that
cannot be read is answered only if it seems to speak to us; most comments do not.
"""

import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, NamedTuple

import structlog

from jobs.errors import Gone
from jobs.requests import NEEDS_BENCHMARK

TEXT = (
    "❌ **This request came from another version of the bot** and cannot be read any more "
    "(reference `{reference}`). Nothing more is started or charged for it. Please ask again."
)

Say = Callable[[dict[str, Any], str], Awaitable[None]]
"""Says something in a place as `find_place` gives it."""


class Words(NamedTuple):
    """How people of a repository speak to the bot."""

    mentions: tuple[str, ...] = ("@skillbench",)
    label: str = NEEDS_BENCHMARK


FindWords = Callable[[dict[str, Any]], Awaitable[Words]]
"""The words of a repository, given as `{owner, name, installation_id}`; raises `Gone` and
`Transient`."""

log = structlog.get_logger(__name__)


async def usual_words(_: dict[str, Any]) -> Words:
    """Those of a repository that sets none of its own."""
    return Words()


async def answer_unreadable(
    stored: Any, say: Say, find_words: FindWords, *, reference: str
) -> None:
    """Say on the issue, if one can be made out, that the request was lost.

    Raises `Transient` as `say` and `find_words` do: it is worth saying later.
    """
    log.error("unreadable_job", reference=reference, job=str(stored)[:500])
    try:
        place = await find_heard(stored, find_words)
        if place is None:
            return
        await say(place, TEXT.format(reference=reference))
    except Gone as gone:
        log.info("nowhere_to_answer", reason=str(gone))


async def find_heard(stored: Any, find_words: FindWords) -> dict[str, Any] | None:
    """The same as `find_place`, by the words of the repository that the job names."""
    named = (_repo(one.get(name)) for one in _dicts(stored) for name in ("repo", "repository"))
    repo = next((one for one in named if one is not None), None)
    return None if repo is None else find_place(stored, await find_words(repo))


def find_place(stored: Any, words: Words) -> dict[str, Any] | None:
    """`{"repo": {owner, name, installation_id}, "issue": …}`, wherever it stands in a job.

    With `"commit"` beside it where a push asked, which is answered on its commit.
    None where nothing in it names an issue, or where it is an event that asks us nothing.
    """
    for value in _dicts(stored):
        repo = value.get("repo") or (_seems_for_us(value, words) and value.get("repository"))
        named, issue = _repo(repo), value.get("issue")
        if named is not None and isinstance(issue, int):
            place = {"repo": named, "issue": issue} | _commit(value)
            # nobody waits for an answer where neither an issue nor a commit is named
            return place if place["issue"] or "commit" in place else None
    return None


def _dicts(stored: Any) -> Iterator[dict[str, Any]]:
    """Every object in a job, each before what it holds."""
    if isinstance(stored, str):
        try:
            stored = json.loads(stored)
        except (ValueError, RecursionError):
            return
    waiting = [stored]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            yield value
            waiting += list(value.values())


def _repo(repo: Any) -> dict[str, Any] | None:
    if not isinstance(repo, dict):
        return None
    owner, name = repo.get("owner"), repo.get("name")
    installation = repo.get("installation_id")
    if not (isinstance(owner, str) and isinstance(name, str) and isinstance(installation, int)):
        return None
    return {"owner": owner, "name": name, "installation_id": installation}


def _commit(request: dict[str, Any]) -> dict[str, Any]:
    commit = request.get("after")
    return {"commit": commit} if commit and isinstance(commit, str) else {}


def _seems_for_us(event: dict[str, Any], words: Words) -> bool:
    labels, body = event.get("labels"), event.get("body")
    if isinstance(labels, list) and words.label.casefold() in {
        str(one).casefold() for one in labels
    }:
        return True
    return isinstance(body, str) and any(
        mention.casefold() in body.casefold() for mention in words.mentions
    )
