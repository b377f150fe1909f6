"""Changes that the App proposes as pull requests; nothing is changed without people.

Part of `jobs.ports`, which makes one role of GitHub of it.
"""

from collections.abc import Mapping
from typing import Protocol

from jobs.requests import Value


class PullRequest(Value):
    """A pull request that the App has made."""

    number: int
    url: str
    is_open: bool
    """False once somebody merged or closed it, which is never undone."""


class PullRequests(Protocol):
    """Proposes a change; nothing of a repository is changed without its people."""

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
        """Open one pull request that changes one file, or find the one that does already.

        `base` is the commit of the default branch that the file was read from; the branch is
        called `branch` and a digest of the change. Mode and line ends stay as they are in the
        repository and in `content`. Twice is once. Same errors as `RepositoryReader`, and
        `Refused` where the App may not, or where somebody else uses the branch.
        """

    async def propose_files(  # noqa: PLR0913 -- the same
        self,
        *,
        branch: str,
        base: str,
        files: Mapping[str, str],
        title: str,
        body: str,
        tag: str,
    ) -> PullRequest | None:
        """The open pull request from `branch`, with these texts by path and nothing else in it.

        `base` is the newest commit of the default branch. The branch is made, or moved forward
        from a commit of our own; where people closed the last pull request, there is a new one.
        With no files an open one is emptied, and None is given where none is open.
        Twice is once. Same errors as `propose`, and `Refused` where somebody else has committed
        to the branch.
        """
