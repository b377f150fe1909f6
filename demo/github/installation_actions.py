"""What people do with the App itself: install it, choose repositories, suspend, remove it.

The App hears of each, as on GitHub, where nobody can subscribe to these events or out of them.
"""

from collections.abc import Sequence
from typing import Any

from demo.github.shapes import Json, account_shape, installation_shape, make_node_id
from demo.github.site import Site
from demo.github.state import Account, Installation, Repository


class InstallationActions:
    """Changes the installations of one site."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def install(
        self, account: Account, by: Account | None, chosen: Sequence[Repository] | None = None
    ) -> Installation:
        """Install the App on an account, for all repositories or the chosen ones.

        Where nobody does it, it was always there, and nothing is heard of it.
        """
        installation = Installation(
            id=self._site.state.next_id(),
            account=account,
            created_at=self._site.clock(),
            repository_ids=None if chosen is None else {one.id for one in chosen},
        )
        self._site.state.installations.append(installation)
        if by is not None:
            entries = self._entries(self._covered(installation))
            self._tell("installation", "created", installation, by, repositories=entries)
        return installation

    def suspend(
        self, installation: Installation, by: Account, *, is_suspended: bool, is_told: bool = True
    ) -> None:
        """Suspend or resume: its tokens answer 403 meanwhile. What is not told sends no webhook."""
        installation.suspended_at = self._site.clock() if is_suspended else None
        if is_told:
            action = "suspend" if is_suspended else "unsuspend"
            self._tell("installation", action, installation, by)

    def uninstall(self, installation: Installation, by: Account) -> None:
        """Remove the App from an account: its tokens are dead at once."""
        entries = self._entries(self._covered(installation))
        self._site.state.installations.remove(installation)
        self._site.tokens.revoke_all(installation)
        self._tell("installation", "deleted", installation, by, repositories=entries)

    def choose(self, installation: Installation, chosen: Sequence[Repository], by: Account) -> None:
        """Let it be there for these repositories and no others."""
        before = self._covered(installation)
        installation.repository_ids = {one.id for one in chosen}
        for action, repositories in (
            ("added", [one for one in chosen if one not in before]),
            ("removed", [one for one in before if one not in chosen]),
        ):
            if repositories:
                parts: dict[str, list[Json]] = {
                    "repositories_added": [],
                    "repositories_removed": [],
                }
                parts[f"repositories_{action}"] = self._entries(repositories)
                self._tell(
                    "installation_repositories",
                    action,
                    installation,
                    by,
                    repository_selection="selected",
                    requester=None,
                    **parts,
                )

    def _covered(self, installation: Installation) -> list[Repository]:
        return [one for one in self._site.state.repositories if installation.covers(one)]

    def _entries(self, repositories: Sequence[Repository]) -> list[Json]:
        return [
            {
                "id": one.id,
                "node_id": make_node_id("Repository", one.id),
                "name": one.name,
                "full_name": one.full_name,
                "private": one.is_private,
            }
            for one in repositories
        ]

    def _tell(
        self, event: str, action: str, installation: Installation, by: Account, **parts: Any
    ) -> None:
        at, app = self._site.addresses, self._site.state.app
        payload = {
            "action": action,
            "installation": installation_shape(at, app, installation),
            **parts,
            "sender": account_shape(at, by),
        }
        self._site.webhooks.emit(
            event, payload, installation_id=installation.id, repository_id=None
        )
