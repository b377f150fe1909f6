"""What the local GitHub remembers: plain records of accounts, repositories and issues.

Records hold no behaviour beyond looking themselves up; every change goes through
`actions.py`, so that whoever makes it (REST, a page, a test) causes the same webhooks.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from demo.github.commits import Commit, Entries
from demo.github.records import Check, Label, MovedIssue

AccountKind = Literal["User", "Bot", "Organization"]
Role = Literal["admin", "maintain", "write", "triage", "read", "none"]
Access = Literal["read", "write"]
ReactionContent = Literal["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]


@dataclass(eq=False, kw_only=True)
class Account:
    """A person, an organization or the bot of an App."""

    id: int
    login: str
    kind: AccountKind
    created_at: datetime


@dataclass(eq=False, kw_only=True)
class App:
    """The one GitHub App of this GitHub."""

    id: int
    slug: str
    name: str
    client_id: str
    client_secret: str
    owner: Account
    bot: Account
    public_key_pem: str
    created_at: datetime
    permissions: dict[str, Access]
    events: tuple[str, ...]


@dataclass(eq=False, kw_only=True)
class Installation:
    """The App installed on an account."""

    id: int
    account: Account
    created_at: datetime
    suspended_at: datetime | None = None
    repository_ids: set[int] | None = None
    """The repositories that were chosen; None: all of the account's."""

    def covers(self, repository: "Repository") -> bool:
        return repository.owner is self.account and (
            self.repository_ids is None or repository.id in self.repository_ids
        )


@dataclass(eq=False, kw_only=True)
class Reaction:
    """One account's emoji on an issue or comment."""

    id: int
    account: Account
    content: ReactionContent
    created_at: datetime


@dataclass(eq=False, kw_only=True)
class Comment:
    """A comment on an issue."""

    id: int
    author: Account
    body: str
    created_at: datetime
    updated_at: datetime
    reactions: list[Reaction] = field(default_factory=list)
    minimized: str | None = None
    """Why it is folded away (`outdated` …); None while it is shown."""


@dataclass(frozen=True, kw_only=True)
class TimelineEvent:
    """Something other than a comment that the issue page tells."""

    at: datetime
    actor: Account
    kind: Literal["labeled", "unlabeled", "closed", "reopened", "locked", "renamed"]
    label: Label | None = None
    detail: str = ""
    before: str = ""
    """Of a new title: the old one."""


@dataclass(eq=False, kw_only=True)
class Issue:
    """An issue, or what the issues API shows of a pull request."""

    id: int
    number: int
    title: str
    body: str
    author: Account
    created_at: datetime
    updated_at: datetime
    is_pull_request: bool = False
    labels: list[Label] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)
    events: list[TimelineEvent] = field(default_factory=list)
    is_open: bool = True
    state_reason: str | None = None
    closed_at: datetime | None = None
    closed_by: Account | None = None
    is_locked: bool = False
    edited: tuple[datetime, Account] | None = None  # its text, the last time

    def find_label(self, name: str) -> Label | None:
        """The label of that name, in any case, if the issue bears it."""
        return next((label for label in self.labels if label.name.lower() == name.lower()), None)


@dataclass(eq=False, kw_only=True)
class Pull:
    """What a pull request has beside its issue: the branches, and how it ended."""

    head: str
    base: str
    head_commit: str
    base_commit: str
    """Where the base branch stood when it was opened."""
    fork: "Repository | None" = None
    """The repository that the head lies in; None: the one it is to be merged into."""
    is_fork_gone: bool = False
    """Whether that repository was deleted; its commits stay."""
    merged_at: datetime | None = None
    merged_by: Account | None = None


@dataclass(eq=False, kw_only=True)
class CommitComment:
    """A comment on a commit."""

    id: int
    commit: str
    author: Account
    body: str
    created_at: datetime
    updated_at: datetime


@dataclass(eq=False, kw_only=True)
class Asset:
    """A file attached to a release."""

    id: int
    name: str
    label: str | None
    content_type: str
    content: bytes
    digest: str
    uploader: Account
    created_at: datetime
    downloads: int = 0


