"""A repository for a benchmark that follows from something else: a push, or a comparison of a pull
request. Its reports are posted, and nothing else of its own.

Nobody waits for it on the issue, so what goes on stands in a check run, and in the comment of
whoever asked for the whole. Issue 0 is no issue: a report on an eval case without one stands in
the check run alone.
"""

from datetime import UTC, datetime
from typing import Any

from bot.github.on_commit import NO_ISSUE, REPORT, OnCommit
from jobs.ports import Comment, Reaction

OF_PEOPLE = ("request:comment:", "request:button:", "request:label:")
"""Begin the tags of comments that people asked for (`jobs.living_comment.comment_tag`)."""


class ReportsOnly(OnCommit):
    """The same repository, silent but for reports on issues, and what people have asked."""

    def __init__(self, *given: Any, **parts: Any) -> None:
        super().__init__(*given, commit="", **parts)

    async def comment(self, issue: int, body: str, *, tag: str) -> Comment:
        if issue != NO_ISSUE and tag.startswith((REPORT, *OF_PEOPLE)):
            return await super().comment(issue, body, tag=tag)
        return Comment(
            id=0, body=body, author="", by_this_app=True, created_at=datetime.now(UTC), url=""
        )

    async def react(self, issue: int, comment_id: int | None, reaction: Reaction) -> None:
        """React to the comment of a person; the issue itself has not asked."""
        if comment_id is not None:
            await super().react(issue, comment_id, reaction)
