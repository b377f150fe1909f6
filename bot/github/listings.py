"""What a whole repository holds for us: labelled issues, who labelled them, comments.

Reads only, for the scan after an outage and for `rebuild`; a request never comes here.
"""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

from bot.github.calls import PAGE, Calls
from bot.github.issues import IssueCalls, issue_of
from bot.github.reads import base_of
from jobs.errors import Gone
from jobs.ports import Comment, Issue
from jobs.requests import Repo

ISSUE_NUMBER = re.compile(r"/issues/(\d+)$")


@dataclass(frozen=True, slots=True)
class Person:
    """Who did something: an account, or an App's bot."""

    id: int
    login: str
    is_bot: bool


@dataclass(frozen=True, slots=True)
class LabelledIssue:
    """An open issue that bears the label; pull requests are listed with them."""

    number: int
    is_pull_request: bool


@dataclass(frozen=True, slots=True)
class Labelling:
    """The last time that a label was put on an issue."""

    by: Person
    at: datetime


@dataclass(frozen=True, slots=True)
class FoundComment:
    """A comment, with the issue it stands on and its author."""

    issue: int
    is_pull_request: bool
    by: Person | None
    """None where the account is gone."""
    changed_at: datetime
    comment: Comment


class Listings:
    """The listings of one repository. Raises `Gone` and `Transient` as all reads do."""

    def __init__(self, calls: Calls, issues: IssueCalls, repo: Repo) -> None:
        self._calls = calls
        self._issues = issues
        self._base = base_of(repo)

    async def labelled(self, label: str) -> AsyncIterator[LabelledIssue]:
        """Open issues with this label, whoever put it there."""
        params = {"labels": label, "state": "open"}
        async for entry in self._calls.pages(f"{self._base}/issues", params=params):
            yield LabelledIssue(int(entry["number"]), "pull_request" in entry)

    async def newest_issues(self, most: int) -> list[Issue]:
        """At most so many open issues, newest first, without pull requests."""
        found: list[Issue] = []
        params = {"state": "open", "sort": "created", "direction": "desc"}
        async for entry in self._calls.pages(f"{self._base}/issues", params=params):
            if "pull_request" not in entry:
                found.append(issue_of(entry))
            if len(found) >= most:
                break
        return found

    async def find_labelling(self, issue: int, label: str) -> Labelling | None:
        """Who put the label on last, and when; None where GitHub does not tell (any more)."""
        found = None
        async for entry in self._calls.pages(f"{self._base}/issues/{issue}/events"):
            name = str((entry.get("label") or {}).get("name", ""))
            if entry.get("event") == "labeled" and name.casefold() == label.casefold():
                found = entry
        person = _person(found.get("actor")) if found else None
        if found is None or person is None:
            return None
        return Labelling(person, datetime.fromisoformat(found["created_at"]))

    async def comments(
        self, *, since: datetime | None = None, most_pages: int
    ) -> AsyncIterator[FoundComment]:
        """Comments on all issues, the last changed first; ends after so many pages.

        `since`: only those that were written or changed since then.
        """
        params: dict[str, Any] = {"sort": "updated", "direction": "desc"}
        if since is not None:
            params["since"] = since.strftime("%Y-%m-%dT%H:%M:%SZ")
        path = f"{self._base}/issues/comments"
        left = most_pages * PAGE
        async for entry in self._calls.pages(path, params=params, most=most_pages + 1):
            if not left:
                return
            left -= 1
            if (found := await self._found(entry)) is not None:
                yield found

    async def find_id(self, full_name: str) -> int | None:
        """Id of the repository that this name leads to, also after a rename; None: nowhere."""
        owner, _, name = full_name.partition("/")
        path = f"/repos/{quote(owner, safe='')}/{quote(name, safe='')}"
        try:
            return int((await self._calls.read_json(path))["id"])
        except Gone:
            return None

    async def _found(self, entry: dict[str, Any]) -> FoundComment | None:
        number = ISSUE_NUMBER.search(str(entry.get("issue_url", "")))
        if number is None:
            return None
        return FoundComment(
            issue=int(number[1]),
            is_pull_request="/pull/" in str(entry["html_url"]),
            by=_person(entry.get("user")),
            changed_at=datetime.fromisoformat(entry["updated_at"]),
            comment=await self._issues.comment_of(entry),
        )


def _person(account: dict[str, Any] | None) -> Person | None:
    if not account:
        return None
    is_bot = account.get("type") == "Bot"
    return Person(int(account["id"]), str(account["login"]), is_bot)
