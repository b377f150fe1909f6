# ruff: noqa: ARG002 -- the arguments are the port's
"""The place of a request that somebody made on the bot's own pages: nothing of it is on GitHub.

What would be said on an issue is kept in the blob store, where the page of the run finds it.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.github.on_commit import OnCommit
from bot.store.words import word_key
from config.repo_file import RepoFile
from jobs.errors import Refused
from jobs.ports import BlobStore, Comment


class OnPage(OnCommit):
    """A repository that there is none of: no file of its own, no archive, one word at a time."""

    def __init__(self, *given: Any, blobs: BlobStore, run_id: str, **parts: Any) -> None:
        super().__init__(*given, commit="", **parts)
        self._blobs = blobs
        self._run_id = run_id

    async def repo_file(self) -> RepoFile:
        return RepoFile()

    async def comment(self, issue: int, body: str, *, tag: str) -> Comment:
        await self._blobs.put(word_key(self._run_id), body.encode("utf-8", "replace"))
        return Comment(
            id=0, body=body, author="", by_this_app=True, created_at=datetime.now(UTC), url=""
        )

    async def edit_comment(
        self, comment_id: int, body: str, *, tag: str, droppable: bool = False
    ) -> None:
        await self._blobs.put(word_key(self._run_id), body.encode("utf-8", "replace"))

    async def upload(self, month: str, name: str, content: Path) -> str:
        raise Refused("a run that was asked for on the bot's pages has no archive on GitHub")
