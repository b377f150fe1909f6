"""One changed file, proposed as one pull request, however often it is proposed and by whom.

The branch bears a digest of the change, so that the same proposal finds what was done for it
before, and another proposal never meets it. A branch is only ever made: where one of the name
stands and holds something else, people work there, and it is left as it is.
"""

import hashlib
import re
from typing import Any

from bot.github.calls import Calls, json_of
from bot.github.failures import Forbidden, NotFound, Rejected
from bot.github.git_files import Change, GitFiles
from bot.github.issues import IsOwn
from bot.github.reads import base_of
from bot.github.tags import bears_tag, with_tag
from jobs.errors import Refused, Transient
from jobs.ports import PullRequest
from jobs.requests import Repo

LONGEST_TITLE = 256
LONGEST_STEM = 100
"""Characters of a branch's name before its digest."""
_ODD = re.compile(r"[^A-Za-z0-9/_-]+")
"""What Git or a shell would not take in a branch's name, and dots, of which Git takes some."""

NOT_GRANTED = "not accessible by integration"
"""GitHub's words for a permission that the App lacks."""


class Pulls:
    """Implements `jobs.ports.PullRequests`."""

    def __init__(self, calls: Calls, repo: Repo, is_own: IsOwn) -> None:
        self._calls = calls
        self._repo = repo
        self._base = base_of(repo)
        self._is_own = is_own
        self._files = GitFiles(calls, repo)

    async def propose(  # noqa: PLR0913 -- a pull request has this many parts
        self,
        *,
        branch: str,
        base: str,
        path: str,
        content: bytes,
        title: str,
        body: str,
        tag: str,
    ) -> PullRequest:
        """Open the pull request, or find it; one that somebody closed or merged stays so.

        Raises `ValueError` for a title or a body that GitHub would not take.
        """
        if not 0 < len(title) <= LONGEST_TITLE:
            raise ValueError(f"a title has 1 to {LONGEST_TITLE} characters, not {len(title)}")
        text = with_tag(body, tag)
        name = make_branch_name(branch, base=base, path=path, content=content)
        wanted = {"title": title, "body": text}
        where = await self._calls.read_json(self._base)
        head = f"{where['owner']['login']}:{name}"
        if (found := await self._find(head)) is None:
            change = Change(base=base, path=path, content=content, message=title)
            await self._make_branch(name, change)
            into = str(where["default_branch"])
            found = await self._open(head, {**wanted, "head": name, "base": into})
        return await self._bring_up_to_date(found, wanted, tag)

    async def _find(self, head: str) -> dict[str, Any] | None:
        """The newest pull request from a branch, open ones first."""
        params = {"head": head, "state": "all"}
        found = [pull async for pull in self._calls.pages(f"{self._base}/pulls", params=params)]
        # an older server ignores a head that it does not know, and lists everything
        own = [pull for pull in found if pull["head"]["label"].lower() == head.lower()]
        return max(own, key=lambda pull: (pull["state"] == "open", pull["number"]), default=None)

    async def _make_branch(self, name: str, change: Change) -> None:
        """Make the branch, or find that it holds this very change. Raises `Refused`."""
        try:
            if await self._holds(name, change):
                return
            commit = await self._files.commit(change)
            await self._calls.write(lambda: self._create_ref(name, commit, change))
        except Forbidden as forbidden:
            to_do = f"make the branch `{name}`"
            raise self._not_granted(forbidden, "Contents: write", to_do) from None
        except Rejected as rejected:
            raise Refused(
                f"GitHub does not let the App make the branch `{name}` in "
                f"{self._repo.full_name} ({rejected.said}). Allow it in the repository's rules "
                "for branches."
            ) from None

    async def _create_ref(self, name: str, commit: str, change: Change) -> None:
        ref = {"ref": f"refs/heads/{name}", "sha": commit}
        try:
            await self._calls.send("POST", f"{self._base}/git/refs", json=ref)
        except Rejected as rejected:
            # another worker was quicker, or our own attempt whose answer was lost
            if not await self._holds(name, change):
                raise rejected from None

    async def _holds(self, name: str, change: Change) -> bool:
        """Whether the branch is there with this change. Raises `Refused` if with another."""
        try:
            ref = await self._calls.read_json(f"{self._base}/git/ref/heads/{name}")
        except NotFound:
            return False
        if await self._files.is_change(str(ref["object"]["sha"]), change):
            return True
        raise Refused(
            f"The branch `{name}` of {self._repo.full_name} holds something else than this "
            "proposal, so nothing was changed there. Rename or remove it, and ask again."
        )

    async def _open(self, head: str, wanted: dict[str, str]) -> dict[str, Any]:
        async def attempt() -> dict[str, Any]:
            if found := await self._find(head):
                return found
            try:
                answer = await self._calls.send("POST", f"{self._base}/pulls", json=wanted)
            except Rejected as rejected:
                if found := await self._find(head):
                    return found
                if "already exists" in rejected.said:
                    raise Transient(f"{rejected}, and is not listed yet") from None
                raise
            return dict(json_of(answer))

        waits = f"The change waits on the branch `{wanted['head']}`."
        try:
            return await self._calls.write(attempt)
        except Forbidden as forbidden:
            raise self._not_granted(
                forbidden, "Pull requests: write", "open a pull request", more=waits
            ) from None
        except Rejected as rejected:
            raise Refused(
                f"GitHub does not take the pull request in {self._repo.full_name} "
                f"({rejected.said}). {waits}"
            ) from None

    async def _bring_up_to_date(
        self, found: dict[str, Any], wanted: dict[str, str], tag: str
    ) -> PullRequest:
        """The pull request with this title and text, if it is open and our own."""
        is_open = found["state"] == "open"
        body = found.get("body") or ""
        differs = found["title"] != wanted["title"] or not _same_text(body, wanted["body"])
        if is_open and differs and bears_tag(body, tag) and await self._is_own(found):
            path = f"{self._base}/pulls/{found['number']}"
            try:
                await self._calls.write(lambda: self._calls.send("PATCH", path, json=wanted))
            except Forbidden as forbidden:
                raise self._not_granted(
                    forbidden, "Pull requests: write", "bring its pull request up to date"
                ) from None
        return PullRequest(number=found["number"], url=found["html_url"], is_open=is_open)

    def _not_granted(
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


def make_branch_name(stem: str, *, base: str, path: str, content: bytes) -> str:
    """The branch of a change: readable by its stem, told from every other by its digest."""
    digest = hashlib.sha256()
    for part in (stem.encode(), base.encode(), path.encode(), content):
        digest.update(len(part).to_bytes(8, "big") + part)
    parts = [part.strip("-") for part in _ODD.sub("-", stem).split("/")]
    readable = "/".join(part for part in parts if part)[:LONGEST_STEM].rstrip("-/")
    return f"{readable or 'change'}-{digest.hexdigest()[:12]}"


def _same_text(one: str, other: str) -> bool:
    """Whether GitHub would keep them as the same text: it stores line ends as it likes."""
    return _plain(one) == _plain(other)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").rstrip()
