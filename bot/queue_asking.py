"""Asks once more for what failed, as the command `retry` does: a request of its own, by whoever
asks now, with dedup and budgets as ever.
"""

import hashlib
from datetime import datetime

from jobs.failures import Failure
from jobs.requests import NEEDS_BENCHMARK, TOLD_ELSEWHERE, WEB, Kind, Request

RETRIED: frozenset[Kind] = frozenset(
    {"benchmark", "trigger", "optimize", "rejudge", "report", "summary", "sync"}
)
"""Kinds that somebody asks for on an issue, and that mean the same whenever they are asked for."""


def can_be_retried(failure: Failure) -> bool:
    """Whether what failed can be asked for again here.

    Not what a push or a pull request brought with it: their check runs have buttons of their own,
    and what may run of a pull request is for its command to say.
    """
    request = failure.request
    is_on_issue = bool(request.issue) and not request.is_pull_request and request.repo != WEB
    return is_on_issue and request.kind in RETRIED and request.origin not in TOLD_ELSEWHERE


def make_retry(failure: Failure, *, asker: str, is_private: bool, now: datetime) -> Request:
    """The request; the same failure gives the same key, so that asking twice is once.

    What the earlier asker had confirmed, or was let to pass, holds no more.
    """
    before = failure.request
    repo = before.repo.model_copy(update={"private": is_private})
    asked = Request(
        key=retry_key(failure),
        repo=repo,
        issue=before.issue,
        asker=asker,
        origin="comment",  # somebody who can have seen the issue asks for it in so many words
        asked_at=now,
    )
    if failure.run and before.kind == "benchmark":
        return asked.model_copy(update={"run": failure.run, "force": True})
    kept = {
        name: getattr(before, name)
        for name in Request.model_fields
        if name not in {*asked.model_fields_set, "comment_id", "text_as_of", "label", "head"}
    }
    once = {
        "label": NEEDS_BENCHMARK,
        "override_budget": False,
        "triggering": before.triggering.model_copy(update={"confirmed": False}),
    }
    return asked.model_copy(update=kept | once)


def retry_key(failure: Failure) -> str:
    """The key of the request that asks for it again."""
    digest = hashlib.sha256(failure.id.encode()).hexdigest()[:12]
    return f"again:{failure.request.repo.full_name}:{digest}"
