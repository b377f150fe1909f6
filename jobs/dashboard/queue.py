"""What is shown of the queue: plain values, the same on its page and in the API.

Only of repositories that a visitor sees; of the others only how many requests there are.
"""

from datetime import datetime

from jobs.failures import HowFailed
from jobs.requests import Kind, Origin, Value


class RunLink(Value):
    """A run that goes on for a request."""

    run: str
    title: str
    """What it measures: eval case, skill, model."""
    doing: str
    """Which part of it goes on, such as `judging`."""


class QueuedItem(Value):
    """A request that waits or is carried out."""

    reference: str
    """Twelve hexadecimal digits by which it is cancelled."""
    position: int
    """How many requests of all repositories begin before it, and one; 0: it is carried out."""
    repo: str
    kind: Kind
    asked: str
    """What is asked for, as a command would say it."""
    issue: int
    """0: it was asked for on no issue."""
    is_pull_request: bool
    origin: Origin
    asker: str
    asked_at: datetime
    expected_at: datetime | None = None
    """When it is expected to have ended; None: not known."""
    is_retry: bool = False
    """Whether it waits to be tried again after trouble with a platform."""
    runs: tuple[RunLink, ...] = ()
    """Those that go on for its issue; only where it is carried out."""
    may_cancel: bool = False
    """Whether the visitor may."""
    is_cancelled: bool = False
    """Whether somebody has, and its worker is ending it."""


class FailedItem(Value):
    """A request, or a run of one, that came to nothing."""

    id: str
    """By which it is asked for again."""
    reference: str
    """What the asker was told to give the operator; of a run, its id."""
    repo: str
    kind: Kind
    how: HowFailed
    asked: str
    title: str = ""
    """Of a run, what it measured."""
    run: str = ""
    """Id of the run; empty: it is about the whole request."""
    issue: int
    is_pull_request: bool
    asker: str
    reason: str
    """What the asker was told, as plain text."""
    failed_at: datetime
    may_retry: bool = False
    """Whether the visitor may, and it can be asked for again."""
    was_retried: bool = False
    """Whether it was asked for again on the page."""


class QueueFigures(Value):
    """The queue at one moment."""

    running: tuple[QueuedItem, ...]
    waiting: tuple[QueuedItem, ...]
    """The next one first."""
    failed: tuple[FailedItem, ...]
    """The last one first."""
    other_running: int
    other_waiting: int
    """Of repositories that are not seen."""
    unread: int = 0
    """Requests behind those that were looked at."""
    workers: int
    """That gave a sign of life within the last half minute."""
    events: int
    """Deliveries that wait to be looked at."""
    at: datetime
