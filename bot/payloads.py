"""Webhook payloads to our own events: the only place that knows GitHub's JSON.

Only the fields a decision needs are declared, so a payload with new fields, or with odd
ones elsewhere, is still read. Nothing is judged here but whether a handler exists for it;
who may ask for what is the handlers' business.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec

from bot.payload_parts import NOT_BY_THE_APP, Account, Installation, Repository
from bot.payloads_installation import CHANGES, parse_installation, parse_repositories
from bot.payloads_pulls import CHANGES as PULL_CHANGES
from bot.payloads_pulls import (
    CHECK_CHANGES,
    LABEL_CHANGES,
    parse_check_run,
    parse_pull_label,
    parse_pull_request,
)
from bot.payloads_repository import CHANGES as REPOSITORY_CHANGES
from bot.payloads_repository import parse_repository
from config.repo_file import REPO_FILES
from handlers.events import (
    Event,
    IssueCommented,
    IssueLabelled,
    IssueUnlabelled,
    Pushed,
)

BRANCH = "refs/heads/"
NO_COMMIT = "0"
"""What an id consists of that stands for no commit, in either of Git's lengths."""
MOST_LISTED = 20
"""Commits of one push that every server lists; newer ones list more."""
SKILL_FILE = "skill.md"


@dataclass(frozen=True, slots=True)
class Ignored:
    """A delivery that no handler is interested in, and why."""

    reason: str


class _Envelope(msgspec.Struct):
    action: str | None = None


class _Label(msgspec.Struct):
    name: str


class _Issue(msgspec.Struct):
    number: int
    labels: list[_Label] = msgspec.field(default_factory=list)
    pull_request: dict[str, Any] | None = None
    updated_at: Annotated[datetime, msgspec.Meta(tz=True)] | None = None


class _Comment(msgspec.Struct):
    id: int
    created_at: datetime
    updated_at: datetime | None = None
    body: str | None = None
    user: Account | None = None


class _TextBefore(msgspec.Struct):
    text: str | None = msgspec.field(name="from", default=None)


class _Changes(msgspec.Struct):
    body: _TextBefore | None = None


class _IssuePayload(msgspec.Struct):
    action: Literal["opened", "labeled", "unlabeled"]
    issue: _Issue
    repository: Repository
    sender: Account
    label: _Label | None = None
    installation: Installation | None = None


class _CommentPayload(msgspec.Struct):
    action: Literal["created", "edited"]
    issue: _Issue
    comment: _Comment
    repository: Repository
    sender: Account
    changes: _Changes | None = None
    installation: Installation | None = None


class _PushTarget(msgspec.Struct):
    """What says whether the rest is worth reading; a tag's push and a deletion lack much."""

    ref: str = ""
    after: str = ""
    deleted: bool = False
    installation: Installation | None = None


class _PushedCommit(msgspec.Struct):
    added: list[str] = msgspec.field(default_factory=list)
    modified: list[str] = msgspec.field(default_factory=list)
    removed: list[str] = msgspec.field(default_factory=list)


class _PushPayload(msgspec.Struct):
    before: str
    after: str
    repository: Repository
    installation: Installation
    forced: bool = False
    commits: list[_PushedCommit] = msgspec.field(default_factory=list)
    sender: Account | None = None


_envelope = msgspec.json.Decoder(_Envelope)
_push_target = msgspec.json.Decoder(_PushTarget)
_push_payload = msgspec.json.Decoder(_PushPayload)
_issue_payload = msgspec.json.Decoder(_IssuePayload)
_comment_payload = msgspec.json.Decoder(_CommentPayload)

_PARSERS: Mapping[tuple[str, str | None], Callable[[bytes, str], Event | str]] = {
    **{("installation", action): parse_installation for action in CHANGES},
    **{("installation_repositories", action): parse_repositories for action in CHANGES},
    **{("pull_request", action): parse_pull_request for action in PULL_CHANGES},
    **{("pull_request", action): parse_pull_label for action in LABEL_CHANGES},
    **{("check_run", action): parse_check_run for action in CHECK_CHANGES},
    **{("repository", action): parse_repository for action in REPOSITORY_CHANGES},
}
"""Readers of payloads in modules of their own, by event and action; each gives an event, or why
it is none."""


