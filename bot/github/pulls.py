"""One changed file, proposed as one pull request, however often it is proposed and by whom.

The branch bears a digest of the change, so that the same proposal finds what was done for it
before, and another proposal never meets it. A branch is only ever made: where one of the name
stands and holds something else, people work there, and it is left as it is.
"""

import hashlib
import re

from bot.github.calls import Calls
from bot.github.failures import Forbidden, NotFound, Rejected
from bot.github.git_files import Change, GitFiles
from bot.github.issues import IsOwn
from bot.github.pull_calls import PullCalls, check_title
from bot.github.reads import base_of
from bot.github.tags import with_tag
from jobs.errors import Refused
from jobs.proposals import PullRequest
from jobs.requests import Repo

LONGEST_STEM = 100
"""Characters of a branch's name before its digest."""
_ODD = re.compile(r"[^A-Za-z0-9/_-]+")
"""What Git or a shell would not take in a branch's name, and dots, of which Git takes some."""


class Pulls:
    """Implements `jobs.proposals.PullRequests.propose`."""

    def __init__(self, calls: Calls, repo: Repo, is_own: IsOwn) -> None:
        self._calls = calls
        self._repo = repo
        self._base = base_of(repo)
        self._pulls = PullCalls(calls, repo, is_own)
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
        check_title(title)
        text = with_tag(body, tag)
        name = make_branch_name(branch, base=base, path=path, content=content)
        wanted = {"title": title, "body": text}
        where = await self._calls.read_json(self._base)
        head = f"{where['owner']['login']}:{name}"
        if (found := await self._pulls.find(head)) is None:
            change = Change(base=base, path=path, content=content, message=title)
            await self._make_branch(name, change)
            into = str(where["default_branch"])
            found = await self._pulls.open(head, {**wanted, "head": name, "base": into})
        return await self._pulls.bring_up_to_date(found, wanted, tag)

    async def _make_branch(self, name: str, change: Change) -> None:
        """Make the branch, or find that it holds this very change. Raises `Refused`."""
        try:
            if await self._holds(name, change):
                return
            commit = await self._files.commit(change)
            await self._calls.write(lambda: self._create_ref(name, commit, change))
        except Forbidden as forbidden:
            to_do = f"make the branch `{name}`"
            raise self._pulls.not_granted(forbidden, "Contents: write", to_do) from None
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


def make_branch_name(stem: str, *, base: str, path: str, content: bytes) -> str:
    """The branch of a change: readable by its stem, told from every other by its digest."""
    digest = hashlib.sha256()
    for part in (stem.encode(), base.encode(), path.encode(), content):
        digest.update(len(part).to_bytes(8, "big") + part)
    parts = [part.strip("-") for part in _ODD.sub("-", stem).split("/")]
    readable = "/".join(part for part in parts if part)[:LONGEST_STEM].rstrip("-/")
    return f"{readable or 'change'}-{digest.hexdigest()[:12]}"
