"""Who may see and do things on the pages: whom the operator names, or whoever sits at the machine.

A run spends the operator's money, so a GitHub account alone lets nobody in: the login must stand
in `SKILLBENCH_WEB_USERS`. Without sign-in, only requests from this very machine are let in, and
only where no address makes it a public server. The Host must be a loopback name: else a page of
another site could lead its own name to 127.0.0.1 and read along (DNS rebinding).
"""

import hmac
import ipaddress
import secrets
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import Response

from config.settings import Settings, names_in

SESSION = "skillbench_session"
SESSION_S = 12 * 3600
"""How long a sign-in holds."""
LOCAL = "skillbench_local"
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")
"""Headers of somebody between: who asks is then not known to be here."""
LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who is let in."""

    login: str
    """Login on GitHub; `local` at the machine itself."""
    form_key: str
    """Stands in every form of theirs, and in nobody else's."""
    is_local: bool = False


class Access:
    """The rule, for one set of settings."""

    def __init__(self, settings: Settings) -> None:
        self._users = frozenset(name.casefold() for name in names_in(settings.web_users))
        secret = settings.session_secret.get_secret_value()
        # without a secret sessions and forms hold until the process ends
        self._secret = secret or secrets.token_urlsafe(32)
        self._signer = URLSafeTimedSerializer(self._secret, salt="skillbench-session")
        self.offers_sign_in = bool(
            settings.github_client_id
            and settings.github_client_secret.get_secret_value()
            and secret
        )
        reached_at = urlsplit(settings.public_url).hostname or "localhost"
        self._is_local = is_loopback(settings.host) and is_loopback(reached_at)
        self.is_secure = settings.public_url.startswith("https://")
        self._own_origin = _origin(settings.public_url)

    def find(self, request: Request) -> Visitor | None:
        """Who asks, if they are let in."""
        if self._is_from_here(request):
            return Visitor("local", self._form_key(f"local:{_local_token(request)}"), is_local=True)
        session = self._read_session(request.cookies.get(SESSION, ""))
        if session is None or not self.admits(session["login"]):
            return None
        return Visitor(session["login"], self._form_key(f"session:{session['id']}"))

    def admits(self, login: str) -> bool:
        """Whether a login is one of those that the operator names."""
        return login.casefold() in self._users

    def begin_session(self, response: Response, login: str) -> None:
        """Remember who signed in, in a cookie that only this server can make."""
        value = self._signer.dumps({"login": login, "id": secrets.token_urlsafe(16)})
        self.set_cookie(response, SESSION, str(value), max_age=SESSION_S)

    def ensure_local(self, request: Request, response: Response) -> None:
        """Give a local visitor's browser what its forms are told by."""
        if self._is_from_here(request) and not request.cookies.get(LOCAL):
            self.set_cookie(response, LOCAL, _local_token(request), strict=True)

    def set_cookie(
        self,
        response: Response,
        name: str,
        value: str,
        *,
        max_age: int | None = None,
        strict: bool = False,
    ) -> None:
        """A cookie for this server alone; a `strict` one comes with no link from elsewhere."""
        response.set_cookie(
            name,
            value,
            max_age=max_age,
            path="/",
            httponly=True,
            secure=self.is_secure,
            samesite="strict" if strict else "lax",
        )

    def bears_key(self, request: Request, visitor: Visitor, typed: str) -> bool:
        """Whether a form is one that this visitor was shown, sent by a page of this server."""
        origin = request.headers.get("origin")
        if origin is not None and origin != (self._own_origin or _origin(str(request.base_url))):
            return False
        if request.headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
            return False
        return hmac.compare_digest(visitor.form_key.encode(), typed.encode("utf-8", "replace"))

    def _is_from_here(self, request: Request) -> bool:
        if not self._is_local or any(name in request.headers for name in FORWARDED):
            return False
        client = request.client.host if request.client else ""
        return is_loopback(client) and _host_name(request.headers.get("host", "")) in LOCAL_NAMES

    def _read_session(self, cookie: str) -> dict[str, Any] | None:
        try:
            found = self._signer.loads(cookie, max_age=SESSION_S)
        except BadSignature:
            return None
        return found if isinstance(found, dict) else None

    def _form_key(self, of: str) -> str:
        return hmac.new(self._secret.encode(), f"form:{of}".encode(), "sha256").hexdigest()


def _local_token(request: Request) -> str:
    """By what a local browser's forms are known: its cookie, else the one that it now gets."""
    if token := request.cookies.get(LOCAL):
        return token
    if not hasattr(request.state, "local_token"):
        request.state.local_token = secrets.token_urlsafe(16)
    return str(request.state.local_token)


def is_loopback(host: str) -> bool:
    """Whether an address or a name is this machine's own and reached from nowhere else."""
    if host.casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _host_name(header: str) -> str:
    """The name in a Host header, without its port; empty for what is none."""
    try:
        parts = urlsplit(f"//{header}")
        parts.port  # noqa: B018 -- raises for what is no port
    except ValueError:
        return ""
    return (parts.hostname or "") if parts.netloc == header and "@" not in header else ""


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
