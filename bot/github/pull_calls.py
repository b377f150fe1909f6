"""What every proposal of ours shares: a pull request found again, opened once, kept up to date."""

from typing import Any

from bot.github.calls import Calls, json_of
from bot.github.failures import Forbidden, Rejected
from bot.github.issues import IsOwn
from bot.github.reads import base_of
from bot.github.tags import bears_tag, is_same_text
from jobs.errors import Refused, Transient
from jobs.proposals import PullRequest
from jobs.requests import Repo

LONGEST_TITLE = 256

NOT_GRANTED = "not accessible by integration"
"""GitHub's words for a permission that the App lacks."""


class PullCalls:
    """The pull requests of one repository, by the branch they come from."""

    def __init__(self, calls: Calls, repo: Repo, is_own: IsOwn) -> None:
        self._calls = calls
        self._repo = repo
        self._base = base_of(repo)
        self._is_own = is_own

    async def find(self, head: str) -> dict[str, Any] | None:
        """The newest pull request from a branch (`owner:branch`), open ones first."""
        params = {"head": head, "state": "all"}
        found = [pull async for pull in self._calls.pages(f"{self._base}/pulls", params=params)]
        # an older server ignores a head that it does not know, and lists everything
        own = [pull for pull in found if pull["head"]["label"].lower() == head.lower()]
        return max(own, key=lambda pull: (pull["state"] == "open", pull["number"]), default=None)

    async def open(
        self, head: str, wanted: dict[str, str], *, despite: int | None = None
    ) -> dict[str, Any]:
        """Open one, or find it; `wanted` has title, body, head and base.

        `despite` is the number of an ended one that does not count as found. Raises `Refused`.
        """

        async def look() -> dict[str, Any] | None:
            found = await self.find(head)
            return None if found is not None and found["number"] == despite else found

        async def attempt() -> dict[str, Any]:
            if found := await look():
                return found
            try:
                answer = await self._calls.send("POST", f"{self._base}/pulls", json=wanted)
            except Rejected as rejected:
                if found := await look():
                    return found
                if "already exists" in rejected.said:
                    raise Transient(f"{rejected}, and is not listed yet") from None
                raise
            return dict(json_of(answer))

        waits = f"The change waits on the branch `{wanted['head']}`."
        try:
            return await self._calls.write(attempt)
        except Forbidden as forbidden:
            raise self.not_granted(
                forbidden, "Pull requests: write", "open a pull request", more=waits
            ) from None
        except Rejected as rejected:
            raise Refused(
                f"GitHub does not take the pull request in {self._repo.full_name} "
                f"({rejected.said}). {waits}"
            ) from None

    async def bring_up_to_date(
        self, found: dict[str, Any], wanted: dict[str, str], tag: str
    ) -> PullRequest:
        """The pull request with this title and text, if it is open and our own."""
        is_open = found["state"] == "open"
        body = found.get("body") or ""
        differs = found["title"] != wanted["title"] or not is_same_text(body, wanted["body"])
        if is_open and differs and bears_tag(body, tag) and await self._is_own(found):
            path = f"{self._base}/pulls/{found['number']}"
            try:
                await self._calls.write(lambda: self._calls.send("PATCH", path, json=wanted))
            except Forbidden as forbidden:
                raise self.not_granted(
                    forbidden, "Pull requests: write", "bring its pull request up to date"
                ) from None
        return PullRequest(number=found["number"], url=found["html_url"], is_open=is_open)

    def not_granted(
        self, forbidden: Forbidden, permission: str, to_do: str, more: str = ""
    ) -> Exception:
        """What a 403 means: a permission that is missing, or a place that is not ours any more."""
        if NOT_GRANTED not in str(forbidden):
            return forbidden
        return Refused(
            f"The App may not {to_do} in {self._repo.full_name}: grant it the repository "
            f"permission *{permission}*, accept that on the installation's page, and ask again. "
            f"{more}".strip()
        )


def check_title(title: str) -> None:
    """Raises `ValueError` for a title that GitHub would not take."""
    if not 0 < len(title) <= LONGEST_TITLE:
        raise ValueError(f"a title has 1 to {LONGEST_TITLE} characters, not {len(title)}")