def parse_event(name: str, body: bytes, delivery: str) -> Event | Ignored:
    """The event a delivery means, or why it means none to us.

    `name` is the `X-GitHub-Event` header. Raises `msgspec.DecodeError` where the body is not
    JSON, or lacks what GitHub promises for an event that we handle.
    """
    action = _envelope.decode(body).action
    if name == "issues" and action in {"opened", "labeled", "unlabeled"}:
        return _issue_event(_issue_payload.decode(body), delivery)
    if name == "issue_comment" and action in {"created", "edited"}:
        return _comment_event(_comment_payload.decode(body), delivery)
    if name == "push":
        return _push_event(body, delivery)
    if (parse := _PARSERS.get((name, action))) is not None:
        parsed = parse(body, delivery)
        return Ignored(parsed) if isinstance(parsed, str) else parsed
    return Ignored(f"no handler for {name}" + (f".{action}" if action else ""))


def _issue_event(
    payload: _IssuePayload, delivery: str
) -> IssueLabelled | IssueUnlabelled | Ignored:
    if payload.installation is None:
        return Ignored(NOT_BY_THE_APP)
    if payload.action == "opened":
        labels = payload.issue.labels
    else:
        labels = [payload.label] if payload.label else []
    if not labels:
        return Ignored("no label on it")
    if payload.action == "unlabeled":
        return IssueUnlabelled(
            delivery=delivery,
            repository=payload.repository.as_event_repository(payload.installation),
            sender=payload.sender.as_actor(),
            issue=payload.issue.number,
            label=labels[0].name,
            at=payload.issue.updated_at,
        )
    return IssueLabelled(
        delivery=delivery,
        repository=payload.repository.as_event_repository(payload.installation),
        sender=payload.sender.as_actor(),
        issue=payload.issue.number,
        is_pull_request=payload.issue.pull_request is not None,
        labels=tuple(label.name for label in labels),
        at=payload.issue.updated_at,
    )


def _comment_event(payload: _CommentPayload, delivery: str) -> IssueCommented | Ignored:
    if payload.installation is None:
        return Ignored(NOT_BY_THE_APP)
    comment, sender = payload.comment, payload.sender
    before: str | None = None
    if payload.action == "edited":
        if payload.changes is None or payload.changes.body is None:
            return Ignored("the comment's text was not changed")
        if comment.user and comment.user.type == "Bot" and comment.user.id != sender.id:
            return Ignored("somebody edited a bot's comment")
        before = payload.changes.body.text or ""
    return IssueCommented(
        delivery=delivery,
        repository=payload.repository.as_event_repository(payload.installation),
        sender=sender.as_actor(),
        issue=payload.issue.number,
        is_pull_request=payload.issue.pull_request is not None,
        comment_id=comment.id,
        body=comment.body or "",
        body_before=before,
        created_at=comment.created_at,
        changed_at=comment.updated_at,
    )


def _push_event(body: bytes, delivery: str) -> Pushed | Ignored:
    """A push to the default branch; `after` of a tag need not even be a commit."""
    target = _push_target.decode(body)
    if not target.ref.startswith(BRANCH):
        return Ignored("a push to no branch")
    if target.deleted or not target.after.strip(NO_COMMIT):
        return Ignored("a branch was deleted")
    if target.installation is None:
        return Ignored(NOT_BY_THE_APP)
    payload = _push_payload.decode(body)
    branch = target.ref.removeprefix(BRANCH)
    if branch != payload.repository.default_branch:
        return Ignored("a push to another branch than the default one")
    return Pushed(
        delivery=delivery,
        repository=payload.repository.as_event_repository(payload.installation),
        sender=(payload.sender or payload.repository.owner).as_actor(),
        before=payload.before if payload.before.strip(NO_COMMIT) else None,
        after=payload.after,
        touches_skills=_touches_skills(payload),
        touches_config=_touches_config(payload),
    )


def _touches_skills(payload: _PushPayload) -> bool:
    """Whether a SKILL.md may be another one than before, as far as the payload tells.

    A push back to an older commit lists none, and one with many commits not all of them.
    """
    if not _tells_all(payload):
        return True
    paths = (path for one in payload.commits for path in (*one.added, *one.modified))
    return any(path.rpartition("/")[2].lower() == SKILL_FILE for path in paths)


def _touches_config(payload: _PushPayload) -> bool:
    """The same of the repository's own file; that one is gone can make the other the only one."""
    if not _tells_all(payload):
        return True
    paths = (path for one in payload.commits for path in (*one.added, *one.modified, *one.removed))
    return any(path in REPO_FILES for path in paths)


def _tells_all(payload: _PushPayload) -> bool:
    return not payload.forced and 0 < len(payload.commits) < MOST_LISTED
