"""What the jobs need of the world, as narrow Protocols; `bot` fills them, tests fill them small.

GitHub comes in roles, so that a step's signature says what it may do. One object of
`bot.github` plays all of them for one repository.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Literal, Protocol

from config.repo_file import RepoFile
from jobs.check_runs import CheckRuns
from jobs.day_budget import Day
from jobs.history import History
from jobs.proposals import PullRequests
from jobs.pull_requests.pull import PullReader
from jobs.requests import Repo, Value
from jobs.results import RunRecord

LARGEST_ARCHIVE = 500_000_000
"""Bytes of an archive that are read back."""
Reaction = Literal["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]
Permission = Literal["admin", "maintain", "write", "triage", "read", "none"]


class Issue(Value):
    """An issue as it stands now. `is_pull_request` issues are never read as eval cases."""

    number: int
    title: str
    body: str
    author: str
    labels: tuple[str, ...]
    is_pull_request: bool
    is_open: bool
    is_locked: bool
    url: str
    """Address of the issue page."""


class Edit(Value):
    """A change of an issue's text."""

    by: str
    """Login, a bot's without `[bot]`; `ghost` where the account is gone."""
    is_bot: bool
    at: datetime


class Comment(Value):
    """A comment, with what decides whether its marker may be believed."""

    id: int
    body: str
    author: str
    by_this_app: bool
    """Written by the App itself (by its id, not by its name)."""
    created_at: datetime
    url: str


class RepositoryReader(Protocol):
    """Reads of a repository. Raises `Gone` for 404/410/lost access, `Transient` when GitHub is."""

    async def default_commit(self) -> str:
        """Full SHA of the default branch's head."""

    async def download_tarball(self, commit: str, target: Path) -> None:
        """Write the tar.gz of a commit to `target`, streaming."""

    async def permission(self, login: str) -> Permission:
        """What a person may do in the repository now, from `role_name`."""

    async def repo_file(self) -> RepoFile:
        """What the file of the default branch says now, give or take minutes; a run goes by
        its commit's. Nothing where it is absent or cannot be used.
        """

    async def repo_files_at(self, commit: str) -> Mapping[str, bytes | None]:
        """The repository's own file in a commit, by path; two where it bears both names. None
        is one that is too large to be read.
        """


class IssueReader(Protocol):
    """Reads of issues. Same errors as `RepositoryReader`."""

    async def issue(self, number: int) -> Issue: ...
    async def comments(self, number: int) -> Sequence[Comment]:
        """All comments of an issue, oldest first, every page."""

    async def last_edit(self, number: int) -> Edit | None:
        """Who changed the issue's text last, and when; None where nobody did."""

    async def open_issues(self, labels: Sequence[str]) -> Sequence[Issue]:
        """Open issues with at least one of these labels, by number, without pull requests."""


class LabelLooks(Value):
    """A label as it is made."""

    name: str
    color: str
    """Six hexadecimal digits."""
    description: str
    """At most 100 characters."""


class IssueWriter(Protocol):
    """Writes to an issue; each looks whether it took effect before it is repeated.

    Same errors as `RepositoryReader`; writes are spaced for GitHub's secondary limits.
    """

    async def comment(self, issue: int, body: str, *, tag: str) -> Comment:
        """Post a comment once: `tag` is hidden in it, and a comment of ours that bears the
        same tag already is adopted (and brought up to date) instead of posting another.
        """

    async def edit_comment(
        self, comment_id: int, body: str, *, tag: str, droppable: bool = False
    ) -> None:
        """Replace a comment's text. A `droppable` edit (progress, never an end) is given up
        at once, with `Transient`, while writes are scarce: it must not delay a report.
        """

    async def minimise(self, comment_id: int) -> bool:
        """Fold a comment of ours away as outdated; whether it is. A courtesy: raises nothing."""

    async def react(self, issue: int, comment_id: int | None, reaction: Reaction) -> None:
        """React to a comment, or to the issue itself; twice is once."""

    async def change_labels(
        self, issue: int, *, add: Sequence[LabelLooks] = (), remove: Sequence[str] = ()
    ) -> None:
        """Add and remove labels; missing ones are created, absent ones are no error."""


class Archives(Protocol):
    """Where archives are kept for ever."""

    async def upload(self, month: str, name: str, content: Path) -> str:
        """Attach a zip to the pre-release `benchmark-results-<month>` and give its address.

        `month` is `YYYY-MM`. An asset of the same name is the same content (names hold a
        digest) and is reused. A full or immutable release leads to part `-2`, and so on.
        Raises `Refused` with the reason where GitHub takes no archive at all.
        """

    async def find_archive(self, run_id: str) -> str | None:
        """Address of a run's archive; None where GitHub has none of ours."""

    async def fetch_archive(self, run_id: str, target: Path) -> bool:
        """Write a run's archive to `target`; False where GitHub has none of ours.

        Raises `Refused` for one that is larger than `LARGEST_ARCHIVE` bytes.
        """


