"""The local GitHub as tests and the demo hold it: set the scene, act as people, serve it.

It is the one stand-in for GitHub. Everything people do here causes what it would cause
there; what the bot does can be read from `requests` and from the repositories' issues.
"""

import contextlib
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from demo.github.auth import Tokens
from demo.github.code_actions import CodeActions
from demo.github.commits import load_tarball
from demo.github.faults import Faults
from demo.github.installation_actions import InstallationActions
from demo.github.keys import make_private_key, public_key_of
from demo.github.repository_handle import RepositoryHandle
from demo.github.server import create_app
from demo.github.serving import open_socket, serving
from demo.github.shapes import Addresses
from demo.github.site import Exchange, Site
from demo.github.state import (
    Access,
    Account,
    AccountKind,
    App,
    Installation,
    Repository,
    Role,
    State,
)
from demo.github.webhooks import Delivery, Webhooks

PERMISSIONS = {
    "metadata": "read",
    "contents": "write",
    "issues": "write",
    "pull_requests": "write",
    "checks": "write",
}
EVENTS = ("issues", "issue_comment", "push", "pull_request", "check_run", "repository")
_APP_ID = 419_001


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Served:
    """Where a served local GitHub is reached."""

    api_url: str
    web_url: str


class LocalGitHub:
    """A GitHub with one App, living in this process."""

    def __init__(  # noqa: PLR0913 -- keyword-only, each with a default
        self,
        *,
        clock: Callable[[], datetime] = _now,
        webhook_url: str | None = None,
        webhook_secret: str = "",
        private_key_pem: str | None = None,
        slug: str = "skillbench",
        app_owner: str = "skillbench-operator",
        api_prefix: str = "/api/v3",
        hourly_limit: int = 5000,
    ) -> None:
        self.private_key_pem = private_key_pem or make_private_key()
        self._api_prefix = api_prefix
        self._hourly_limit = hourly_limit
        now = clock()
        owner = Account(id=9_001, login=app_owner, kind="User", created_at=now)
        bot = Account(id=9_002, login=f"{slug}[bot]", kind="Bot", created_at=now)
        app = App(
            id=_APP_ID,
            slug=slug,
            name=slug,
            client_id="Iv1.0123456789abcdef",
            client_secret=secrets.token_hex(20),
            owner=owner,
            bot=bot,
            public_key_pem=public_key_of(self.private_key_pem),
            created_at=now,
            permissions=dict(PERMISSIONS),  # type: ignore[arg-type]
            events=EVENTS,
        )
        state = State(app=app, accounts={a.login.lower(): a for a in (owner, bot)})
        self.site = Site(
            state=state,
            clock=clock,
            addresses=_addresses("http://127.0.0.1", api_prefix),
            webhooks=Webhooks(app_id=app.id, clock=clock, next_id=state.next_id),
            tokens=Tokens(app, clock),
            faults=Faults(clock),
        )
        self.set_webhook(webhook_url, webhook_secret)

    @property
    def app_id(self) -> int:
        return self.site.state.app.id

    @property
    def bot_login(self) -> str:
        return self.site.state.app.bot.login

    @property
    def installation_id(self) -> int:
        """Of the first account with a repository. Raises `LookupError` before there is one."""
        for installation in self.site.state.installations:
            return installation.id
        raise LookupError("the App is installed nowhere yet; add a repository first")

    @property
    def faults(self) -> Faults:
        return self.site.faults

    @property
    def requests(self) -> list[Exchange]:
        """Every REST request so far, oldest first."""
        return self.site.exchanges

    @property
    def deliveries(self) -> list[Delivery]:
        """Every delivery of the webhook so far, oldest first."""
        return self.site.webhooks.deliveries

    def set_webhook(self, url: str | None, secret: str = "") -> None:
        """Where events go from now on, and what they are signed with."""
        self.site.webhooks.url = url
        self.site.webhooks.secret = secret

    async def deliveries_done(self) -> None:
        """Wait until every event so far was delivered, or failed to be."""
        await self.site.webhooks.done()

    def redeliver(self, delivery: Delivery) -> Delivery:
        """Send a delivery again under its id, as the redeliver button does."""
        return self.site.webhooks.redeliver(delivery)

    def add_person(self, login: str, roles: Mapping[str, Role] | None = None) -> Account:
        """A person with roles by repository (`{"octo/skills": "write"}`)."""
        person = self._add_account(login, "User")
        for full_name, role in (roles or {}).items():
            owner, _, name = full_name.partition("/")
            repository = self.site.state.find_repository(owner, name)
            if repository is None:
                raise LookupError(f"no repository {full_name!r} here; add it first")
            repository.roles[login.lower()] = role
        return person

    def add_bot(self, login: str) -> Account:
        """Another App's bot (`renovate[bot]`)."""
        return self._add_account(login, "Bot")

    def add_repository(  # noqa: PLR0913 -- keyword-only, each with a default
        self,
        owner: str,
        name: str,
        *,
        folder: Path | None = None,
        tarball: Path | None = None,
        private: bool = False,
        installed: bool = True,
        owner_kind: AccountKind = "Organization",
    ) -> RepositoryHandle:
        """A repository with one commit from a folder, or from a tarball in GitHub's shape.

        With neither it is empty. The commit of a tarball keeps the id the archive names.
        """
        now = self.site.clock()
        account = self.site.state.find_account(owner) or self._add_account(owner, owner_kind)
        repository = Repository(
            id=self.site.state.next_id(),
            owner=account,
            name=name,
            is_private=private,
            created_at=now,
            pushed_at=now,
        )
        self.site.state.repositories.append(repository)
        if installed and self.site.state.find_installation(account) is None:
            InstallationActions(self.site).install(account, None)
        handle = RepositoryHandle(self.site, repository)
        if tarball is not None:
            CodeActions(self.site).push(
                repository, account, load_tarball(tarball), message="First commit"
            )
        elif folder is not None:
            handle.push(folder, message="First commit")
        return handle

    def install(
        self, owner: str, *, by: str = "", chosen: Sequence[RepositoryHandle] | None = None
    ) -> Installation:
        """Install the App on an account, for all of its repositories or for the chosen ones."""
        account = self.site.account(owner)
        places = None if chosen is None else [handle.repository for handle in chosen]
        return InstallationActions(self.site).install(
            account, self.site.account(by or owner), places
        )

    def choose(self, owner: str, *chosen: RepositoryHandle) -> None:
        """Let the App be there for these repositories of the account, and for no others."""
        places = [handle.repository for handle in chosen]
        actions = InstallationActions(self.site)
        actions.choose(self._installation(owner), places, self.site.account(owner))

    def suspend(self, owner: str, *, is_suspended: bool = True, is_told: bool = True) -> None:
        """Suspend or resume the installation: its tokens answer 403 meanwhile.

        `is_told=False` is for a webhook that was lost.
        """
        actions, by = InstallationActions(self.site), self.site.account(owner)
        installation = self._installation(owner)
        actions.suspend(installation, by, is_suspended=is_suspended, is_told=is_told)

    def withdraw(self, permission: str, *, left: Access | None = None) -> None:
        """Let the App have less of a permission, or none, at once: its tokens are void."""
        permissions = self.site.state.app.permissions
        permissions.pop(permission)
        if left is not None:
            permissions[permission] = left
        for installation in self.site.state.installations:
            self.site.tokens.revoke_all(installation)

    def uninstall(self, owner: str) -> None:
        """Remove the App from an account: its tokens are dead at once."""
        InstallationActions(self.site).uninstall(
            self._installation(owner), self.site.account(owner)
        )

    @contextlib.asynccontextmanager
    async def serve(self, *, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[Served]:
        """Serve API and pages, and send webhooks, for as long as the context lasts."""
        bound = open_socket(host, port)
        web = f"http://{host}:{bound.getsockname()[1]}"
        self.site.addresses = _addresses(web, self._api_prefix)
        app = create_app(self.site, self._api_prefix, hourly_limit=self._hourly_limit)
        async with serving(app, bound), self.site.webhooks.sending():
            try:
                yield Served(api_url=web + self._api_prefix, web_url=web)
            finally:
                self.site.faults.clear()

    def _installation(self, owner: str) -> Installation:
        installation = self.site.state.find_installation(self.site.account(owner))
        if installation is None:
            raise LookupError(f"the App is not installed on {owner!r}")
        return installation

    def _add_account(self, login: str, kind: AccountKind) -> Account:
        account = self.site.state.find_account(login)
        if account is None:
            account = Account(
                id=self.site.state.next_id() % 100_000_000,
                login=login,
                kind=kind,
                created_at=self.site.clock(),
            )
            self.site.state.accounts[login.lower()] = account
        return account


def _addresses(web: str, api_prefix: str) -> Addresses:
    return Addresses(api=web + api_prefix, uploads=f"{web}/api/uploads", web=web)