@dataclass(eq=False, kw_only=True)
class Release:
    """A release and its assets."""

    id: int
    tag: str
    target: str
    name: str
    body: str
    is_draft: bool
    is_prerelease: bool
    is_immutable: bool
    author: Account
    created_at: datetime
    assets: list[Asset] = field(default_factory=list)


@dataclass(eq=False, kw_only=True)
class Repository:
    """A repository with everything that hangs on it."""

    id: int
    owner: Account
    name: str
    is_private: bool
    created_at: datetime
    pushed_at: datetime
    description: str = ""
    is_archived: bool = False
    is_disabled: bool = False
    former_names: set[str] = field(default_factory=set)
    """Full names it had before, in lower case; their addresses redirect."""
    default_branch: str = "main"
    commits: dict[str, Commit] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    protected_branches: set[str] = field(default_factory=set)
    """Names that no branch may be given."""
    blobs: dict[str, bytes] = field(default_factory=dict)
    trees: dict[str, Entries] = field(default_factory=dict)
    """Made one by one, by id; those of `commits` are not among them."""
    commit_comments: list[CommitComment] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    issues: dict[int, Issue] = field(default_factory=dict)
    pulls: dict[int, Pull] = field(default_factory=dict)
    """By number; an issue that says it is a pull request may have none."""
    deleted_issues: set[int] = field(default_factory=set)
    moved_issues: dict[int, MovedIssue] = field(default_factory=dict)
    labels: list[Label] = field(default_factory=list)
    releases: list[Release] = field(default_factory=list)
    roles: dict[str, Role] = field(default_factory=dict)
    """By login in lower case; whoever is missing may read what is public."""
    releases_are_immutable: bool = False
    tarballs: dict[str, bytes] = field(default_factory=dict)
    """Packed commits by id, made when first asked for."""

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"

    @property
    def head(self) -> Commit | None:
        """The default branch's newest commit; None in an empty repository."""
        return self.find_commit(self.default_branch)

    def find_commit(self, ref: str) -> Commit | None:
        """The commit that a branch, a tag, `HEAD`, a full or a shortened id stands for."""
        name = ref.removeprefix("refs/")
        kind, _, rest = name.partition("/")
        named = {"heads": self.branches, "tags": self.tags}.get(kind)
        if named is not None and name not in self.branches:
            return self.commits.get(named.get(rest, ""))
        if name == "HEAD":
            name = self.default_branch
        sha = self.branches.get(name) or self.tags.get(name) or name
        if sha in self.commits:
            return self.commits[sha]
        found = [full for full in self.commits if len(sha) >= 7 and full.startswith(sha)]
        return self.commits[found[0]] if len(found) == 1 else None

    def find_label(self, name: str) -> Label | None:
        """The label of that name, in any case."""
        return next((label for label in self.labels if label.name.lower() == name.lower()), None)

    def find_comment(self, comment_id: int) -> tuple[Issue, Comment] | None:
        """A comment by its id, with the issue it is on."""
        for issue in self.issues.values():
            for comment in issue.comments:
                if comment.id == comment_id:
                    return issue, comment
        return None

    def role_of(self, account: Account) -> Role:
        """What an account may do here."""
        if account is self.owner:
            return "admin"
        return self.roles.get(account.login.lower(), "none" if self.is_private else "read")


@dataclass(eq=False, kw_only=True)
class State:
    """All of it. Look-ups ignore the case of names, as GitHub's do."""

    app: App
    accounts: dict[str, Account] = field(default_factory=dict)
    installations: list[Installation] = field(default_factory=list)
    repositories: list[Repository] = field(default_factory=list)
    last_id: int = 1_500_000_000

    def next_id(self) -> int:
        """A new id, larger than every one before."""
        self.last_id += 7
        return self.last_id

    def find_account(self, login: str) -> Account | None:
        return self.accounts.get(login.lower())

    def find_repository(self, owner: str, name: str) -> Repository | None:
        wanted = f"{owner}/{name}".lower()
        return next((r for r in self.repositories if r.full_name.lower() == wanted), None)

    def find_renamed(self, owner: str, name: str) -> Repository | None:
        """The repository that had this name before."""
        wanted = f"{owner}/{name}".lower()
        return next((r for r in self.repositories if wanted in r.former_names), None)

    def find_installation(self, account: Account) -> Installation | None:
        return next((i for i in self.installations if i.account is account), None)