class KeptIssues(Protocol):
    """Issues of the App's own that it keeps up to date."""

    async def keep_issue(self, title: str, body: str, /, *, label: LabelLooks, tag: str) -> Issue:
        """Open an issue once, or bring the open one of ours that bears the tag up to date.

        It is found by `label`, which is put on it when it is opened.
        """

    async def close_issues(self, *, label: str, tags_begin: str, but: str) -> None:
        """Close our open issues whose tag begins like this, all `but` the one with that tag."""


class CommitComments(Protocol):
    """Says something on a commit, where there is no issue to say it on."""

    async def comment_on_commit(self, commit: str, body: str, *, tag: str) -> str:
        """Comment once, as `IssueWriter.comment` does; gives the comment's address."""


class OwnIssues(Protocol):
    """Issues that the App opens by itself, for a whole repository."""

    async def find_own_issue(self, tag: str) -> Issue | None:
        """The issue of ours that bears the tag, open or closed; None where none does."""

    async def open_issue(
        self, title: str, body: str, *, tag: str, labels: Sequence[str] = ()
    ) -> Issue:
        """Open an issue once: one of ours that bears the tag, closed or not, is given instead
        and left as it is. Same errors as `RepositoryReader`.
        """


class NewPlace(Protocol):
    """What a repository is asked when the App first comes to it."""

    async def takes_issues(self) -> bool:
        """False where it is archived or disabled, or has its issues switched off."""

    async def newest_issues(self, most: int) -> Sequence[Issue]:
        """Its open issues, newest first, without pull requests."""

    async def make_labels(self, labels: Sequence[LabelLooks]) -> None:
        """Make those that are not there; the others stay as they are."""


class GitHub(
    RepositoryReader,
    History,
    IssueReader,
    IssueWriter,
    OwnIssues,
    NewPlace,
    Archives,
    PullRequests,
    KeptIssues,
    CommitComments,
    CheckRuns,
    PullReader,
    Protocol,
):
    """One repository on GitHub, in all its roles."""


class BlobStore(Protocol):
    """Bytes between workers, by key (`runs/<run id>/with_skill-1.zip`)."""

    async def put(self, key: str, content: bytes | Path) -> None: ...
    async def get(self, key: str) -> bytes | None:
        """None where nothing is stored under the key."""

    async def exists(self, key: str) -> bool: ...
    async def delete(self, key: str) -> None: ...


class Budget(Protocol):
    """The day's limits, the bot's and a repository's: reserved before the spending, settled after.

    Raises `Transient` while what remembers the day is away.
    """

    def within(self, per_day: Decimal | None, /) -> "Budget":
        """The same money, where each repository may reserve so much in a day; None: no limit."""

    async def day(self, repo: Repo, /) -> Day:
        """What became of today's money so far."""

    async def reserve(self, run_id: str, repo: Repo, usd: Decimal, /) -> None:
        """Set money aside for a run; the same run twice is once. Raises `OverBudget`."""

    async def settle(self, run_id: str, usd: Decimal, /) -> None:
        """Replace the reservation by what was really spent; the same run twice is once."""


class Ledger(Protocol):
    """The index of finished runs, and the leases on running ones."""

    async def find(self, record_key: str, /) -> RunRecord | None:
        """The finished run with this dedup key (`jobs.planning.dedup.record_key`)."""

    async def record(self, record_key: str, record: RunRecord, /) -> None:
        """Let a graded run answer for its dedup key from now on, and note it."""

    async def note(self, record: RunRecord, /) -> None:
        """Keep a run among its repository's, graded or not, without answering for its key."""

    async def records(self, repo: str, /) -> Sequence[RunRecord]:
        """Every run of a repository (`owner/name`), the one that ended first at the beginning."""

    def hold(self, record_key: str, /) -> AbstractAsyncContextManager[None]:
        """Wait until no other request runs the same thing, then hold it for ourselves."""


class Pages(Protocol):
    """Pages that the bot's own web server shows to anybody who has the address."""

    async def put(self, repo: Repo, page_id: str, html: str) -> str | None:
        """Show a page, in place of an earlier one with this id, and give its address.

        `page_id` is 32 to 64 hexadecimal digits that nobody can guess. None, and nothing is
        shown, where the repository is private, the page too large, or the bot's address unknown.
        """


class Counts(Protocol):
    """Counts how things end, for whoever watches the bot."""

    async def add(self, what: Literal["runs", "sessions"], outcome: str, /) -> None:
        """Count one; losing a count loses nothing else."""


Clock = Callable[[], datetime]
"""Now, in UTC; given, so that a test can name the day."""
