"""Sign-in with GitHub: the web flow of an App, with a state and PKCE, for a login and no more.

The token that GitHub gives is used once, to ask who that is, and forgotten. The state lies in a
signed cookie of the browser that began, so nobody can be signed in by a link of somebody else's.
https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app
"""

import base64
import hashlib
import hmac
import secrets
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import httpx
import structlog
from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from bot.forms import read_form
from bot.store.sign_ins import SignedIn
from bot.web.access import SESSION, Access
from bot.web.guard import LARGEST_FORM, SEE_OTHER
from bot.web.shell import HEADERS, problem, render
from config.settings import Settings

STATE = "skillbench_sign_in"
STATE_S = 600
"""GitHub's code is good as long."""
TIMEOUT_S = 10.0
LARGEST_ANSWER = 1_000_000

log = structlog.get_logger(__name__)


class SignInFailed(Exception):  # noqa: N818 -- said on the page
    """Why nobody was signed in."""


class SignIn:
    """The pages of signing in and out."""

    def __init__(self, settings: Settings, access: Access) -> None:
        self._settings = settings
        self._access = access
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
        if (await self._access.visitor(request)).is_known:
            return RedirectResponse("/tasks", SEE_OTHER, HEADERS)
        offers = self._access.offers_sign_in
        return render("sign_in.html", None, status=200 if offers else 403, offers=offers)

    async def begin(self, request: Request) -> Response:
        """Lead to GitHub."""
        if not self._access.offers_sign_in:
            return problem(None, 404, "No sign-in here", "The operator has not set it up.")
        state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
        digest = hashlib.sha256(verifier.encode()).digest()
        query = urlencode(
            {
                "client_id": self._settings.github_client_id,
                "redirect_uri": self._callback(request),
                "state": state,
                "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
                "code_challenge_method": "S256",
                "allow_signup": "false",
            }
        )
        url = f"{self._settings.github_web_url}/login/oauth/authorize?{query}"
        response = RedirectResponse(url, SEE_OTHER, HEADERS)
        kept = str(self._signer.dumps({"state": state, "verifier": verifier}))
        self._access.set_cookie(response, STATE, kept, max_age=STATE_S)
        return response

    async def come_back(self, request: Request) -> Response:
        """GitHub has asked the person: learn who it is."""
        try:
            who = await self._find_login(request)
        except SignInFailed as failure:
            log.warning("sign_in_failed", problem=str(failure))
            response: Response = problem(None, 403, "Not signed in", str(failure))
        else:
            log.info("signed_in", login=who.login)
            response = RedirectResponse("/tasks", SEE_OTHER, HEADERS)
            await self._access.begin_session(response, who)
        response.delete_cookie(STATE, path="/")
        return response

    async def end(self, request: Request) -> Response:
        """Forget who signed in, in this browser."""
        visitor = await self._access.visitor(request)
        form = await read_form(request, LARGEST_FORM)
        if not visitor.is_known or not self._access.bears_key(
            request, visitor, form.get("key", "")
        ):
            return problem(None, 403, "Not signed out", "Load the page anew and try again.")
        await self._access.sign_ins.forget(self._access.session_id(request))
        response = RedirectResponse("/sign-in", SEE_OTHER, HEADERS)
        response.delete_cookie(SESSION, path="/")
        return response

    async def _find_login(self, request: Request) -> SignedIn:
        """Who came back. Raises `SignInFailed`."""
        try:
            kept = self._signer.loads(request.cookies.get(STATE, ""), max_age=STATE_S)
        except BadSignature:
            raise SignInFailed("The sign-in took too long, or began elsewhere.") from None
        given = request.query_params.get("state", "")
        if not hmac.compare_digest(str(kept["state"]).encode(), given.encode("utf-8", "replace")):
            raise SignInFailed("This is not the sign-in that was begun in this browser last.")
        if (code := request.query_params.get("code", "")) == "":
            raise SignInFailed("GitHub gave no code: the sign-in was declined.")
        who = await self._ask_github(code, str(kept["verifier"]), self._callback(request))
        if not self._access.admits(who.login):
            raise SignInFailed(
                f"{who.login} may not use these pages. The operator names who may, in "
                "SKILLBENCH_WEB_USERS."
            )
        return who

    async def _ask_github(self, code: str, verifier: str, callback: str) -> SignedIn:
        settings = self._settings
        wanted = {
            "client_id": settings.github_client_id,
            "client_secret": settings.github_client_secret.get_secret_value(),
            "code": code,
            "redirect_uri": callback,
            "code_verifier": verifier,
        }
        try:
            async with httpx.AsyncClient(timeout=TIMEOUT_S, follow_redirects=False) as client:
                given = await client.post(
                    f"{settings.github_web_url}/login/oauth/access_token",
                    data=wanted,
                    headers={"accept": "application/json"},
                )
                token = _read(given).get("access_token")
                if not isinstance(token, str) or not token:
                    raise SignInFailed("GitHub did not take the code; begin again.")
                headers = {
                    "accept": "application/vnd.github+json",
                    "authorization": f"Bearer {token}",
                    "x-github-api-version": "2022-11-28",
                }
                user = await client.get(f"{settings.github_api_url}/user", headers=headers)
                found = _read(user)
        except httpx.HTTPError as trouble:
            raise SignInFailed(f"GitHub does not answer ({type(trouble).__name__}).") from None
        login, user_id = found.get("login"), found.get("id")
        if not isinstance(login, str) or not login or not isinstance(user_id, int):
            raise SignInFailed("GitHub did not say who that is.")
        return SignedIn(login=login, user_id=user_id, asked_at=datetime.now(UTC))

    def _callback(self, request: Request) -> str:
        base = self._settings.public_url or str(request.base_url).rstrip("/")
        return f"{base}/sign-in/callback"


def _read(answer: httpx.Response) -> dict[str, Any]:
    """The object in an answer. Raises `SignInFailed`."""
    if answer.status_code != httpx.codes.OK or len(answer.content) > LARGEST_ANSWER:
        raise SignInFailed(f"GitHub answered with {answer.status_code}.")
    try:
        found = answer.json()
    except ValueError:
        raise SignInFailed("GitHub's answer is no JSON.") from None
    if not isinstance(found, dict):
        raise SignInFailed("GitHub's answer is no object.")
    return found
