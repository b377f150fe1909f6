"""Sign-in with GitHub: the web flow of an App, with a state and PKCE.

The token that GitHub gives is used to ask who that is and which repositories they reach through
this App, and forgotten. The state lies in a signed cookie of the browser that began, with the page
that it began on, so nobody can be signed in, or led anywhere, by a link of somebody else's.
https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app
"""

import base64
import hashlib
import hmac
import secrets
from urllib.parse import urlencode, urlsplit

import httpx
import msgspec
import structlog
from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from bot.forms import read_form
from bot.redis_clients import REDIS_AWAY
from bot.store.seen_repos import RedisSeenRepos
from bot.store.sign_ins import SignedIn
from bot.web.access import SESSION, Access
from bot.web.guard import LARGEST_FORM, SEE_OTHER, not_now
from bot.web.reach import NotTold, Reach, read_answer
from bot.web.shell import HEADERS, problem, render
from config.settings import Settings
from jobs.errors import Transient

STATE = "skillbench_sign_in"
STATE_S = 600
"""GitHub's code is good as long."""
TIMEOUT_S = 10.0
HOME = "/"
"""Where somebody is led who began on no page."""
LONGEST_PATH = 1_000
"""Characters of the page that a sign-in began on; a cookie has no room for much more."""

log = structlog.get_logger(__name__)


class SignInFailed(Exception):  # noqa: N818 -- said on the page
    """Why nobody was signed in."""


class _Token(msgspec.Struct):
    access_token: str = ""


class _Begun(msgspec.Struct):
    """A sign-in that goes on in a browser, as its cookie has it."""

    state: str
    verifier: str
    next: str = HOME


