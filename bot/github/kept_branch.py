"""Several files, proposed on one branch that is brought up to date as often as they change.

The branch only ever moves forward, and only from a commit that we made ourselves, as its
message proves: where somebody else has committed to it, it is left as it is. Its tree is the
default branch's with our files in it, so that the proposal never conflicts.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from bot.github.calls import Calls
from bot.github.failures import Forbidden, NotFound, Rejected
from bot.github.git_files import GitFiles, MadeCommit
from bot.github.issues import IsOwn
from bot.github.pull_calls import PullCalls, check_title
from bot.github.reads import base_of
from bot.github.tags import with_tag
from jobs.errors import Refused, Transient
from jobs.proposals import PullRequest
from jobs.requests import Repo

MOST_STEPS = 20
"""Commits that are looked through for the one a branch was begun on; then it is named again."""
_SIGNED = "Skillbench-Commit: "


class KeptBranches:
    """Implements `jobs.proposals.PullRequests.propose_files`."""

    def __init__(self, calls: Calls, repo: Repo, is_own: IsOwn) -> None:
        self._calls = calls
        self._repo = repo
        self._base = base_of(repo)
        self._pulls = PullCalls(calls, repo, is_own)
        self._files = GitFiles(calls, repo)

    async def propose_files(  # noqa: PLR0913 -- a pull request has this many parts
        self,
        *,
        branch: str,
        base: str,
        files: Mapping[str, str],
        title: str,
        body: str,
        tag: str,
    ) -> PullRequest | None:
        """The open pull request from the branch, with just these files changed.

        With no files, an open one is emptied and none is opened; None where none is open.

        Raises `Refused` where somebody else has committed to the branch, and `ValueError` for a
        title or a body that GitHub would not take.
        """
        check_title(title)
        wanted = {"title": title, "body": with_tag(body, tag)}
        where = await self._calls.read_json(self._base)
        head = f"{where['owner']['login']}:{branch}"
        found = await self._pulls.find(head)
        is_open = found is not None and found["state"] == "open"
        if not files and not is_open:
            return None
        await self._bring_forward(branch, base, files, title)
        if found is None or not is_open:
            ended = None if found is None else int(found["number"])
            into = str(where["default_branch"])
            opening = {**wanted, "head": branch, "base": into}
            found = await self._pulls.open(head, opening, despite=ended)
        return await self._pulls.bring_up_to_date(found, wanted, tag)

    async def _bring_forward(
        self, branch: str, base: str, files: Mapping[str, str], title: str
    ) -> None:
        try:
            tree = await self._files.make_tree(base, files)
            if not await self._stands(branch, tree):
                await self._move(branch, tree, base, title)
        except Forbidden as forbidden:
            to_do = f"write to the branch `{branch}`"
            raise self._pulls.not_granted(forbidden, "Contents: write", to_do) from None
        except Rejected as rejected:
            raise Refused(
                f"GitHub does not let the App write to the branch `{branch}` in "
                f"{self._repo.full_name} ({rejected.said}). Allow it in the repository's rules "
                "for branches."
            ) from None

    async def _move(self, branch: str, tree: str, base: str, title: str) -> None:
        head = await self._find_head(branch)
        parents = [base]
        if head is not None:
            made = await self._files.read_commit(head)
            if not _is_ours(made):
                raise Refused(
                    f"Somebody has committed to the branch `{branch}` of {self._repo.full_name}, "
                    "so nothing was changed there. Merge it or rename it, and ask again."
                )
            parents = [head] if await self._stands_on(made, base) else [head, base]
        message = f"{title}\n\n{_sign(tree, parents)}"
        commit = await self._files.make_commit(tree, parents, message)
        try:
            await self._calls.write(lambda: self._point(branch, commit, is_new=head is None))
        except Rejected:
            # another worker was quicker, or our own attempt whose answer was lost
            if await self._stands(branch, tree):
                return
            if await self._find_head(branch) != head:
                raise Transient(f"the branch {branch} was moved at the same time") from None
            raise

    async def _point(self, branch: str, commit: str, *, is_new: bool) -> None:
        if is_new:
            ref = {"ref": f"refs/heads/{branch}", "sha": commit}
            await self._calls.send("POST", f"{self._base}/git/refs", json=ref)
        else:
            moved: dict[str, Any] = {"sha": commit, "force": False}
            await self._calls.send("PATCH", f"{self._base}/git/refs/heads/{branch}", json=moved)

    async def _stands(self, branch: str, tree: str) -> bool:
        """Whether the branch holds just this, whoever put it there."""
        head = await self._find_head(branch)
        if head is None:
            return False
        return (await self._files.read_commit(head)).tree == tree

    async def _stands_on(self, made: MadeCommit, base: str) -> bool:
        """Whether a commit of ours, or one of the last below it, was made on `base`."""
        for _ in range(MOST_STEPS):
            if base in made.parents:
                return True
            if not _is_ours(made):
                return False
            made = await self._files.read_commit(made.parents[0])
        return False

    async def _find_head(self, branch: str) -> str | None:
        try:
            ref = await self._calls.read_json(f"{self._base}/git/ref/heads/{branch}")
        except NotFound:
            return None
        return str(ref["object"]["sha"])


def _sign(tree: str, parents: Sequence[str]) -> str:
    """The line of a message that only fits the commit it was made for."""
    digest = hashlib.sha256(" ".join((tree, *parents)).encode()).hexdigest()
    return _SIGNED + digest


def _is_ours(made: MadeCommit) -> bool:
    """Whether a commit is as we made it; one that was amended or moved is somebody else's."""
    return made.message.rstrip().endswith(_sign(made.tree, made.parents))
