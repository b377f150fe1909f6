"""What failed, kept for whoever looks at the queue: the asker was told, and may not look again.

A cancel and a refusal of what somebody wrote are no failures; what broke on our side or on a
platform's is, and so is a run without a score.
"""

from datetime import datetime
from typing import Literal, Protocol

from jobs.requests import Request, Value

HowFailed = Literal["broke", "platform", "crashed", "ungraded"]
"""`broke`: a defect of ours; `platform`: one was away for too long; `crashed`: it took its workers
down; `ungraded`: a run came to no score."""
LONGEST_REASON = 2_000


class Failure(Value):
    """A request, or one of its runs, that came to nothing."""

    request: Request
    how: HowFailed
    reason: str
    """What the asker was told, as Markdown."""
    reference: str
    """The id that the asker was given for the operator; of a run, the run's."""
    run: str = ""
    """Id of the run; empty: it is about the whole request."""
    title: str = ""
    """Of a run, what it measured."""
    at: datetime

    @property
    def id(self) -> str:
        """The same however often it is noted; another asking for the same has another."""
        return f"{self.reference}:{self.request.asked_at:%Y%m%dT%H%M%S%f}"


class Failures(Protocol):
    """Keeps the newest of them."""

    async def note(self, failure: Failure, /) -> None:
        """Keep one; twice is once. Losing one loses nothing else, so it raises nothing."""


class Unnoted:
    """Keeps none, for whoever looks at no queue."""

    async def note(self, _: Failure, /) -> None:
        """Nothing to do."""


UNNOTED = Unnoted()
