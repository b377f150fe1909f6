"""Questions about a repository's history: what a name stands for, which commits changed a path."""

from collections.abc import Sequence
from urllib.parse import quote

import httpx

from bot.github.calls import Calls
from bot.github.failures import NotFound, Rejected
from bot.github.reads import BARE_ID, COMMIT_ID, base_of
from jobs.errors import Transient
from jobs.requests import Repo

NO_SUCH_COMMIT = frozenset({httpx.codes.UNPROCESSABLE_ENTITY, httpx.codes.CONFLICT})
"""What GitHub answers for a SHA that is nowhere, and in a repository without a commit."""


class HistoryReads:
    """Implements `jobs.history.History`."""

    def __init__(self, calls: Calls, repo: Repo) -> None:
        self._calls = calls
        self._repo = repo
        self._base = base_of(repo)

    async def find_commit(self, ref: str) -> str | None:
        """Full SHA of what a name stands for; None where there is nothing of that name."""
        path = f"{self._base}/commits/{quote(ref, safe='/')}"
        try:
            answer = await self._calls.read(path, headers=BARE_ID)
        except NotFound:
            return None
        except Rejected as rejected:
            if rejected.status in NO_SUCH_COMMIT:
                return None
            raise
        commit = answer.text.strip()
        if not COMMIT_ID.fullmatch(commit):
            raise Transient(f"GitHub gave no commit id for a name in {self._repo.full_name}")
        return commit

    async def commits_of(self, path: str, start: str, *, most: int) -> Sequence[str]:
        """The newest commits that changed a path, at most `most` of them."""
        params: dict[str, str | int] = {"sha": start, "per_page": most}
        if path != ".":
            params["path"] = path
        rows = await self._calls.read_json(f"{self._base}/commits", params=params)
        return [str(row["sha"]) for row in rows][:most]
