"""A repository for a benchmark that a push asked for: its reports are posted, and nothing else.

Nobody waits for it on the issue, so what goes on stands in the commit's check run. Issue 0 is
no issue: a report on an eval case without one stands in the check run alone.
"""

from datetime import UTC, datetime
from typing import Any

from bot.github.on_commit import NO_ISSUE, REPORT, OnCommit
from jobs.ports import Comment, Reaction


class ReportsOnly(OnCommit):
    """The same repository, silent but for reports on issues."""

    def __init__(self, *given: Any, **parts: Any) -> None:
        super().__init__(*given, commit="", **parts)

    async def comment(self, issue: int, body: str, *, tag: str) -> Comment:
        if issue != NO_ISSUE and tag.startswith(REPORT):
            return await super().comment(issue, body, tag=tag)
        return Comment(
            id=0, body=body, author="", by_this_app=True, created_at=datetime.now(UTC), url=""
        )

    async def react(self, issue: int, comment_id: int | None, reaction: Reaction) -> None:
        """Nobody has asked on an issue, so there is nothing to react to."""

    async def minimise(self, comment_id: int) -> bool:
        return await super().minimise(comment_id) if comment_id else False
