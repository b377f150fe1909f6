"""A repository for a request that no issue asked for: what it finds stands on a commit.

Issue 0 is no issue. A report is said on the commit; progress and last words are not, since
nobody waits for them.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from bot.github.repository import RepositoryClient
from jobs.ports import Comment, Issue, LabelLooks, Reaction

NO_ISSUE = 0
REPORT = "report:"
"""Begins the tag of a run's report."""


class OnCommit(RepositoryClient):
    """The same repository, with a commit in the place of issue 0."""

    def __init__(self, *given: Any, commit: str, **parts: Any) -> None:
        super().__init__(*given, **parts)
        self._commit = commit

    async def issue(self, number: int) -> Issue:
        if number != NO_ISSUE:
            return await super().issue(number)
        return Issue(
            number=NO_ISSUE,
            title="",
            body="",
            author="",
            labels=(),
            is_pull_request=True,  # and so never read as an eval case
            is_open=True,
            is_locked=False,
            url="",
        )

    async def comments(self, number: int) -> Sequence[Comment]:
        return await super().comments(number) if number != NO_ISSUE else ()

    async def comment(self, issue: int, body: str, *, tag: str) -> Comment:
        if issue != NO_ISSUE:
            return await super().comment(issue, body, tag=tag)
        url = ""
        if tag.startswith(REPORT):
            url = await self.comment_on_commit(self._commit, body, tag=tag)
        return Comment(
            id=0, body=body, author="", by_this_app=True, created_at=datetime.now(UTC), url=url
        )

    async def edit_comment(
        self, comment_id: int, body: str, *, tag: str, droppable: bool = False
    ) -> None:
        if comment_id:
            await super().edit_comment(comment_id, body, tag=tag, droppable=droppable)

    async def minimise(self, comment_id: int) -> bool:
        return await super().minimise(comment_id) if comment_id else False

    async def react(self, issue: int, comment_id: int | None, reaction: Reaction) -> None:
        if issue != NO_ISSUE:
            await super().react(issue, comment_id, reaction)

    async def change_labels(
        self, issue: int, *, add: Sequence[LabelLooks] = (), remove: Sequence[str] = ()
    ) -> None:
        if issue != NO_ISSUE:
            await super().change_labels(issue, add=add, remove=remove)
