"""The GitHub App: one identity, one long-lived client for each installation.

Made from the settings alone, without asking GitHub anything: a process can start while
GitHub is down, and an installation that is suspended troubles nobody but itself.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from functools import partial
from types import TracebackType
from typing import Self
from urllib.parse import quote

import httpx
import structlog
from redis.asyncio import Redis

from bot.blobs import Blobs
from bot.github.calls import Calls
from bot.github.client import TIMEOUT, USER_AGENT, Client, may_use_proxy, tls
from bot.github.deliveries import DeliveryLog
from bot.github.failures import (
    BadCredentials,
    Limited,
    Moved,
    NotFound,
    Rejected,
    ServerTrouble,
    bad_credentials,
)
from bot.github.identity import Identity, OwnComments, identity_of
from bot.github.on_commit import OnCommit
from bot.github.on_page import OnPage
from bot.github.pacing import MemoryPacer, Pacer, RedisPacer
from bot.github.places import Installed, Place, list_installations, list_places, place_of
from bot.github.reports_only import ReportsOnly
from bot.github.repository import RepositoryClient
from bot.github.retry import Timing
from config.settings import Settings
from jobs.errors import Error, Gone, IssueMoved, Transient
from jobs.requests import Repo

log = structlog.get_logger(__name__)

CHECK_S = 5.0
"""How long `check` may take: a readiness probe waits no longer."""
APP_ITSELF = 0
"""Stands for the App where an installation is named; GitHub counts from one."""


class GitHubApp:
    """The door to GitHub. Use it in `async with`, or call `close`.

    `redis` makes all processes share one schedule of writes; without it this process keeps
    its own. `timing` and `pacer` are for whoever must not wait in real time.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        redis: Redis | None = None,
        timing: Timing | None = None,
        pacer: Pacer | None = None,
    ) -> None:
        self._settings = settings
        self._redis = redis
        self._timing = timing or Timing()
        alone = MemoryPacer(self._timing.now)
        self._pacer = pacer or (RedisPacer(redis, alone) if redis is not None else alone)
        self._clients: dict[int, Client] = {}
        self._identity: Identity | None = None
        self._asking = asyncio.Lock()
        self._own = OwnComments(settings.github_app_id, self.identity)
        self._plain = httpx.AsyncClient(
            timeout=TIMEOUT,
            verify=tls(),
            trust_env=may_use_proxy(settings.github_api_url),
            headers={"User-Agent": USER_AGENT},
        )
        # these log whole addresses, and that of a private tarball holds a token
        for chatty in ("httpx", "httpcore"):
            logging.getLogger(chatty).setLevel(logging.WARNING)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection; calls that are under way fail."""
        clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            await client.close()
        await self._plain.aclose()

    async def identity(self) -> Identity:
        """Who we are, asked once. Raises `Transient` while GitHub does not tell us."""
        async with self._asking:
            if self._identity is None:
                self._identity = identity_of(await self._calls(APP_ITSELF).read_json("/app"))
        return self._identity

    async def ask_early(self) -> None:
        """Ask who we are before anybody waits for it; whoever needs it asks again if that fails."""
        try:
            await self.identity()
        except Error as problem:
            log.warning("identity_not_known_yet", problem=str(problem))

    async def installation_of(self, owner: str, repo: str) -> int:
        """The installation that covers a repository. Raises `Gone` if there is none."""
        path = f"/repos/{quote(owner, safe='')}/{quote(repo, safe='')}/installation"
        try:
            body = await self._calls(APP_ITSELF).read_json(path)
        except NotFound:
            raise NotFound(f"the App is not installed on {owner}/{repo}") from None
        if body.get("suspended_at"):
            raise Gone(f"the installation of the App on {owner}/{repo} is suspended")
        return int(body["id"])

    def deliveries(self) -> DeliveryLog:
        """The log of what GitHub tried to deliver to the App's webhook."""
        return DeliveryLog(self._calls(APP_ITSELF))

    def installations(self) -> AsyncIterator[Installed]:
        """Every account that the App is installed on, suspended ones too."""
        return list_installations(self._calls(APP_ITSELF))

    def places(self, installation: int) -> AsyncIterator[Place]:
        """The repositories of an installation. Raises `Gone` while it is suspended."""
        return list_places(self._calls(installation), installation)

    async def place(self, owner: str, repo: str) -> Place:
        """One repository, under its present name. Raises `Gone` where the App is not."""
        installation = await self.installation_of(owner, repo)
        path = f"/repos/{quote(owner, safe='')}/{quote(repo, safe='')}"
        return place_of(await self._calls(installation).read_json(path), installation)

    async def find_moved(self, origin: Repo, moved: IssueMoved) -> RepositoryClient | None:
        """The repository that an issue of `origin` is in now, where the App may write there.

        GitHub moves issues within one owner only; to anybody else nothing is told.
        """
        owner, _, name = moved.repository.partition("/")
        if owner.casefold() != origin.owner.casefold():
            return None
        try:
            installation = await self.installation_of(owner, name)
        except Gone:
            return None
        return self.repository(Repo(owner=owner, name=name, installation_id=installation))

    def repository(
        self,
        repo: Repo,
        *,
        on_commit: str | None = None,
        reports_only: bool = False,
        on_page: str = "",
    ) -> RepositoryClient:
        """One repository; cheap, so make one for each request.

        With `on_commit`, issue 0 stands for that commit. With `reports_only`, comments are posted
        on issues where they are reports, and nowhere else. With `on_page`, the id of a run of a
        dataset, nothing is on GitHub: what is said is kept for the page of that run.
        """
        calls = self._calls(repo.installation_id)
        make: Callable[..., RepositoryClient]
        make = RepositoryClient if on_commit is None else partial(OnCommit, commit=on_commit)
        make = ReportsOnly if reports_only else make
        if on_page:
            make = partial(OnPage, blobs=Blobs(self._settings.blobs), run_id=on_page)
        return make(
            repo,
            calls,
            is_own=self._own.made_with(calls.read_json),
            plain=self._plain,
            identity=self.identity,
            redis=self._redis,
        )

    def forget(self, installation: int) -> None:
        """Forget the token of an installation that was suspended or removed.

        GitHub takes it no more either way; this process asks for a new one when it needs one.
        """
        if (client := self._clients.get(installation)) is not None:
            client.forget_token()

    async def prove(self) -> Identity:
        """Prove the App's credentials by using them, now, in five seconds at most.

        Raises `Transient` with what is wrong and what to do about it.
        """
        url = self._settings.github_api_url
        try:
            async with asyncio.timeout(CHECK_S):
                answer = await self._client(APP_ITSELF).send("GET", "/app")
            return identity_of(answer.json())
        except (TimeoutError, ServerTrouble, Limited) as trouble:
            raise Transient(f"{url} does not answer: {trouble or 'too slow'}") from None
        except (Gone, Rejected, Moved) as problem:
            raise bad_credentials(str(problem)) from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise Transient(f"{url} does not answer as GitHub's API does") from None

    async def check(self) -> str | None:
        """What keeps the App from working and what to do about it; None if nothing does.

        Beside the credentials it looks at what the App was granted. Raises nothing.
        """
        try:
            identity = await self.prove()
        except Transient as problem:
            return str(problem)
        if not identity.missing:
            return None
        return (
            f"the GitHub App {identity.slug} lacks {', '.join(identity.missing)}: grant it on "
            "the App's settings page, then accept it on each installation"
        )

    def _calls(self, installation: int) -> Calls:
        client = self._client(installation)
        return Calls(client, installation=installation, pacer=self._pacer, timing=self._timing)

    def _client(self, installation: int) -> Client:
        if installation not in self._clients:
            self._clients[installation] = Client(
                api_url=self._settings.github_api_url,
                app_id=self._app_id(),
                private_key=self._private_key(),
                installation=installation if installation != APP_ITSELF else None,
                now=self._timing.now,
            )
        return self._clients[installation]

    def _app_id(self) -> str:
        if not self._settings.github_app_id:
            raise bad_credentials("no App id is set")
        return self._settings.github_app_id

    def _private_key(self) -> str:
        try:
            pem = self._settings.private_key_pem
        except (OSError, UnicodeDecodeError) as problem:
            raise bad_credentials(
                f"the private key cannot be read: {type(problem).__name__}"
            ) from None
        if not pem:
            raise bad_credentials("no private key is set")
        return pem


__all__ = ["BadCredentials", "GitHubApp", "Identity"]
