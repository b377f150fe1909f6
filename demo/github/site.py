"""One local GitHub in one value: its state and the services around it.

What REST endpoints, pages and tests share. It knows how to tell the App of an event and
refuses to decide what causes one: that is for the actions.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from demo.github.auth import Tokens
from demo.github.faults import Faults
from demo.github.shapes import Addresses, account_shape, make_node_id
from demo.github.shapes_code import repository_shape
from demo.github.state import Account, Repository, State
from demo.github.webhooks import Webhooks

if TYPE_CHECKING:
    from demo.github.registration import Registration


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One REST request and its answer, as they went over the socket."""

    at: datetime
    method: str
    path: str
    """Without the API's prefix and the query."""
    query: dict[str, str]
    headers: dict[str, str]
    """Of the request, names in lower case, without the credential."""
    request_body: Any
    """Parsed JSON; None where there was none."""
    request_size: int
    status: int
    """0 where the connection was dropped."""
    answer: Any
    """Parsed JSON of the answer; None where it had none."""
    route: str
    """The route's template, or empty where no route matched."""
    took_effect: bool
    """False where a fault answered instead of the endpoint."""
    faulted: bool


@dataclass(eq=False, kw_only=True)
class Site:
    """State and services of a local GitHub."""

    state: State
    clock: Callable[[], datetime]
    addresses: Addresses
    webhooks: Webhooks
    tokens: Tokens
    faults: Faults
    exchanges: list[Exchange] = field(default_factory=list)
    setup_url: str = ""
    """Where people are led after they have installed the App."""
    registrations: "dict[str, Registration]" = field(default_factory=dict)
    """Apps that were registered from a manifest, by the code for which each is handed over."""
    download_tokens: dict[str, tuple[str, datetime]] = field(default_factory=dict)
    """Secret of a private tarball's address: which file, and until when."""

    def account(self, login: str) -> Account:
        """An account that must exist. Raises `LookupError` naming it."""
        account = self.state.find_account(login)
        if account is None:
            raise LookupError(f"no account {login!r} here; add it first with add_person")
        return account

    def notify(
        self, event: str, action: str | None, repository: Repository, by: Account, **parts: Any
    ) -> None:
        """Tell the App of an event, if it is installed there and subscribed to it."""
        installation = self.state.find_installation(repository.owner)
        if installation is None or installation.suspended_at is not None:
            return
        if not installation.covers(repository):
            return
        # an App that may write check runs hears of its own without subscribing
        if event not in (*self.state.app.events, "check_run"):
            return
        payload: dict[str, Any] = {} if action is None else {"action": action}
        payload |= parts
        payload["repository"] = repository_shape(self.addresses, repository)
        if repository.owner.kind == "Organization":
            payload["organization"] = self._organization(repository.owner)
        payload["sender"] = account_shape(self.addresses, by)
        payload["installation"] = {
            "id": installation.id,
            "node_id": make_node_id("IntegrationInstallation", installation.id),
        }
        self.webhooks.emit(
            event, payload, installation_id=installation.id, repository_id=repository.id
        )

    def _organization(self, owner: Account) -> dict[str, Any]:
        url = f"{self.addresses.api}/orgs/{owner.login}"
        return {
            "login": owner.login,
            "id": owner.id,
            "node_id": make_node_id("Organization", owner.id),
            "url": url,
            "repos_url": f"{url}/repos",
            "events_url": f"{url}/events",
            "hooks_url": f"{url}/hooks",
            "issues_url": f"{url}/issues",
            "members_url": f"{url}/members{{/member}}",
            "public_members_url": f"{url}/public_members{{/member}}",
            "avatar_url": f"{self.addresses.web}/avatars/{owner.id}",
            "description": None,
        }
