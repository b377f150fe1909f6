"""What the pages show, as values: the viewer, an issue's timeline, a folder's rows.

Pure look-ups over the state; templates only lay them out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from markupsafe import Markup

from demo.github.commits import Commit
from demo.github.markdown import render_markdown
from demo.github.records import Check
from demo.github.site import Site
from demo.github.state import (
    Account,
    Comment,
    Issue,
    Reaction,
    ReactionContent,
    Repository,
    Role,
    TimelineEvent,
)

EMOJI: dict[ReactionContent, str] = {
    "+1": "👍",
    "-1": "👎",
    "laugh": "😄",
    "hooray": "🎉",
    "confused": "😕",
    "heart": "❤️",
    "rocket": "🚀",
    "eyes": "👀",
}
_MAY_PUSH: frozenset[Role] = frozenset({"write", "maintain", "admin"})
_MAY_LABEL: frozenset[Role] = frozenset({"triage", "write", "maintain", "admin"})


@dataclass(frozen=True, slots=True)
class Viewer:
    """The person that forms act as, and what they may do in the repository shown."""

    account: Account | None
    may_label: bool = False
    may_push: bool = False


@dataclass(frozen=True, slots=True)
class ReactionPill:
    """One emoji with who put it."""

    content: str
    emoji: str
    count: int
    is_mine: bool
    who: str


@dataclass(frozen=True, slots=True)
class TimelineItem:
    """A comment (the issue's own text is the first) or an event."""

    kind: Literal["comment", "event"]
    at: datetime
    author: Account
    key: str
    body: str = ""
    html: Markup | None = None
    pills: Sequence[ReactionPill] = ()
    is_edited: bool = False
    badge: str = ""
    minimized: str | None = None
    comment_id: int | None = None
    event: TimelineEvent | None = None


@dataclass(frozen=True, slots=True)
class FolderRow:
    """A file, link or folder in a listing."""

    name: str
    path: str
    kind: Literal["folder", "file", "link"]
    target: str = ""


def find_viewer(site: Site, login: str | None, repository: Repository | None) -> Viewer:
    """The chosen person, else the first who may label here, else anybody."""
    people = [a for a in site.state.accounts.values() if a.kind == "User"]
    chosen = next((a for a in people if login and a.login.lower() == login.lower()), None)
    if repository is None:
        return Viewer(chosen or (people[-1] if people else None))
    able = [a for a in people if repository.role_of(a) in _MAY_LABEL]
    account = chosen or next(iter(able or people), None)
    role = repository.role_of(account) if account else "none"
    return Viewer(account, may_label=role in _MAY_LABEL, may_push=role in _MAY_PUSH)


def make_timeline(repository: Repository, issue: Issue, viewer: Viewer) -> list[TimelineItem]:
    """Everything on an issue's page in the order it happened."""
    first = TimelineItem(
        kind="comment",
        at=issue.created_at,
        author=issue.author,
        key="issue-body",
        body=issue.body,
        html=render_body(repository, issue.body),
        pills=_pills(issue.reactions, viewer),
        badge=_badge(repository, issue.author),
    )
    rest = [_comment_item(repository, comment, viewer) for comment in issue.comments]
    rest += [
        TimelineItem(
            kind="event", at=event.at, author=event.actor, key=f"event-{number}", event=event
        )
        for number, event in enumerate(issue.events)
    ]
    return [first, *sorted(rest, key=lambda item: item.at)]


def render_body(repository: Repository, text: str, *, is_file: bool = False) -> Markup:
    """A text of this repository as safe HTML."""
    html = render_markdown(text, repository=repository.full_name, is_file=is_file)
    return Markup(html)  # noqa: S704 -- sanitised


def _comment_item(repository: Repository, comment: Comment, viewer: Viewer) -> TimelineItem:
    return TimelineItem(
        kind="comment",
        at=comment.created_at,
        author=comment.author,
        key=f"issuecomment-{comment.id}",
        body=comment.body,
        html=render_body(repository, comment.body),
        pills=_pills(comment.reactions, viewer),
        is_edited=comment.updated_at > comment.created_at,
        badge=_badge(repository, comment.author),
        minimized=comment.minimized,
        comment_id=comment.id,
    )


def _badge(repository: Repository, author: Account) -> str:
    if author.kind == "Bot":
        return "bot"
    if author is repository.owner:
        return "Owner"
    role = repository.roles.get(author.login.lower())
    return "" if role in {None, "none", "read"} else "Collaborator"


def _pills(reactions: Sequence[Reaction], viewer: Viewer) -> list[ReactionPill]:
    pills = []
    for content, emoji in EMOJI.items():
        accounts = [r.account for r in reactions if r.content == content]
        if accounts:
            who = ", ".join(account.login for account in accounts)
            is_mine = viewer.account in accounts
            pills.append(ReactionPill(content, emoji, len(accounts), is_mine, who))
    return pills


def find_checks(repository: Repository, commit: str) -> list[Check]:
    """The check runs of a commit; of one name the newest, as GitHub shows them."""
    newest = {check.name: check for check in repository.checks if check.commit == commit}
    return sorted(newest.values(), key=lambda check: check.name.lower())


def list_folder(commit: Commit, folder: str) -> list[FolderRow]:
    """Rows of one folder, folders first."""
    prefix = f"{folder}/" if folder else ""
    rows = []
    for path in [*commit.folders, *commit.entries]:
        name = path.removeprefix(prefix)
        if not path or not path.startswith(prefix) or not name or "/" in name:
            continue
        entry = commit.entries.get(path)
        if entry is None:
            rows.append(FolderRow(name, path, "folder"))
        elif entry.mode == "120000":
            rows.append(FolderRow(name, path, "link", entry.content.decode(errors="replace")))
        else:
            rows.append(FolderRow(name, path, "file"))
    return sorted(rows, key=lambda row: (row.kind != "folder", row.name.lower()))


def find_issue_template(repository: Repository) -> str:
    """The repository's first issue template without its front matter; empty if it has none."""
    entries = repository.head.entries if repository.head else {}
    for path in sorted(entries):
        if path.startswith(".github/ISSUE_TEMPLATE/") and path.endswith(".md"):
            text = entries[path].content.decode(errors="replace")
            before, fence, rest = text.partition("---\n")
            has_front_matter = fence and not before
            return rest.partition("\n---\n")[2].lstrip() if has_front_matter else text
    return ""
