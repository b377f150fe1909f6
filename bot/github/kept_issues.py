"""Issues that the App keeps up to date: each tag once, found again by a label.

The tag stands in the first line of the issue's text, as in our comments. An issue that people
closed is not opened again: whoever keeps it gets a new one. One whose label they took off is
not found any more either.
"""

from functools import partial
from typing import Any

import structlog

from bot.github.calls import Calls, json_of
from bot.github.failures import Forbidden
from bot.github.issues import IsOwn, IssueCalls, issue_of
from bot.github.reads import base_of
from bot.github.tags import bears_tag, find_tag, is_same_text, with_tag
from jobs.ports import Issue
from jobs.requests import Repo

log = structlog.get_logger(__name__)


class KeptIssues:
    """Implements `jobs.ports.KeptIssues`."""

    def __init__(self, calls: Calls, issues: IssueCalls, repo: Repo, is_own: IsOwn) -> None:
        self._calls = calls
        self._issues = issues
        self._base = base_of(repo)
        self._is_own = is_own

    async def keep_issue(self, title: str, body: str, *, label: str, tag: str) -> Issue:
        """Open an issue, or bring the open one that bears the tag up to date.

        Raises `ValueError` for a text that GitHub would not take.
        """
        text = with_tag(body, tag)

        async def attempt() -> Issue:
            copies = [one for one in await self._list(label) if bears_tag(_body(one), tag)]
            if not copies:
                wanted = {"title": title, "body": text, "labels": [label]}
                answer = await self._calls.send("POST", f"{self._base}/issues", json=wanted)
                return issue_of(json_of(answer))
            kept = min(copies, key=lambda one: int(one["number"]))
            if kept["title"] != title or not is_same_text(_body(kept), text):
                await self._edit(int(kept["number"]), {"title": title, "body": text})
            return issue_of(kept)

        return await self._calls.write(attempt)

    async def close_issues(self, *, label: str, tags_begin: str, but: str) -> None:
        """Close our open issues whose tag begins so, all `but` one; a refusal is only logged."""
        for entry in await self._list(label):
            tag = find_tag(_body(entry)) or ""
            if not tag.startswith(tags_begin) or tag == but:
                continue
            number = int(entry["number"])
            closed = {"state": "closed", "state_reason": "completed"}
            try:
                await self._calls.write(partial(self._edit, number, closed))
            except Forbidden as problem:
                log.warning("issue_left_open", issue=number, problem=str(problem))

    async def _list(self, label: str) -> list[dict[str, Any]]:
        """Our own open issues that bear the label."""
        params = {"labels": label, "state": "open"}
        pages = self._calls.pages(f"{self._base}/issues", params=params)
        return [entry async for entry in pages if await self._is_own(entry)]

    async def _edit(self, number: int, changes: dict[str, Any]) -> None:
        await self._issues.send(number, "PATCH", f"/issues/{number}", json=changes)


def _body(entry: dict[str, Any]) -> str:
    return entry.get("body") or ""
