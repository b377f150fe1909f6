"""Payloads about the App's installations: where it is now, and where it is no more.

They name no repository as other payloads do, but a list of short entries, which GitHub leaves
out where it is long.
"""

from typing import Literal

import msgspec

from handlers.events import Actor, EventRepository, InstallationChange, InstallationChanged

CHANGES: dict[str, InstallationChange] = {
    "created": "added",
    "deleted": "removed",
    "suspend": "suspended",
    "unsuspend": "resumed",
    "new_permissions_accepted": "granted",
    "added": "added",
    "removed": "removed",
}


class _Account(msgspec.Struct):
    id: int
    login: str = ""
    slug: str = ""
    """Of an enterprise, which has no login."""
    type: str = "User"


class _Installation(msgspec.Struct):
    id: int
    account: _Account
    repository_selection: str = ""


class _Entry(msgspec.Struct):
    id: int
    name: str
    full_name: str = ""
    private: bool = False


class _InstallationPayload(msgspec.Struct):
    action: Literal["created", "deleted", "suspend", "unsuspend", "new_permissions_accepted"]
    installation: _Installation
    sender: _Account
    repositories: list[_Entry] | None = None


class _RepositoriesPayload(msgspec.Struct):
    action: Literal["added", "removed"]
    installation: _Installation
    sender: _Account
    repositories_added: list[_Entry] = msgspec.field(default_factory=list)
    repositories_removed: list[_Entry] = msgspec.field(default_factory=list)


_installation_payload = msgspec.json.Decoder(_InstallationPayload)
_repositories_payload = msgspec.json.Decoder(_RepositoriesPayload)


def parse_installation(body: bytes, delivery: str) -> InstallationChanged:
    """The event of an `installation` delivery. Raises `msgspec.DecodeError`."""
    payload = _installation_payload.decode(body)
    return _event(payload, payload.repositories or [], delivery, is_whole=True)


def parse_repositories(body: bytes, delivery: str) -> InstallationChanged:
    """The event of an `installation_repositories` delivery. Raises `msgspec.DecodeError`."""
    payload = _repositories_payload.decode(body)
    entries = (
        payload.repositories_added if payload.action == "added" else payload.repositories_removed
    )
    return _event(payload, entries, delivery, is_whole=False)


def _event(
    payload: _InstallationPayload | _RepositoriesPayload,
    entries: list[_Entry],
    delivery: str,
    *,
    is_whole: bool,
) -> InstallationChanged:
    installation, sender = payload.installation, payload.sender
    owner = installation.account.login or installation.account.slug
    return InstallationChanged(
        delivery=delivery,
        installation_id=installation.id,
        owner=owner,
        sender=Actor(id=sender.id, login=sender.login, is_bot=sender.type == "Bot"),
        change=CHANGES[payload.action],
        is_whole=is_whole,
        is_chosen=installation.repository_selection == "selected",
        repositories=tuple(_repository(entry, owner, installation.id) for entry in entries),
    )


def _repository(entry: _Entry, owner: str, installation: int) -> EventRepository:
    named = entry.full_name.rpartition("/")[0]
    return EventRepository(
        id=entry.id,
        owner=named or owner,
        name=entry.name,
        private=entry.private,
        installation_id=installation,
    )
