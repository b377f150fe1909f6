"""Where the App is installed, and on which repositories; read as they stand.

Says what is suspended, archived or switched off, and leaves the conclusions to whoever asks.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.github.calls import Calls
from jobs.requests import Repo


@dataclass(frozen=True, slots=True)
class Installed:
    """The App on one account."""

    id: int
    owner: str
    since: datetime
    is_suspended: bool


@dataclass(frozen=True, slots=True)
class Place:
    """A repository that the App may act in."""

    id: int
    repo: Repo
    is_writable: bool
    """False where it is archived or disabled, or has its issues switched off."""


async def list_installations(calls: Calls) -> AsyncIterator[Installed]:
    """Every installation of the App; `calls` are those of the App itself."""
    async for entry in calls.pages("/app/installations"):
        account = entry.get("account") or {}
        yield Installed(
            id=int(entry["id"]),
            owner=str(account.get("login") or account.get("slug") or ""),
            since=datetime.fromisoformat(entry["created_at"]),
            is_suspended=entry.get("suspended_at") is not None,
        )


async def list_places(calls: Calls, installation: int) -> AsyncIterator[Place]:
    """Every repository of an installation; `calls` are those of the installation."""
    async for entry in calls.pages("/installation/repositories", within="repositories"):
        yield place_of(entry, installation)


def place_of(entry: dict[str, Any], installation: int) -> Place:
    """Our value for a repository as GitHub gives it."""
    closed = entry.get("archived") or entry.get("disabled")
    return Place(
        id=int(entry["id"]),
        repo=Repo(
            owner=entry["owner"]["login"],
            name=entry["name"],
            installation_id=installation,
            private=bool(entry["private"]),
        ),
        is_writable=not closed and bool(entry.get("has_issues", True)),
    )
