"""The family tree of what can go wrong.

Error:
    ├── UserError          its text goes to GitHub, word for word
    │   ├── Refused        the request cannot be carried out as asked
    │   └── OverBudget     it would cost more than a limit allows
    ├── Transient          worth another try, after `retry_after`
    └── Gone               the place to answer no longer exists (404, 410, lost access)
        ├── IssueMoved     the issue is in another repository now
        └── Suspended      access was taken away, and may be given back

Everything else is a defect: it goes to the log, and the asker gets a run id and one
sentence that holds nothing of the exception, so that no secret can leak through it.

"""

from datetime import timedelta


class Error(Exception):
    """Base of all errors that skillbench raises on purpose."""


class UserError(Error):
    """Something the asker can understand and mend; the message is safe to post."""


class Refused(UserError):  # noqa: N818 -- reads as the outcome it is
    """The request cannot be carried out as asked; the message says what to change."""


class OverBudget(UserError):  # noqa: N818
    """The request would go over a limit; the message holds the numbers."""


class Transient(Error):  # noqa: N818
    """A platform failed for now: rate limit, outage, dropped connection."""

    def __init__(self, message: str, *, retry_after: timedelta | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Gone(Error):  # noqa: N818
    """The issue, repository or installation is not reachable any more; final."""


class IssueMoved(Gone):
    """The issue was transferred; `repository` is `owner/name`, `number` its number there."""

    def __init__(self, message: str, *, repository: str, number: int) -> None:
        super().__init__(message)
        self.repository = repository
        self.number = number


class Suspended(Gone):
    """The installation is suspended: nothing can be told for now, and nothing is lost."""
