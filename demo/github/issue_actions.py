"""What somebody can do to issues: open, edit, close, lock, move and label them.

Every change to an issue goes through here or `comment_actions.py`, whoever makes it, and is
told to the App by the webhooks GitHub would send. Permission is the caller's to check.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from demo.github.answers import Problem, make_field_error
from demo.github.records import Label, MovedIssue
from demo.github.shapes import Json, issue_shape, label_shape
from demo.github.shapes_code import repository_shape
from demo.github.shapes_git import pull_shape
from demo.github.site import Site
from demo.github.state import Account, Issue, Repository, TimelineEvent

LONGEST_BODY = 65_536
"""Characters GitHub takes in the body of an issue or comment."""
_LONGEST_TITLE = 256
_LONGEST_LABEL = 50
_MOST_LABELS = 100
_NEW_LABEL_COLOR = "ededed"


def check_length(resource: str, body: str) -> None:
    """Refuse a body that GitHub would find too long. Raises `Problem` 422."""
    if len(body) > LONGEST_BODY:
        message = f"Body is too long (maximum is {LONGEST_BODY} characters)"
        raise make_field_error(resource, "body", "custom", message)


def _check_title(title: str) -> None:
    if not title.strip():
        raise make_field_error("Issue", "title", "missing_field")
    if len(title) > _LONGEST_TITLE:
        message = f"Title is too long (maximum is {_LONGEST_TITLE} characters)"
        raise make_field_error("Issue", "title", "custom", message)


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueDraft:
    """What a new issue is to be."""

    title: str
    body: str
    labels: Sequence[str] = ()
    number: int | None = None
    """The number to take; None: the next free one."""
    is_pull_request: bool = False


class IssueActions:
    """Changes to issues and labels, with their webhooks."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def open(self, repository: Repository, by: Account, draft: IssueDraft) -> Issue:
        """Open an issue. GitHub tells of the opening and of each label it was opened with."""
        _check_title(draft.title)
        check_length("Issue", draft.body)
        taken = {*repository.issues, *repository.deleted_issues, *repository.moved_issues}
        if draft.number is not None and draft.number in taken:
            raise Problem(422, f"issue {draft.number} of {repository.full_name} exists already")
        now = self._site.clock()
        issue = Issue(
            id=self._site.state.next_id(),
            number=draft.number or max(taken, default=0) + 1,
            title=draft.title,
            body=draft.body,
            author=by,
            created_at=now,
            updated_at=now,
            is_pull_request=draft.is_pull_request,
        )
        repository.issues[issue.number] = issue
        added = self._attach(repository, issue, by, draft.labels)
        self._tell(repository, issue, by, "opened")
        self._tell_labels(repository, issue, by, "labeled", added)
        return issue

    def edit(
        self,
        repository: Repository,
        issue: Issue,
        by: Account,
        *,
        title: str | None = None,
        body: str | None = None,
    ) -> None:
        """Change title or body; the event carries what stood there before."""
        changes: Json = {}
        if title is not None and title != issue.title:
            _check_title(title)
            changes["title"] = {"from": issue.title}
            self._record(issue, by, "renamed", detail=title, before=issue.title)
            issue.title = title
        if body is not None and body != issue.body:
            check_length("Issue", body)
            changes["body"] = {"from": issue.body}
            issue.body = body
            issue.edited = self._site.clock(), by
        if changes:
            issue.updated_at = self._site.clock()
            self._tell(repository, issue, by, "edited", changes=changes)

    def set_open(
        self,
        repository: Repository,
        issue: Issue,
        by: Account,
        *,
        is_open: bool,
        reason: str | None = None,
    ) -> None:
        """Close or reopen."""
        if issue.is_open == is_open:
            return
        now = self._site.clock()
        issue.is_open = is_open
        issue.state_reason = "reopened" if is_open else reason or "completed"
        issue.closed_at, issue.closed_by = (None, None) if is_open else (now, by)
        issue.updated_at = now
        self._record(issue, by, "reopened" if is_open else "closed")
        self._tell(repository, issue, by, "reopened" if is_open else "closed")

    def lock(self, repository: Repository, issue: Issue, by: Account) -> None:
        """Lock the conversation: the App cannot comment on it any more."""
        issue.is_locked = True
        self._record(issue, by, "locked")
        self._tell(repository, issue, by, "locked")

    def delete(self, repository: Repository, issue: Issue, by: Account) -> None:
        """Delete for good: its address answers 410 from now on."""
        del repository.issues[issue.number]
        repository.deleted_issues.add(issue.number)
        self._tell(repository, issue, by, "deleted")

    def transfer(
        self, repository: Repository, issue: Issue, by: Account, target: Repository
    ) -> Issue:
        """Move to another repository, where it gets a new number; labels stay behind."""
        del repository.issues[issue.number]
        moved = Issue(
            id=self._site.state.next_id(),
            number=max(target.issues, default=0) + 1,
            title=issue.title,
            body=issue.body,
            author=issue.author,
            created_at=issue.created_at,
            updated_at=self._site.clock(),
            comments=issue.comments,
            reactions=issue.reactions,
        )
        target.issues[moved.number] = moved
        repository.moved_issues[issue.number] = MovedIssue(target.id, moved.number)
        at, app = self._site.addresses, self._site.state.app
        changes = {
            "new_issue": issue_shape(at, app, target, moved),
            "new_repository": repository_shape(at, target),
        }
        self._tell(repository, issue, by, "transferred", changes=changes)
        return moved

    def create_label(
        self, repository: Repository, *, name: str, color: str, description: str | None
    ) -> Label:
        """Give the repository a new label. Raises `Problem` 422 where it exists."""
        if repository.find_label(name):
            raise make_field_error("Label", "name", "already_exists")
        if not 0 < len(name) <= _LONGEST_LABEL:
            raise make_field_error("Label", "name", "invalid")
        if len(color) != 6 or any(digit not in "0123456789abcdefABCDEF" for digit in color):
            raise make_field_error("Label", "color", "invalid")
        label = Label(
            id=self._site.state.next_id(), name=name, color=color.lower(), description=description
        )
        repository.labels.append(label)
        return label

    def add_labels(
        self, repository: Repository, issue: Issue, by: Account, names: Sequence[str]
    ) -> None:
        """Put labels on an issue, making those the repository lacks; present ones are kept."""
        added = self._attach(repository, issue, by, names)
        self._tell_labels(repository, issue, by, "labeled", added)

    def remove_labels(
        self, repository: Repository, issue: Issue, by: Account, names: Sequence[str]
    ) -> None:
        """Take labels off. Raises `Problem` 404 for one the issue does not bear."""
        for name in names:
            label = issue.find_label(name)
            if label is None:
                raise Problem(404, "Label does not exist")
            issue.labels.remove(label)
            issue.updated_at = self._site.clock()
            self._record(issue, by, "unlabeled", label=label)
            self._tell_labels(repository, issue, by, "unlabeled", [label])

    def set_labels(
        self, repository: Repository, issue: Issue, by: Account, names: Sequence[str]
    ) -> None:
        """Make these the only labels of an issue."""
        wanted = {name.lower() for name in names}
        gone = [label.name for label in issue.labels if label.name.lower() not in wanted]
        self.remove_labels(repository, issue, by, gone)
        self.add_labels(repository, issue, by, names)

    def _attach(
        self, repository: Repository, issue: Issue, by: Account, names: Sequence[str]
    ) -> list[Label]:
        added: list[Label] = []
        for name in names:
            if issue.find_label(name):
                continue
            if len(issue.labels) >= _MOST_LABELS:
                raise make_field_error("Issue", "labels", "invalid")
            label = repository.find_label(name) or self.create_label(
                repository, name=name, color=_NEW_LABEL_COLOR, description=None
            )
            issue.labels.append(label)
            issue.updated_at = self._site.clock()
            self._record(issue, by, "labeled", label=label)
            added.append(label)
        return added

    def _record(
        self, issue: Issue, by: Account, kind: Any, *, label: Label | None = None, **texts: str
    ) -> None:
        event = TimelineEvent(at=self._site.clock(), actor=by, kind=kind, label=label, **texts)
        issue.events.append(event)

    def _tell(
        self, repository: Repository, issue: Issue, by: Account, action: str, **parts: Any
    ) -> None:
        if issue.is_pull_request:  # its changes are events of another name
            self._tell_of_pull(repository, issue, by, action, parts)
            return
        shape = issue_shape(self._site.addresses, self._site.state.app, repository, issue)
        self._site.notify("issues", action, repository, by, issue=shape, **parts)

    def _tell_of_pull(
        self, repository: Repository, issue: Issue, by: Account, action: str, parts: dict[str, Any]
    ) -> None:
        """Of labels; whatever else becomes of a pull request is told by `PullActions`."""
        pull = repository.pulls.get(issue.number)
        if pull is None or "label" not in parts:
            return
        shape = pull_shape(self._site.addresses, repository, issue, pull)
        number = issue.number
        self._site.notify(
            "pull_request", action, repository, by, number=number, pull_request=shape, **parts
        )

    def _tell_labels(
        self, repository: Repository, issue: Issue, by: Account, action: str, labels: list[Label]
    ) -> None:
        for label in labels:
            shape = label_shape(self._site.addresses, repository, label)
            self._tell(repository, issue, by, action, label=shape)
