"""Payloads about a repository itself: who may read it now, and what it is called."""

from typing import Literal

import msgspec

from bot.payload_parts import NOT_BY_THE_APP, Account, Installation, Repository
from handlers.events import RepositoryChange, RepositoryChanged

CHANGES: dict[str, RepositoryChange] = {
    "privatized": "privatized",
    "publicized": "publicized",
    "renamed": "renamed",
    "transferred": "renamed",
    "deleted": "deleted",
}


class _From(msgspec.Struct):
    value: str = msgspec.field(name="from", default="")


class _NameBefore(msgspec.Struct):
    name: _From = msgspec.field(default_factory=_From)


class _OwnerBefore(msgspec.Struct):
    user: Account | None = None
    organization: Account | None = None


class _OwnerFrom(msgspec.Struct):
    value: _OwnerBefore = msgspec.field(name="from", default_factory=_OwnerBefore)


class _Changes(msgspec.Struct):
    repository: _NameBefore | None = None
    owner: _OwnerFrom | None = None


class _Payload(msgspec.Struct):
    action: Literal["privatized", "publicized", "renamed", "transferred", "deleted"]
    repository: Repository
    sender: Account
    changes: _Changes | None = None
    installation: Installation | None = None


_payload = msgspec.json.Decoder(_Payload)


def parse_repository(body: bytes, delivery: str) -> RepositoryChanged | str:
    """The event of a `repository` delivery, or why it is none. Raises `msgspec.DecodeError`."""
    payload = _payload.decode(body)
    if payload.installation is None:
        return NOT_BY_THE_APP
    repository = payload.repository
    return RepositoryChanged(
        delivery=delivery,
        repository=repository.as_event_repository(payload.installation),
        sender=payload.sender.as_actor(),
        change=CHANGES[payload.action],
        name_before=_name_before(payload.changes, repository),
    )


def _name_before(changes: _Changes | None, repository: Repository) -> str:
    """The full name that it had; empty where it has it still."""
    if changes is None:
        return ""
    if changes.repository is not None and changes.repository.name.value:
        return f"{repository.owner.login}/{changes.repository.name.value}"
    owner = changes.owner.value if changes.owner is not None else _OwnerBefore()
    account = owner.user or owner.organization
    return f"{account.login}/{repository.name}" if account is not None else ""
