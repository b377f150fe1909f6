"""Which commits a repository has, as far as a comparison of versions asks for it."""

from collections.abc import Sequence
from typing import Protocol


class History(Protocol):
    """Reads of a repository's history. Same errors as `RepositoryReader`."""

    async def find_commit(self, ref: str) -> str | None:
        """Full SHA of what a branch, a tag or a commit's SHA stands for; None: there is none."""

    async def commits_of(self, path: str, start: str, *, most: int) -> Sequence[str]:
        """The newest commits from `start` backwards that changed a path, as full SHAs.

        `path` is a folder or file relative to the repository's root; `.` is all of it.
        """
