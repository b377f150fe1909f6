"""Comments of ours: each tag once on an issue, however often it is posted and by whom.

Look, then write; after writing, look once more. Two processes that looked in the same
moment both find both comments then, and both keep the older one, so that no lock is needed
and a Redis that was wiped changes nothing.
"""

from datetime import timedelta

import structlog

from bot.github.calls import Calls, json_of
from bot.github.failures import Limited, NotFound, ServerTrouble
from bot.github.issues import IssueCalls
from bot.github.reads import base_of
from bot.github.tags import bears_tag, is_same_text, with_tag
from jobs.errors import Transient
from jobs.ports import Comment
from jobs.requests import Repo

log = structlog.get_logger(__name__)

SAME_MOMENT = timedelta(minutes=5)
"""How far back the second look goes: a write that was given up can land minutes later."""


class Comments:
    """The comment half of `jobs.ports.IssueWriter`."""

    def __init__(self, calls: Calls, issues: IssueCalls, repo: Repo) -> None:
        self._calls = calls
        self._issues = issues
        self._base = base_of(repo)

    async def comment(self, issue: int, body: str, *, tag: str) -> Comment:
        """Post once, or adopt the comment that bears the tag already and update its text.

        Raises `ValueError` for a text that GitHub would not take.
        """
        text = with_tag(body, tag)

        async def attempt() -> Comment:
            copies = _copies(await self._issues.comments(issue), tag)
            if copies:
                return await self._keep_oldest(copies, text)
            return await self._post(issue, text, tag)

        return await self._calls.write(attempt)

    async def has_said(self, issue: int, tag: str) -> bool:
        """Whether a comment of ours bears the tag."""
        return bool(_copies(await self._issues.comments(issue), tag))

    async def edit_comment(
        self, comment_id: int, body: str, *, tag: str, droppable: bool = False
    ) -> None:
        """Replace a comment's text.

        A `droppable` edit is tried once and only if its moment is near; left out, it raises
        `Transient`, so that the caller knows that the comment still says the old thing.
        """
        text = with_tag(body, tag)
        if not droppable:
            await self._calls.write(lambda: self._edit(comment_id, text))
        elif not await self._calls.write_or_drop(lambda: self._edit(comment_id, text)):
            raise Transient(f"a progress edit of comment {comment_id} was left out")

    async def _post(self, issue: int, text: str, tag: str) -> Comment:
        path = f"/issues/{issue}/comments"
        answer = await self._issues.send(issue, "POST", path, json={"body": text})
        posted = await self._issues.comment_of(json_of(answer))
        try:
            since = posted.created_at - SAME_MOMENT
            copies = _copies(await self._issues.comments_since(issue, since), tag)
        except Transient as trouble:
            # it is posted; not knowing of a twin is no reason to say otherwise
            log.warning("twin_not_looked_for", comment=posted.id, problem=str(trouble))
            return posted
        return await self._keep_oldest([*copies, posted], text)

    async def _keep_oldest(self, copies: list[Comment], text: str) -> Comment:
        """Leave one comment of several with the same tag, with the newest text."""
        kept, *others = sorted({copy.id: copy for copy in copies}.values(), key=lambda c: c.id)
        for other in others:
            log.info("twin_removed", comment=other.id, kept=kept.id)
            await self._remove(other.id)
        if not is_same_text(kept.body, text):
            await self._edit(kept.id, text)
            kept = kept.model_copy(update={"body": text})
        return kept

    async def _edit(self, comment_id: int, text: str) -> None:
        await self._calls.send("PATCH", self._at(comment_id), json={"body": text})

    async def _remove(self, comment_id: int) -> None:
        try:
            await self._calls.send("DELETE", self._at(comment_id))
        except NotFound:
            return  # the other process was quicker
        except (Limited, ServerTrouble) as trouble:
            log.warning("twin_left", comment=comment_id, problem=str(trouble))

    def _at(self, comment_id: int) -> str:
        return f"{self._base}/issues/comments/{comment_id}"


def _copies(comments: list[Comment], tag: str) -> list[Comment]:
    return [found for found in comments if found.by_this_app and bears_tag(found.body, tag)]
