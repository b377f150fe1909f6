"""Questions about a pull request: where its head lies, and what it shares with its base."""

from urllib.parse import quote

from bot.github.calls import Calls
from bot.github.failures import NotFound
from bot.github.reads import base_of
from jobs.content.text import quoted
from jobs.errors import Refused
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
        """The newest commit that both share; the listed commits themselves are of no interest.

        Raises `Refused` where there is none: GitHub answers 404 for two histories that have
        nothing in common, as after a forced push, and for a branch or a commit that is gone.
        """
        path = f"{self._base}/compare/{quote(base, safe='')}...{quote(head, safe='')}"
        try:
            body = await self._calls.read_json(path, params={"per_page": 1})
        except NotFound:
            raise Refused(
                f"The branch {quoted(base)} and the head {quoted(head)} have no commit in common "
                "that GitHub would show, so there is no base to compare with. Rebase the pull "
                "request onto its base branch, and ask again."
            ) from None
        return str(body["merge_base_commit"]["sha"])
