"""Questions about a pull request: where its head lies, and what it shares with its base."""

from urllib.parse import quote

from bot.github.calls import Calls
from bot.github.reads import base_of
from jobs.pull_requests.pull import Pull
from jobs.requests import Repo


class PullReads:
    """Implements `jobs.pull_requests.pull.PullReader`."""

    def __init__(self, calls: Calls, repo: Repo) -> None:
        self._calls = calls
        self._base = base_of(repo)

    async def pull_request(self, number: int) -> Pull:
        """The pull request now. A head whose repository was deleted is a fork's, too."""
        body = await self._calls.read_json(f"{self._base}/pulls/{number}")
        head, base = body["head"], body["base"]
        place = head.get("repo") or {}
        return Pull(
            number=int(body["number"]),
            head=str(head["sha"]),
            head_repository=str(place.get("full_name", "")),
            is_from_fork=place.get("id") != base["repo"]["id"],
            base_branch=str(base["ref"]),
            is_open=body["state"] == "open",
        )

    async def merge_base(self, base: str, head: str) -> str:
        """The newest commit that both share; the listed commits themselves are of no interest."""
        path = f"{self._base}/compare/{quote(base, safe='')}...{quote(head, safe='')}"
        body = await self._calls.read_json(path, params={"per_page": 1})
        return str(body["merge_base_commit"]["sha"])
