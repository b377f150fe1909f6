"""Events and contexts for tests: valid as they come, any field replaced by keyword."""

from datetime import datetime
from typing import Any

from config.repo_file import RepoFile
from handlers.events import (
    Actor,
    EventRepository,
    IssueCommented,
    IssueLabelled,
    IssueUnlabelled,
    Pushed,
)
from handlers.questions import HandlerContext
from tests.builders import NOON

MONA = Actor(id=5, login="mona", is_bot=False)
OURSELVES = Actor(id=99, login="skillbench[bot]", is_bot=True)
OTHER_BOT = Actor(id=98, login="renovate[bot]", is_bot=True)


def a_context(**changes: Any) -> HandlerContext:
    defaults: dict[str, Any] = {
        "mention": "@skillbench",
        "allowed_owners": ("acme",),
        "app_bot_id": 99,
        "app_bot_login": "skillbench[bot]",
        "clock": lambda: NOON,
    }
    return HandlerContext(**(defaults | changes))


def a_repository(**changes: Any) -> EventRepository:
    defaults: dict[str, Any] = {
        "id": 9, "owner": "acme", "name": "skills", "private": False, "installation_id": 7,
    }  # fmt: skip
    return EventRepository(**(defaults | changes))


def a_labelled(**changes: Any) -> IssueLabelled:
    defaults: dict[str, Any] = {
        "delivery": "d-1",
        "repository": a_repository(),
        "sender": MONA,
        "issue": 21,
        "is_pull_request": False,
        "labels": ("needs-benchmark",),
    }
    return IssueLabelled(**(defaults | changes))


def an_unlabelled(**changes: Any) -> IssueUnlabelled:
    """The label `needs-benchmark`, taken off issue 21 by Mona."""
    fields: dict[str, Any] = {
        "delivery": "d-1",
        "repository": a_repository(),
        "sender": MONA,
        "issue": 21,
        "label": "needs-benchmark",
    }
    return IssueUnlabelled(**(fields | changes))


def a_pushed(**changes: Any) -> Pushed:
    """A SKILL.md was changed, by Mona."""
    fields: dict[str, Any] = {
        "delivery": "d-1",
        "repository": a_repository(),
        "sender": MONA,
        "before": "b" * 40,
        "after": "a" * 40,
        "touches_skills": True,
    }
    return Pushed(**(fields | changes))


def a_commented(body: str = "@skillbench run claude-sonnet", **changes: Any) -> IssueCommented:
    defaults: dict[str, Any] = {
        "delivery": "d-1",
        "repository": a_repository(),
        "sender": MONA,
        "issue": 21,
        "is_pull_request": False,
        "comment_id": 100,
        "body": body,
        "body_before": None,
        "created_at": NOON,
    }
    return IssueCommented(**(defaults | changes))


class Role:
    """Gives everybody the same role, and remembers who was asked about."""

    labels: tuple[str, ...] = ()
    """Of every issue, now."""
    opened_again: bool = False
    """Of every issue that was closed."""
    file: RepoFile = RepoFile()
    """The repository's own."""

    def __init__(self, role: str = "write") -> None:
        self.role = role
        self.asked: list[str] = []

    async def permission(self, login: str) -> str:
        self.asked.append(login)
        return self.role

    async def is_labelled(self, _: int, label: str, *, since: datetime) -> bool:
        return label in self.labels

    async def is_open(self, _: int, *, since: datetime) -> bool:
        return self.opened_again

    async def repo_file(self) -> RepoFile:
        return self.file
