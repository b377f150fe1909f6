"""Our own typed events: the small part of a webhook payload that a decision needs.

Plain msgspec structs, tagged by type, so that they cross the queue as JSON.
"""

from datetime import datetime
from typing import Literal

import msgspec


class Actor(msgspec.Struct, frozen=True, kw_only=True):
    """Who did it, by account id and kind, since names can be imitated."""

    id: int
    login: str
    is_bot: bool


class EventRepository(msgspec.Struct, frozen=True, kw_only=True):
    """The repository an event is about."""

    id: int
    owner: str
    name: str
    private: bool
    installation_id: int


class IssueLabelled(msgspec.Struct, frozen=True, kw_only=True, tag="issue_labelled"):
    """A label was put on an issue, or the issue was opened with labels on it."""

    delivery: str
    repository: EventRepository
    sender: Actor
    issue: int
    is_pull_request: bool
    labels: tuple[str, ...]
    """The label that was just added; for an opened issue, all it was opened with."""
    at: datetime | None = None
    """When the issue was changed last, by then."""


class IssueUnlabelled(msgspec.Struct, frozen=True, kw_only=True, tag="issue_unlabelled"):
    """A label was taken off an issue."""

    delivery: str
    repository: EventRepository
    sender: Actor
    issue: int
    label: str
    at: datetime | None = None
    """When the issue was changed last, by then: this may come late, or a second time."""


class IssueCommented(msgspec.Struct, frozen=True, kw_only=True, tag="issue_commented"):
    """A comment was written on an issue or pull request, or its text was changed."""

    delivery: str
    repository: EventRepository
    sender: Actor
    issue: int
    is_pull_request: bool
    comment_id: int
    body: str
    body_before: str | None
    """The text before the edit; None for a new comment."""
    created_at: datetime
    changed_at: datetime | None = None
    """When the text was last changed; the same in every delivery of one edit."""


class Pushed(msgspec.Struct, frozen=True, kw_only=True, tag="pushed"):
    """The default branch leads to another commit."""

    delivery: str
    repository: EventRepository
    sender: Actor
    before: str | None
    """Where the branch led before; None where there was no such branch."""
    after: str
    touches_skills: bool
    """False where the commits it brought certainly changed no SKILL.md."""
    touches_config: bool = False
    """False where they certainly changed no file of the repository's settings."""
    asked_again: bool = False
    """Whether it is an earlier push, whose check run somebody wants to have again: the one on the
    repository's settings where it touches those, else the one on skills."""


PullChange = Literal["opened", "pushed", "closed", "retargeted"]
"""What became of a pull request: it is open for review, has another head, has ended, or is to be
merged into another branch."""


class PullRequestChanged(msgspec.Struct, frozen=True, kw_only=True, tag="pull_request_changed"):
    """A pull request was opened, pushed to, retargeted or closed."""

    delivery: str
    repository: EventRepository
    sender: Actor
    issue: int
    change: PullChange
    head: str
    """The commit that is to be merged."""
    at: datetime | None = None
    """When it changed, by GitHub's clock."""


CheckButton = Literal["run", "rerun-failed"]
"""What a button of our check run asks for."""


class CheckRunAsked(msgspec.Struct, frozen=True, kw_only=True, tag="check_run_asked"):
    """Somebody pressed a button of our check run on a pull request."""

    delivery: str
    repository: EventRepository
    sender: Actor
    issue: int
    button: CheckButton
    head: str
    """The commit that the check run stands on."""


InstallationChange = Literal["added", "removed", "suspended", "resumed", "granted"]
"""What became of an installation: it has come to repositories, or left them; it was suspended,
or serves again; the owner has accepted what the App asks for."""


class InstallationChanged(msgspec.Struct, frozen=True, kw_only=True, tag="installation_changed"):
    """The App was installed on an account or on more of its repositories, or no longer is."""

    delivery: str
    installation_id: int
    owner: str
    """Login of the account that it is installed on."""
    sender: Actor
    change: InstallationChange
    is_whole: bool
    """Whether it is about the whole installation, not only about these repositories."""
    is_chosen: bool
    """Whether somebody chose the repositories one by one, rather than all that there are."""
    repositories: tuple[EventRepository, ...] = ()
    """Empty where GitHub does not list them."""


RepositoryChange = Literal["privatized", "publicized", "renamed", "deleted"]
"""What became of a repository; `renamed`: it has another name, or another owner."""


class RepositoryChanged(msgspec.Struct, frozen=True, kw_only=True, tag="repository_changed"):
    """Others may read a repository than before, or it is called something else, or is gone."""

    delivery: str
    repository: EventRepository
    """Under its name of now."""
    sender: Actor
    change: RepositoryChange
    name_before: str = ""
    """The full name that it had; empty where it has it still."""


Event = (
    IssueLabelled
    | IssueUnlabelled
    | IssueCommented
    | Pushed
    | PullRequestChanged
    | CheckRunAsked
    | InstallationChanged
    | RepositoryChanged
)
