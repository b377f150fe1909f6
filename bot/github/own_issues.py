"""Issues that the App opens by itself: each tag once in a repository, for ever.

They are looked for among all that the App has opened there, closed ones too, so that neither
an emptied Redis nor an App that was removed and installed again opens a second one. Two
processes that looked in the same moment both find both afterwards, and both keep the older.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import structlog

from bot.github.calls import Calls, json_of
from bot.github.failures import Limited, Rejected, ServerTrouble
from bot.github.identity import Identity
from bot.github.issues import IsOwn, issue_of
from bot.github.reads import base_of
from bot.github.tags import bears_tag, with_tag
from jobs.errors import Transient
from jobs.ports import Issue
from jobs.requests import Repo

TWIN = "This is the same issue once more; the other one stays."

log = structlog.get_logger(__name__)


class OwnIssues:
    """Implements `jobs.ports.OwnIssues`."""

    def __init__(
        self,
        calls: Calls,
        repo: Repo,
        is_own: IsOwn,
        identity: Callable[[], Awaitable[Identity]],
    ) -> None:
        self._calls = calls
        self._base = base_of(repo)
        self._is_own = is_own
        self._identity = identity

    async def find_own_issue(self, tag: str) -> Issue | None:
        """The oldest issue of ours with this tag, open or closed."""
        copies = await self._copies(tag)
        return issue_of(copies[0]) if copies else None

    async def open_issue(
        self, title: str, body: str, *, tag: str, labels: Sequence[str] = ()
    ) -> Issue:
        """Open an issue, or give the one that bears the tag, which is left as it is.

        Raises `ValueError` for a text that GitHub would not take.
        """
        wanted = {"title": title, "body": with_tag(body, tag), "labels": list(labels)}

        async def attempt() -> Issue:
            if copies := await self._copies(tag):
                return issue_of(copies[0])
            answer = await self._calls.send("POST", f"{self._base}/issues", json=wanted)
            opened: dict[str, Any] = json_of(answer)
            try:
                copies = await self._copies(tag)
            except Transient as trouble:
                # it is there; not knowing of a twin is no reason to say otherwise
                log.warning("twin_not_looked_for", issue=opened["number"], problem=str(trouble))
                copies = []
            return await self._keep_oldest(copies or [opened])

        return await self._calls.write(attempt)

    async def _copies(self, tag: str) -> list[dict[str, Any]]:
        """Our issues with this tag, oldest first."""
        creator = (await self._identity()).bot_login
        params = {"state": "all", "creator": creator, "sort": "created", "direction": "asc"}
        found = [
            entry
            async for entry in self._calls.pages(f"{self._base}/issues", params=params)
            if "pull_request" not in entry and bears_tag(entry.get("body") or "", tag)
        ]
        own = [entry for entry in found if await self._is_own(entry)]
        return sorted(own, key=lambda entry: int(entry["number"]))

    async def _keep_oldest(self, copies: list[dict[str, Any]]) -> Issue:
        """Close all but the first of several; an App cannot delete an issue."""
        kept, *twins = copies
        for twin in twins:
            if twin["state"] == "closed":
                continue
            change = {"state": "closed", "state_reason": "not_planned", "body": TWIN}
            try:
                path = f"{self._base}/issues/{twin['number']}"
                await self._calls.send("PATCH", path, json=change)
                log.info("twin_closed", issue=twin["number"], kept=kept["number"])
            except (Limited, ServerTrouble, Rejected) as trouble:
                log.warning("twin_left", issue=twin["number"], problem=str(trouble))
        return issue_of(kept)
