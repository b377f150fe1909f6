"""What a handler may decide. The shell carries it out; a handler writes nothing itself."""

from dataclasses import dataclass, field
from typing import Literal

from jobs.requests import Inquiry, Repo, Request


@dataclass(frozen=True, slots=True)
class Ignore:
    """Nothing to do, and why: logged, so that silence can be explained."""

    reason: str


@dataclass(frozen=True, slots=True)
class Reply:
    """Say one thing on the issue, once: `tag` makes a second delivery find the first answer."""

    issue: int
    body: str
    tag: str
    reaction_to: int | None = None
    """Comment id that gets a 😕 with it; None: no reaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquire:
    """Answer reading commands: those of a comment together, in one comment of ours."""

    inquiries: tuple[Inquiry, ...]
    issue: int
    tag: str
    """Makes a second delivery find the first answer."""
    comment_id: int
    """The comment that asks, which gets 👀."""
    beside: Reply | None = None
    """What else there is to say to this comment; it is said in the same one."""


@dataclass(frozen=True, slots=True)
class Enqueue:
    """Hand requests to the jobs, in order; each is taken once under its own key."""

    requests: tuple[Request, ...]
    replies: tuple[Reply, ...] = field(default=())
    """Said beside them: a second command on the same comment that was not understood."""
    inquire: Inquire | None = None
    """Answered once they are on the queue, so that the answer knows of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRequests:
    """Cancel what is waiting or under way for an issue, then do what else was asked."""

    repo: Repo
    issue: int
    by: str
    """Login of whoever cancels."""
    origin: Literal["label", "comment"] | None = None
    """Only requests that came about like this; None: whichever."""
    asker: str | None = None
    """Only requests of this person; None: of anybody."""
    runs: tuple[str, ...] = ()
    """Only the requests that hold one of these runs; empty: whatever they hold."""
    comment_id: int | None = None
    """The comment that asks for it, which gets a 👍."""
    nothing_to_cancel: Reply | None = None
    """What to say where there is no such request, or none for some of the runs."""
    then: Enqueue = field(default_factory=lambda: Enqueue(()))


@dataclass(frozen=True, slots=True, kw_only=True)
class StopServing:
    """End what waits or goes on where the App is not let in any more, without a word."""

    installation_id: int
    by: str
    """Login of whoever removed or suspended the App."""
    may_come_back: bool
    """Whether it is only suspended, so that what it was asked for is kept for then."""
    repositories: tuple[str, ...] | None
    """Full names; None: the whole installation."""


Decision = Ignore | Reply | Inquire | Enqueue | CancelRequests | StopServing
