"""A pull request as it stands on GitHub, and which commit of it may be run.

A head that lies in another repository was written by anybody. Somebody who may write has to name
the very commit that they looked at: by the button of that commit's check run, or by its whole
SHA in a command. A shortened one is not enough, since a second commit can be made to share it.
"""

from typing import Protocol

from jobs.errors import Refused
from jobs.requests import Request, Value

SHORTEST_SHA = 7


class Pull(Value):
    """A pull request now."""

    number: int
    head: str
    """The commit that is to be merged."""
    head_repository: str
    """Full name of the repository that it lies in; empty where that was deleted."""
    is_from_fork: bool
    """Whether that is another repository, or none any more."""
    base_branch: str
    is_open: bool


class PullReader(Protocol):
    """Reads of pull requests. Same errors as `jobs.ports.RepositoryReader`."""

    async def pull_request(self, number: int) -> Pull: ...
    async def merge_base(self, base: str, head: str) -> str:
        """The newest commit that `base` (a branch or a commit) and the commit `head` share."""


def settle_head(request: Request, pull: Pull, *, mention: str) -> str:
    """The commit to run. Raises `Refused` where nobody has named it, or it is the head no more."""
    if not pull.is_open:
        raise Refused("This pull request is closed, so nobody decides about it any more.")
    named = request.head.casefold()
    if pull.is_from_fork and named != pull.head:
        raise Refused(_say_fork(pull, named, mention))
    if named and (len(named) < SHORTEST_SHA or not pull.head.startswith(named)):
        raise Refused(_say_moved(pull, named, mention))
    return pull.head


def _say_fork(pull: Pull, named: str, mention: str) -> str:
    if len(named) == len(pull.head):
        return _say_moved(pull, named, mention)
    where = pull.head_repository or "a repository that was deleted"
    short = (
        f"`{named[:64]}` is not the whole of it: anybody can make another commit that "
        "begins like this. "
        if named
        else ""
    )
    return (
        f"This pull request comes from a fork (`{where}`), so its head runs only when somebody "
        f"with write permission has looked at that very commit. {short}Its head is "
        f"`{pull.head}` now. There are two ways to run it:\n"
        f"- press `Run benchmark` in the check run `skillbench` of that commit\n"
        f"- comment `{mention} run @{pull.head}`"
    )


def _say_moved(pull: Pull, named: str, mention: str) -> str:
    return (
        f"`{named[:64]}` is not the head of this pull request: that is `{pull.head}` "
        f"now. Nothing was run. Look at what it changes, then ask for it: "
        f"`{mention} run @{pull.head}`"
    )
