"""What a handler may decide. The shell carries it out; a handler writes nothing itself."""

from dataclasses import dataclass, field

from jobs.requests import Request


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


@dataclass(frozen=True, slots=True)
class Enqueue:
    """Hand requests to the jobs, in order; each is taken once under its own key."""

    requests: tuple[Request, ...]
    replies: tuple[Reply, ...] = field(default=())
    """Said beside them: a second command on the same comment that was not understood."""


Decision = Ignore | Reply | Enqueue
