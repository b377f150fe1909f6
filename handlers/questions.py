"""What a handler may ask and know: the few questions to GitHub, and what never changes meanwhile.

A handler sees GitHub only through `Questions`. Whatever it needs of the settings and of
the App's own identity stands in `HandlerContext`, so that a test builds both in one line.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from config.repo_file import RepoFile
from handlers.events import Actor, EventRepository
from jobs.requests import Repo

ALL_OWNERS = "*"


class Questions(Protocol):
    """Questions about one repository; a port of `bot.github` answers them."""

    async def permission(self, login: str) -> str:
        """What a person may do in the repository now: `admin`, `write` … `none`."""

    async def is_labelled(self, issue: int, label: str, *, since: datetime) -> bool:
        """Whether an issue bears a label, as it was at `since` or later; never if it is gone."""

    async def is_open(self, issue: int, *, since: datetime) -> bool:
        """Whether an issue or pull request is open, as it was at `since` or later; never if it is
        gone.
        """

    async def repo_file(self) -> RepoFile:
        """What the repository's own file says; nothing where it is absent or cannot be used."""


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandlerContext:
    """What decisions depend on beside the event itself."""

    mention: str = "@skillbench"
    allowed_owners: tuple[str, ...] = ()
    """Accounts whose repositories are served; `*` stands for all of them."""
    allowed_bots: tuple[str, ...] = ()
    """Bots the operator trusts by name; they are not asked for a permission."""
    app_bot_id: int | None = None
    """Account id of the App's own bot user."""
    app_bot_login: str = ""
    clock: Callable[[], datetime] = field(default=utc_now)

    def allows_owner(self, owner: str) -> bool:
        allowed = {name.casefold() for name in self.allowed_owners}
        return ALL_OWNERS in allowed or owner.casefold() in allowed

    def is_own(self, actor: Actor) -> bool:
        """Whether the App itself acted: by account id, or by a login only an App can have."""
        if self.app_bot_id is not None and actor.id == self.app_bot_id:
            return True
        return (
            bool(self.app_bot_login)
            and _bare(actor.login) == _bare(self.app_bot_login)
            and (actor.is_bot)
        )

    def trusts_bot(self, actor: Actor) -> bool:
        return actor.is_bot and _bare(actor.login) in {_bare(name) for name in self.allowed_bots}

    def reason_to_ignore(self, actor: Actor) -> str | None:
        """Why this actor is never listened to; None for people and trusted bots."""
        if self.is_own(actor):
            return "our own doing"
        if actor.is_bot and not self.trusts_bot(actor):
            return f"{actor.login} is a bot that the settings do not name"
        return None


def as_repo(repository: EventRepository) -> Repo:
    """The repository of an event as requests name it."""
    return Repo(
        owner=repository.owner,
        name=repository.name,
        installation_id=repository.installation_id,
        private=repository.private,
    )


def _bare(login: str) -> str:
    return login.casefold().removesuffix("[bot]")
