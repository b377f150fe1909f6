"""Issues and their comments: read as they stand, written once.

Whether a comment is the App's own is decided by account and App ids, never by a name, which
anybody can imitate. An issue that was transferred answers under its new address while its
comments do not; every call on an issue that fails is therefore explained by looking at the
issue itself.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime
from typing import Any, NoReturn

import httpx
import structlog

from bot.github.calls import Calls
from bot.github.failures import Moved, NotFound
from bot.github.reads import base_of
from jobs.errors import Gone, IssueMoved
from jobs.ports import Comment, Issue, Reaction
from jobs.requests import Repo

IsOwn = Callable[[dict[str, Any]], Awaitable[bool]]
"""Whether a comment, as GitHub gives it, was written by the App itself."""

GHOST = "ghost"
"""How GitHub names the author of what a deleted account wrote."""

log = structlog.get_logger(__name__)


class IssueCalls:
    """Implements `jobs.ports.IssueReader`, and what all writes to an issue share."""

    def __init__(self, calls: Calls, repo: Repo, is_own: IsOwn) -> None:
        self._calls = calls
        self._repo = repo
        self._base = base_of(repo)
        self._is_own = is_own

    async def issue(self, number: int) -> Issue:
        """The issue now. Raises `Gone` saying where to, if it has left the repository."""
        body = await self._calls.read_json(f"{self._base}/issues/{number}")
        await self._refuse_moved(body)
        return issue_of(body)

    async def is_labelled(self, number: int, label: str, *, since: datetime) -> bool:
        """Whether the issue bears a label, in any case of letters; never if it is gone.

        GitHub may answer with what it knew a moment ago: an answer from before `since` is no
        evidence.
        """
        body = await self._find_since(number, since)
        names = {_label_name(one).casefold() for one in body.get("labels", ())}
        return label in names

    async def is_open(self, number: int, *, since: datetime) -> bool:
        """Whether the issue or pull request is open; never if it is gone. Evidence as above."""
        return (await self._find_since(number, since)).get("state") == "open"

    async def _find_since(self, number: int, since: datetime) -> dict[str, Any]:
        """The issue as GitHub tells it; nothing where it is gone, or was told as before `since`."""
        try:
            body = dict(await self._calls.read_json(f"{self._base}/issues/{number}"))
            await self._refuse_moved(body)
        except Gone:
            return {}
        return body if datetime.fromisoformat(body["updated_at"]) >= since else {}

    async def comments(self, number: int) -> list[Comment]:
        """All comments, oldest first."""
        try:
            return [comment async for comment in self._listed(number)]
        except NotFound as missing:
            await self.explain(number, missing)

    async def comments_since(self, number: int, since: datetime) -> list[Comment]:
        """The comments that were written or changed since then."""
        moment = since.strftime("%Y-%m-%dT%H:%M:%SZ")
        return [comment async for comment in self._listed(number, since=moment)]

    async def send(
        self, number: int, method: str, path: str, *, json: Any = None
    ) -> httpx.Response:
        """One write below the issue; not carried over to where the issue was moved to."""
        full = f"{self._base}{path}"
        try:
            return await self._calls.send(method, full, json=json, follow=False)
        except NotFound as missing:
            await self.explain(number, missing)
        except Moved as moved:
            await self.issue(number)  # a renamed repository passes this, a moved issue does not
            return await self._calls.send(method, self._calls.target_of(moved), json=json)

    async def react(self, issue: int, comment_id: int | None, reaction: Reaction) -> None:
        """React; GitHub itself answers a second time with the first reaction.

        A comment that somebody deleted meanwhile gets none, and what it asked for goes on.
        """
        place = f"comments/{comment_id}" if comment_id is not None else str(issue)
        path = f"/issues/{place}/reactions"
        try:
            await self._calls.write(
                lambda: self.send(issue, "POST", path, json={"content": reaction})
            )
        except NotFound:
            if comment_id is None:
                raise
            log.info("comment_to_react_to_is_gone", comment=comment_id)

    async def comment_of(self, body: dict[str, Any]) -> Comment:
        """Our value for a comment as GitHub gives it."""
        return Comment(
            id=body["id"],
            body=body.get("body") or "",
            author=(body.get("user") or {}).get("login") or GHOST,
            by_this_app=await self._is_own(body),
            created_at=datetime.fromisoformat(body["created_at"]),
            url=body["html_url"],
        )

    async def explain(self, number: int, missing: NotFound) -> NoReturn:
        """Raise why a call on this issue found nothing.

        `Gone` where the issue itself is gone or moved; the `NotFound` given where the issue is
        there, so that it was something on it that is not.
        """
        try:
            await self.issue(number)
        except NotFound as gone:
            name = f"issue {self._repo.full_name}#{number}"
            raise Gone(f"{name} is not there any more ({gone})") from None
        raise missing

    async def _listed(self, number: int, **params: str) -> AsyncIterator[Comment]:
        path = f"{self._base}/issues/{number}/comments"
        async for body in self._calls.pages(path, params=dict(params)):
            yield await self.comment_of(body)

    async def _refuse_moved(self, body: dict[str, Any]) -> None:
        """Tell a transferred issue from a renamed repository; both answer from elsewhere."""
        there = _full_name(str(body.get("repository_url", "")))
        if not there or there.lower() == self._repo.full_name.lower():
            return
        renamed = await self._calls.read_json(self._base)
        if there.lower() != str(renamed["full_name"]).lower():
            number = int(body["number"])
            raise IssueMoved(
                f"issue moved to {there}#{number} (it was {self._repo.full_name})",
                repository=there,
                number=number,
            )


def _full_name(repository_url: str) -> str:
    """`acme/skills` of `https://api.github.com/repos/acme/skills`."""
    return "/".join(repository_url.rstrip("/").split("/")[-2:])


def issue_of(body: dict[str, Any]) -> Issue:
    """Our value for an issue as GitHub gives it."""
    return Issue(
        number=body["number"],
        title=body["title"],
        body=body.get("body") or "",
        author=(body.get("user") or {}).get("login") or GHOST,
        labels=tuple(_label_name(label) for label in body.get("labels", ())),
        is_pull_request="pull_request" in body,
        is_open=body.get("state") == "open",
        is_locked=bool(body.get("locked")),
        url=body["html_url"],
    )


def _label_name(label: str | dict[str, Any]) -> str:
    """GitHub's description allows a label to be its bare name."""
    return label if isinstance(label, str) else str(label.get("name", ""))
