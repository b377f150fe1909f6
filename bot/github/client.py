"""githubkit, held so that it serves a process that lives for weeks.

This is the only module that touches it. githubkit signs the App's JWT, fetches and keeps the
installation token, and builds requests; its own retries (they repeat POSTs), its HTTP cache
(it slows down with every call) and its redirects (they would turn a POST into a GET) are off.
"""

import functools
import ipaddress
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx
import structlog
from githubkit import GitHub, GitHubCore
from githubkit.auth import BaseAuthStrategy
from githubkit.auth.app import AppAuth
from githubkit.cache import MemCacheStrategy
from githubkit.exception import RequestError, RequestFailed

from bot.github.failures import (
    Limited,
    NotFound,
    ServerTrouble,
    TokenExpired,
    bad_credentials,
    failure_of,
    token_failure_of,
)

log = structlog.get_logger(__name__)

API_VERSION = "2022-11-28"
"""The version all supported releases of GitHub Enterprise Server speak."""
TIMEOUT = httpx.Timeout(30.0, connect=10.0, write=60.0)
USER_AGENT = "skillbench"

Content = Callable[[], AsyncIterator[bytes]]
"""Gives the bytes of a request anew, so that a request can be sent twice."""


@functools.cache
def tls() -> ssl.SSLContext:
    """The one set of trusted authorities: loading it anew costs each client 30 ms."""
    return httpx.create_ssl_context()


class _Auth(AppAuth):
    """githubkit's signing and tokens, for every path that GitHub has.

    The original reads a decoded path as an address again, and fails on an escaped `?` or `#`
    in a label's name.
    """

    def _get_api_route(self, url: httpx.URL) -> httpx.URL:
        base = self.github.config.base_url.raw_path.decode("ascii").rstrip("/")
        return httpx.URL(url.raw_path.decode("ascii").removeprefix(base))


@dataclass(frozen=True, slots=True)
class _Strategy(BaseAuthStrategy):
    app_id: str
    private_key: str = field(repr=False)
    installation: int | None

    def get_auth_flow(self, github: GitHubCore[Any]) -> httpx.Auth:
        auth = _Auth(github, self.app_id, self.private_key)
        if self.installation is not None:
            auth.installation_id = self.installation
        return auth


LONGEST_PATH = 8_000
"""Longer than any name of GitHub's makes an address; some client or server would refuse it."""


class _HeldGitHub(GitHub[Any]):
    """githubkit with one HTTP client for all tasks.

    Its own `async with` keeps the client in a context variable: a task that was not started
    below that block does not see it and builds a client per call, at twenty times the cost.
    """

    _held: httpx.AsyncClient | None = None

    @asynccontextmanager
    async def get_async_client(self) -> AsyncIterator[httpx.AsyncClient]:
        if self._held is None:
            self._held = await self._create_async_client()
        yield self._held

    async def close(self) -> None:
        if self._held is not None:
            held, self._held = self._held, None
            await held.aclose()


class Client:
    """Sends single requests as the App, or as one installation of it.

    Every failure is raised as one of `bot.github.failures`; nothing is repeated but once
    after a 401, with a fresh token.
    """

    def __init__(
        self,
        *,
        api_url: str,
        app_id: str,
        private_key: str,
        installation: int | None,
        now: Callable[[], float],
    ) -> None:
        self._installation = installation
        self._now = now
        self._tokens = MemCacheStrategy()  # the default one is shared by the whole process
        try:
            self.base = httpx.URL(api_url.rstrip("/") + "/")
            """The API's address; it ends in a slash."""
        except httpx.InvalidURL:
            raise bad_credentials("SKILLBENCH_GITHUB_API_URL is no web address") from None
        self._github = _HeldGitHub(
            _Strategy(app_id, private_key, installation),
            base_url=api_url,
            user_agent=USER_AGENT,
            follow_redirects=False,
            timeout=TIMEOUT,
            ssl_verify=tls(),
            trust_env=may_use_proxy(api_url),
            cache_strategy=self._tokens,
            http_cache=False,
            auto_retry=False,
        )

    async def send(  # noqa: PLR0913 -- the parts of an HTTP request
        self,
        method: str,
        path: str,
        *,
        params: dict[str, Any] | None = None,
        json: Any = None,
        headers: dict[str, str] | None = None,
        content: Content | None = None,
        stream: bool = False,
    ) -> httpx.Response:
        """Send one request and give its successful answer; `path` may be an absolute URL.

        A streamed answer is the caller's to close. Raises the exceptions of
        `bot.github.failures`.
        """
        parts = {"params": params, "json": json, "headers": headers, "stream": stream}
        try:
            return await self._send_once(method, path, parts, content)
        except TokenExpired:
            # revoked, or our clock is behind GitHub's: the kept token is worthless either way
            self.forget_token()
        try:
            return await self._send_once(method, path, parts, content)
        except TokenExpired as refused:
            raise bad_credentials(str(refused)) from None

    def forget_token(self) -> None:
        """The next request brings a fresh one."""
        self._tokens.cleanup()

    async def _send_once(
        self, method: str, path: str, parts: dict[str, Any], content: Content | None
    ) -> httpx.Response:
        if len(path) > LONGEST_PATH:
            raise NotFound(f"{method}: nothing has an address of {len(path):,} characters")
        headers = {"X-GitHub-Api-Version": API_VERSION} | (parts["headers"] or {})
        body = content() if content is not None else None
        try:
            answer = await self._github.arequest(
                method, path, **(parts | {"headers": headers, "content": body})
            )
        except RequestFailed as failed:
            failure = failure_of(failed.response.raw_response, now=self._now())
        except RequestError as failed:
            failure = self._trouble_of(failed.exc, f"{method} {httpx.URL(path).path}")
        except UnicodeError:
            raise  # a text of ours that is none: a defect, not GitHub's doing
        except ValueError:
            # githubkit reads Retry-After as a number; a proxy may have written a date there
            failure = Limited(f"GitHub limits {method} {httpx.URL(path).path}", wait_s=None)
        else:
            response = answer.raw_response
            log.debug("github_call", method=method, path=path, status=response.status_code)
            if response.is_success:
                return response
            failure = failure_of(response, now=self._now())
            await response.aclose()
        # the cause holds requests with tokens in their headers: it ends here
        raise failure from None

    def _trouble_of(self, cause: Exception, route: str) -> Exception:
        """What kept a request from being answered; githubkit wraps all of it alike."""
        if isinstance(cause, RequestFailed):  # the request for a token, sent on the way
            response = cause.response.raw_response
            return token_failure_of(response, self._installation or 0, now=self._now())
        if isinstance(cause, httpx.InvalidURL | httpx.UnsupportedProtocol):
            return bad_credentials("SKILLBENCH_GITHUB_API_URL is no web address")
        if isinstance(cause, httpx.TransportError):
            return ServerTrouble(f"{route} was not answered ({type(cause).__name__})")
        # all that is left is signing the JWT: a key that is none
        return bad_credentials(f"{type(cause).__name__} for {route}")

    async def close(self) -> None:
        await self._github.close()


def origin_of(url: httpx.URL) -> tuple[str, str, int]:
    """Scheme, host and port: what must be equal before a token may go there."""
    default = 443 if url.scheme == "https" else 80
    return url.scheme, url.host, url.port or default


def may_use_proxy(api_url: str) -> bool:
    """Whether proxies of the environment are on the way; to this machine they are not."""
    try:
        host = urlsplit(api_url).hostname or ""
        return host != "localhost" and not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return True  # a name, or no address at all, which the first call will say
