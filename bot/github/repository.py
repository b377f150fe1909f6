"""One repository on GitHub, in all the roles that jobs know.

Only puts the parts together: what each does, and how, stands in its own module.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import httpx
from redis.asyncio import Redis

from bot.github.calls import Calls
from bot.github.check_runs import CheckRuns
from bot.github.comments import Comments
from bot.github.commit_comments import CommitComments
from bot.github.history import HistoryReads
from bot.github.identity import Identity
from bot.github.issue_edits import IssueEdits
from bot.github.issues import IsOwn, IssueCalls
from bot.github.kept_archives import KeptArchives
from bot.github.kept_branch import KeptBranches
from bot.github.kept_issues import KeptIssues
from bot.github.labelled import list_labelled
from bot.github.labels import Labels
from bot.github.listings import Listings
from bot.github.minimise import Minimising
from bot.github.own_issues import OwnIssues
from bot.github.pull_reads import PullReads
from bot.github.pulls import Pulls
from bot.github.reads import RepositoryReads
from bot.github.releases import Releases
from bot.github.repo_files import RepoFiles
from config.repo_file import RepoFile
from jobs.check_runs import CheckRun
from jobs.errors import Refused
from jobs.ports import LARGEST_ARCHIVE, Comment, Edit, Issue, LabelLooks, Permission, Reaction
from jobs.proposals import PullRequest
from jobs.pull_requests.pull import Pull
from jobs.requests import Repo


class RepositoryClient:
    """Implements `jobs.ports.GitHub`.

    Every method raises `Gone` where the place is not reachable any more, `Transient` where
    GitHub is not for now, and nothing else that jobs are meant to catch.
    """

    def __init__(  # noqa: PLR0913 -- the parts of a client, each of them one
        self,
        repo: Repo,
        calls: Calls,
        *,
        is_own: IsOwn,
        plain: httpx.AsyncClient,
        identity: Callable[[], Awaitable[Identity]],
        redis: Redis | None = None,
    ) -> None:
        self.repo = repo
        self._calls = calls
        self._reads = RepositoryReads(calls, repo, plain=plain)
        self._history = HistoryReads(calls, repo)
        self._issues = IssueCalls(calls, repo, is_own)
        self._edits = IssueEdits(calls, repo)
        self._comments = Comments(calls, self._issues, repo)
        self._labels = Labels(calls, self._issues, repo)
        self._minimising = Minimising(calls, repo)
        self._releases = Releases(calls, repo)
        self._pulls = Pulls(calls, repo, is_own)
        self._kept_branches = KeptBranches(calls, repo, is_own)
        self._kept_issues = KeptIssues(calls, self._issues, repo, is_own)
        self._commit_comments = CommitComments(calls, repo, is_own)
        self._pull_reads = PullReads(calls, repo)
        self._check_runs = CheckRuns(calls, repo, is_own)
        self._own_issues = OwnIssues(calls, repo, is_own, identity)
        self.repo_files = RepoFiles(calls, repo, redis)
        """The repository's own file, as handlers ask for it."""
        self.listings = Listings(calls, self._issues, repo)
        """What the whole repository holds, for upkeep; no port of the jobs."""
        self.kept_archives = KeptArchives(calls, repo, is_own, plain=plain)
        """Likewise."""

    async def default_commit(self) -> str:
        return await self._reads.default_commit()

    async def download_tarball(self, commit: str, target: Path) -> None:
        await self._reads.download_tarball(commit, target)

    async def find_commit(self, ref: str) -> str | None:
        return await self._history.find_commit(ref)

    async def commits_of(self, path: str, start: str, *, most: int) -> Sequence[str]:
        return await self._history.commits_of(path, start, most=most)

    async def permission(self, login: str) -> Permission:
        return await self._reads.permission(login)

    async def issue(self, number: int) -> Issue:
        return await self._issues.issue(number)

    async def is_labelled(self, issue: int, label: str, *, since: datetime) -> bool:
        return await self._issues.is_labelled(issue, label, since=since)

    async def is_open(self, issue: int, *, since: datetime) -> bool:
        return await self._issues.is_open(issue, since=since)

    async def repo_file(self) -> RepoFile:
        return await self.repo_files.repo_file()

    async def repo_files_at(self, commit: str) -> Mapping[str, bytes | None]:
        return await self.repo_files.read_at(commit)

    async def last_edit(self, number: int) -> Edit | None:
        return await self._edits.last_edit(number)

    async def comments(self, number: int) -> Sequence[Comment]:
        return await self._issues.comments(number)

    async def open_issues(self, labels: Sequence[str]) -> Sequence[Issue]:
        return await list_labelled(self._calls, self.repo, labels)

    async def comment(self, issue: int, body: str, *, tag: str) -> Comment:
        return await self._comments.comment(issue, body, tag=tag)

    async def has_said(self, issue: int, tag: str) -> bool:
        return await self._comments.has_said(issue, tag)

    async def edit_comment(
        self, comment_id: int, body: str, *, tag: str, droppable: bool = False
    ) -> None:
        await self._comments.edit_comment(comment_id, body, tag=tag, droppable=droppable)

    async def minimise(self, comment_id: int) -> bool:
        return await self._minimising.minimise(comment_id)

    async def react(self, issue: int, comment_id: int | None, reaction: Reaction) -> None:
        await self._issues.react(issue, comment_id, reaction)

    async def change_labels(
        self, issue: int, *, add: Sequence[LabelLooks] = (), remove: Sequence[str] = ()
    ) -> None:
        await self._labels.change_labels(issue, add=add, remove=remove)

    async def find_own_issue(self, tag: str) -> Issue | None:
        return await self._own_issues.find_own_issue(tag)

    async def open_issue(
        self, title: str, body: str, *, tag: str, labels: Sequence[str] = ()
    ) -> Issue:
        return await self._own_issues.open_issue(title, body, tag=tag, labels=labels)

    async def takes_issues(self) -> bool:
        return await self._reads.takes_issues()

    async def newest_issues(self, most: int) -> Sequence[Issue]:
        return await self.listings.newest_issues(most)

    async def make_labels(self, labels: Sequence[LabelLooks]) -> None:
        await self._labels.make_labels(labels)

    async def upload(self, month: str, name: str, content: Path) -> str:
        return await self._releases.upload(month, name, content)

    async def find_archive(self, run_id: str) -> str | None:
        archive = await self.kept_archives.find(run_id)
        return archive.url if archive else None

    async def fetch_archive(self, run_id: str, target: Path) -> bool:
        archive = await self.kept_archives.find(run_id)
        if archive is None:
            return False
        if archive.size > LARGEST_ARCHIVE:
            raise Refused(f"the archive {archive.name} is larger than is read back.")
        await self.kept_archives.fetch(archive, target)
        return True

    async def propose(  # noqa: PLR0913 -- as the port has it
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
        return await self._pulls.propose(
            branch=branch, base=base, path=path, content=content, title=title, body=body, tag=tag
        )

    async def propose_files(  # noqa: PLR0913 -- as the port has it
        self,
        *,
        branch: str,
        base: str,
        files: Mapping[str, str],
        title: str,
        body: str,
        tag: str,
    ) -> PullRequest | None:
        return await self._kept_branches.propose_files(
            branch=branch, base=base, files=files, title=title, body=body, tag=tag
        )

    async def keep_issue(self, title: str, body: str, *, label: LabelLooks, tag: str) -> Issue:
        await self._labels.ensure(label)
        return await self._kept_issues.keep_issue(title, body, label=label.name, tag=tag)

    async def close_issues(self, *, label: str, tags_begin: str, but: str) -> None:
        await self._kept_issues.close_issues(label=label, tags_begin=tags_begin, but=but)

    async def comment_on_commit(self, commit: str, body: str, *, tag: str) -> str:
        return await self._commit_comments.comment_on_commit(commit, body, tag=tag)

    async def pull_request(self, number: int) -> Pull:
        return await self._pull_reads.pull_request(number)

    async def merge_base(self, base: str, head: str) -> str:
        return await self._pull_reads.merge_base(base, head)

    async def show_check(self, check: CheckRun, *, tag: str) -> str:
        return await self._check_runs.show_check(check, tag=tag)
