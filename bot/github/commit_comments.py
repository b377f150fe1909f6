"""Comments of ours on commits: each tag once on a commit.

For what nobody asked for on an issue, such as what a push has changed. As with comments on
issues: look, then write, then look once more, and of two keep the older one.
"""

from typing import Any
from urllib.parse import quote

import structlog

from bot.github.calls import Calls, json_of
from bot.github.failures import Limited, NotFound, ServerTrouble
from bot.github.issues import IsOwn
from bot.github.reads import base_of
from bot.github.tags import bears_tag, is_same_text, with_tag
from jobs.errors import Transient
from jobs.requests import Repo

log = structlog.get_logger(__name__)


class CommitComments:
    """Implements `jobs.ports.CommitComments`."""

    def __init__(self, calls: Calls, repo: Repo, is_own: IsOwn) -> None:
        self._calls = calls
        self._base = base_of(repo)
        self._is_own = is_own

    async def comment_on_commit(self, commit: str, body: str, *, tag: str) -> str:
        """Post once, or adopt the comment that bears the tag and update its text.

        Raises `ValueError` for a text that GitHub would not take.
        """
        text = with_tag(body, tag)
        path = f"{self._base}/commits/{quote(commit, safe='')}/comments"

        async def attempt() -> str:
            if not (copies := await self._copies(path, tag)):
                made = json_of(await self._calls.send("POST", path, json={"body": text}))
                try:
                    copies = await self._copies(path, tag)
                except Transient as trouble:
                    # it is posted; not knowing of a twin is no reason to say otherwise
                    log.warning("twin_not_looked_for", comment=made["id"], problem=str(trouble))
                copies = [*copies, made]
            return await self._keep_oldest(copies, text)

        return await self._calls.write(attempt)

    async def _copies(self, path: str, tag: str) -> list[dict[str, Any]]:
        return [
            comment
            async for comment in self._calls.pages(path)
            if bears_tag(comment.get("body") or "", tag) and await self._is_own(comment)
        ]

    async def _keep_oldest(self, copies: list[dict[str, Any]], text: str) -> str:
        """Leave one comment of several with the same tag, with the newest text."""
        kept, *others = sorted(
            {one["id"]: one for one in copies}.values(), key=lambda one: one["id"]
        )
        for other in others:
            log.info("twin_removed", comment=other["id"], kept=kept["id"])
            await self._remove(other["id"])
        if not is_same_text(kept["body"], text):
            at = f"{self._base}/comments/{kept['id']}"
            await self._calls.send("PATCH", at, json={"body": text})
        return str(kept["html_url"])

    async def _remove(self, comment_id: int) -> None:
        try:
            await self._calls.send("DELETE", f"{self._base}/comments/{comment_id}")
        except NotFound:
            return  # the other process was quicker
        except (Limited, ServerTrouble) as trouble:
            log.warning("twin_left", comment=comment_id, problem=str(trouble))