class SignIn:
    """The pages of signing in and out."""

    def __init__(self, settings: Settings, access: Access, seen: RedisSeenRepos) -> None:
        self._settings = settings
        self._access = access
        self._seen = seen
        secret = settings.session_secret.get_secret_value() or secrets.token_urlsafe(32)
        self._signer = URLSafeTimedSerializer(secret, salt="skillbench-sign-in")

    def routes(self) -> list[Route]:
        return [
            Route("/sign-in", self.show, methods=["GET"]),
            Route("/sign-in/github", self.begin, methods=["GET"]),
            Route("/sign-in/callback", self.come_back, methods=["GET"]),
            Route("/sign-out", self.end, methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        """The button, or how an operator lets people in."""
        asked = request.query_params.get("next", "")
        try:
            is_known = (await self._access.visitor(request)).is_known
        except REDIS_AWAY as trouble:
            return not_now(None, trouble)
        if is_known:
            return RedirectResponse(find_path(asked), SEE_OTHER, HEADERS)
        offers = self._access.offers_sign_in
        begin = "/sign-in/github" + (f"?{urlencode({'next': find_path(asked)})}" if asked else "")
        return render(
            "sign_in.html", None, status=200 if offers else 403, offers=offers, begin=begin
        )

    async def begin(self, request: Request) -> Response:
        """Lead to GitHub."""
        if not self._access.offers_sign_in:
            return problem(None, 404, "No sign-in here", "The operator has not set it up.")
        begun = _Begun(
            state=secrets.token_urlsafe(32),
            verifier=secrets.token_urlsafe(48),
            next=find_path(request.query_params.get("next", "")),
        )
        digest = hashlib.sha256(begun.verifier.encode()).digest()
        query = urlencode(
            {
                "client_id": self._settings.github_client_id,
                "redirect_uri": self._callback(request),
                "state": begun.state,
                "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
                "code_challenge_method": "S256",
                "allow_signup": "false",
            }
        )
        url = f"{self._settings.github_web_url}/login/oauth/authorize?{query}"
        response = RedirectResponse(url, SEE_OTHER, HEADERS)
        kept = str(self._signer.dumps(msgspec.to_builtins(begun)))
        self._access.set_cookie(response, STATE, kept, max_age=STATE_S)
        return response

    async def come_back(self, request: Request) -> Response:
        """GitHub has asked the person: learn who it is, and begin a session of a new id."""
        try:
            begun, code = self._find_begun(request)
            who = await self._ask_github(code, begun.verifier, self._callback(request))
            response: Response = RedirectResponse(begun.next, SEE_OTHER, HEADERS)
            if earlier := self._access.session_id(request):
                await self._access.sign_ins.forget(earlier)
            await self._access.begin_session(response, who)
            log.info("signed_in", login=who.login, repositories=len(who.roles))
        except SignInFailed as failure:
            log.warning("sign_in_failed", problem=str(failure))
            response = problem(None, 403, "Not signed in", str(failure))
        except (Transient, *REDIS_AWAY) as trouble:
            log.warning("sign_in_failed", problem=str(trouble))
            response = problem(None, 503, "Not now", "Nobody can be signed in now; try again soon.")
        response.delete_cookie(STATE, path="/")
        return response

    async def end(self, request: Request) -> Response:
        """Forget who signed in, here and in this browser."""
        try:
            visitor = await self._access.visitor(request)
            form = await read_form(request, LARGEST_FORM)
            bears_key = self._access.bears_key(request, visitor, form.get("key", ""))
            if not visitor.is_known or not bears_key:
                return problem(None, 403, "Not signed out", "Load the page anew and try again.")
            await self._access.sign_ins.forget(self._access.session_id(request))
        except REDIS_AWAY as trouble:
            return not_now(None, trouble)
        response = RedirectResponse("/sign-in", SEE_OTHER, HEADERS)
        response.delete_cookie(SESSION, path="/")
        return response

    def _find_begun(self, request: Request) -> tuple[_Begun, str]:
        """The sign-in that came back to this browser, with its code. Raises `SignInFailed`."""
        try:
            kept = self._signer.loads(request.cookies.get(STATE, ""), max_age=STATE_S)
            begun = msgspec.convert(kept, _Begun)
        except (BadSignature, msgspec.ValidationError):
            raise SignInFailed("The sign-in took too long, or began elsewhere.") from None
        given = request.query_params.get("state", "")
        if not hmac.compare_digest(begun.state.encode(), given.encode("utf-8", "replace")):
            raise SignInFailed("This is not the sign-in that was begun in this browser last.")
        if (code := request.query_params.get("code", "")) == "":
            raise SignInFailed("GitHub gave no code: the sign-in was declined.")
        return begun, code

    async def _ask_github(self, code: str, verifier: str, callback: str) -> SignedIn:
        """Who that is, and what they reach; of the operator's users that is not asked."""
        settings = self._settings
        wanted = {
            "client_id": settings.github_client_id,
            "client_secret": settings.github_client_secret.get_secret_value(),
            "code": code,
            "redirect_uri": callback,
            "code_verifier": verifier,
        }
        async with httpx.AsyncClient(timeout=TIMEOUT_S, follow_redirects=False) as client:
            asking = client.build_request(
                "POST",
                f"{settings.github_web_url}/login/oauth/access_token",
                data=wanted,
                headers={"accept": "application/json"},
            )
            try:
                token = (await read_answer(client, asking, _Token)).access_token
                if not token:
                    raise SignInFailed("GitHub did not take the code; begin again.")
                reach = Reach(settings.github_api_url, token, client)
                who = await reach.who()
                if self._access.admits(who.login):
                    return who
                return await reach.with_roles(who, self._seen.find_many)
            except NotTold as problem_told:
                raise SignInFailed(str(problem_told)) from None

    def _callback(self, request: Request) -> str:
        base = self._settings.public_url or str(request.base_url).rstrip("/")
        return f"{base}/sign-in/callback"


def find_path(asked: str) -> str:
    """The page of this server that somebody wants to come back to; anything else is the first."""
    is_ours = asked.startswith("/") and len(asked) <= LONGEST_PATH
    is_plain = asked.isascii() and asked.isprintable() and "\\" not in asked and " " not in asked
    if not (is_ours and is_plain) or asked.startswith("//"):
        return HOME
    try:
        parts = urlsplit(asked)
    except ValueError:
        return HOME
    leads_in = parts.path.startswith(("/sign-in", "/sign-out"))
    return HOME if parts.scheme or parts.netloc or leads_in else asked
