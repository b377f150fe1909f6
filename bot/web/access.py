"""Who may see and do what on the pages: there is always a visitor, if only one who sees nothing.

Whoever sits at the machine, and the logins in `SKILLBENCH_WEB_USERS`, see and do everything. Others
who sign in with GitHub see the repositories that GitHub lets them read, and do there what their
role is enough for. Whoever has not signed in sees public repositories where the operator wants so.

Being at the machine counts only where no address makes it a public server. The Host must be a
loopback name: else a page of another site could lead its own name to 127.0.0.1 and read along
(DNS rebinding).
"""

import hmac
import ipaddress
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import urlsplit

from itsdangerous import BadSignature, URLSafeTimedSerializer
from redis.asyncio import Redis
from starlette.requests import Request
from starlette.responses import Response

from bot.store.seen_repos import PRIVACY_FRESH, SeenRepo
from bot.store.sign_ins import LONGEST, SignedIn, SignIns, make_right_key
from config.repo_kinds import ROLES, Role
from config.settings import Settings, names_in

SESSION = "skillbench_session"
SESSION_S = int(LONGEST.total_seconds())
"""How long a sign-in holds."""
LOCAL = "skillbench_local"
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")
"""Headers of somebody between: who asks is then not known to be here."""
OF_PROXIES = "1.0"
"""No browser of today speaks it; nginx does unless it is told otherwise, and then adds no header
and puts our own name into Host.
https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_http_version
"""
LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who asks for a page; what they may see and do."""

    login: str
    """Login on GitHub; `local` at the machine itself; empty where nobody has signed in."""
    form_key: str = ""
    """Stands in every form of theirs, and in nobody else's; empty where nobody has signed in."""
    is_local: bool = False
    is_operator: bool = False
    """Sees and does everything: the operator names them, or they sit at the machine."""
    roles: Mapping[str, Role] = field(default_factory=dict)
    """Role by repository (`bot.store.sign_ins.make_right_key`), as GitHub told lately."""
    is_stale: bool = False
    """Signed in, but what GitHub told of them is too old to count: it must be asked again."""
    public_since: datetime | None = None
    """Repositories known as public since then are shown to them too; None: none are."""

    @property
    def is_known(self) -> bool:
        """Whether it is known who that is."""
        return self.login != ""

    def sees(self, repo: SeenRepo) -> bool:
        """Whether they may read what the bot knows of a repository."""
        return self.is_operator or self._role(repo) is not None or self.sees_as_public(repo)

    def sees_as_public(self, repo: SeenRepo) -> bool:
        """Whether they may read it because everybody may."""
        is_shown = self.public_since is not None and repo.seen_at >= self.public_since
        return is_shown and not repo.is_private

    def may_act(self, repo: SeenRepo, least: Role) -> bool:
        """Whether they may do there what takes this role at least, such as `write`."""
        if self.is_operator:
            return True
        role = self._role(repo)
        return role is not None and ROLES.index(role) >= ROLES.index(least)

    def _role(self, repo: SeenRepo) -> Role | None:
        return self.roles.get(make_right_key(repo.installation_id, repo.full_name))


class Access:
    """The rule, for one set of settings."""

    def __init__(self, settings: Settings, redis: Redis) -> None:
        self.sign_ins = SignIns(redis)
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
        self._shows_public = settings.public_pages

    async def visitor(self, request: Request) -> Visitor:
        """Who asks: always somebody. Raises `REDIS_AWAY` where somebody may have signed in.

        What a page of another site has loaded is asked for by nobody, whoever's browser it is in:
        whether it comes, and how soon, tells that page of what it may not read.
        """
        now = datetime.now(UTC)
        public_since = now - PRIVACY_FRESH if self._shows_public else None
        if _is_for_another_site(request):
            return Visitor("", public_since=public_since)
        if self._is_from_here(request):
            key = self._form_key(f"local:{_local_token(request)}")
            return Visitor("local", key, is_local=True, is_operator=True)
        session_id = self.session_id(request)
        found = await self.sign_ins.find(session_id) if session_id else None
        if found is None:
            return Visitor("", public_since=public_since)
        is_operator, is_fresh = self.admits(found.login), found.is_fresh(now)
        return Visitor(
            found.login,
            self._form_key(f"session:{session_id}"),
            is_operator=is_operator,
            roles=found.roles if is_fresh else {},
            is_stale=not is_fresh and not is_operator,
            public_since=public_since,
        )

    def admits(self, login: str) -> bool:
        """Whether a login is one of those that the operator names."""
        return login.casefold() in self._users

    async def begin_session(self, response: Response, who: SignedIn) -> None:
        """Remember who signed in, under an id that stands in a cookie only this server can make."""
        session_id = secrets.token_urlsafe(32)
        await self.sign_ins.keep(session_id, who)
        value = self._signer.dumps({"login": who.login, "id": session_id})
        self.set_cookie(response, SESSION, str(value), max_age=SESSION_S)

    def session_id(self, request: Request) -> str:
        """The id in the cookie of somebody who signed in; empty where there is no good one."""
        try:
            found = self._signer.loads(request.cookies.get(SESSION, ""), max_age=SESSION_S)
        except BadSignature:
            return ""
        given = found.get("id") if isinstance(found, dict) else None
        return given if isinstance(given, str) else ""

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
        if request.scope["http_version"] == OF_PROXIES:
            return False
        client = request.client.host if request.client else ""
        return is_loopback(client) and _host_name(request.headers.get("host", "")) in LOCAL_NAMES

    def _form_key(self, of: str) -> str:
        return hmac.new(self._secret.encode(), f"form:{of}".encode(), "sha256").hexdigest()


def _is_for_another_site(request: Request) -> bool:
    """Whether a page of another origin loads something of ours, such as a picture or a frame.

    Who follows a link from there comes to a page of their own. Every browser of today says so:
    https://www.w3.org/TR/fetch-metadata/
    """
    said = request.headers
    if said.get("sec-fetch-site", "none") in {"none", "same-origin"}:
        return False
    is_own_page = said.get("sec-fetch-dest", "document") == "document"
    return not (is_own_page and said.get("sec-fetch-mode", "navigate") == "navigate")


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
