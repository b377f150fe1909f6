"""Sign-in with the App, as GitHub's web flow has it: a page, a code, a token of the person's.

A code is good once and for ten minutes, for the address and the proof key (PKCE) it was asked
for with. https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app
"""

import base64
import hashlib
import secrets
from collections.abc import Mapping
from datetime import timedelta
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from demo.github.auth import SignInCode
from demo.github.page_views import find_viewer
from demo.github.pages import PERSON_COOKIE, Pages, refuse_foreign
from demo.github.registration_pages import leading_to
from demo.github.state import Account

_FOUND = 302
_GOOD_FOR = timedelta(minutes=10)


class SignInPages:
    """Signs people of one site in to its App."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._site = pages.site

    async def show(self, request: Request) -> Response:
        """What the App wants to know, with the button that tells it; who has pressed that once is
        led back at once.
        """
        query = request.query_params
        callback = query.get("redirect_uri", "")
        if query.get("client_id") != self._site.state.app.client_id or not callback:
            raise HTTPException(404)
        method = query.get("code_challenge_method")
        if query.get("code_challenge") and method != "S256":
            raise HTTPException(422, "code_challenge_method must be S256")
        asked = {name: query.get(name, "") for name in ("redirect_uri", "state", "code_challenge")}
        if self._viewer(request).id in self._site.tokens.authorized:
            return self._lead_back(request, asked)
        response = self._pages.render(
            request, "authorize_app.html", asked=asked, account=self._viewer(request)
        )
        return leading_to(response, callback)

    async def authorize(self, request: Request) -> Response:
        """Lead back with a code, or with the word that the person does not want to."""
        refuse_foreign(request)
        form = {name: str(value) for name, value in (await request.form()).items()}
        callback, state = form.get("redirect_uri", ""), form.get("state", "")
        if form.get("answer") != "yes":
            query = urlencode({"error": "access_denied", "state": state})
            return RedirectResponse(f"{callback}?{query}", _FOUND)
        self._site.tokens.authorized.add(self._viewer(request).id)
        return self._lead_back(request, form)

    def _lead_back(self, request: Request, asked: Mapping[str, str]) -> Response:
        """Back to the App, with a code for it."""
        code = secrets.token_hex(10)
        self._site.tokens.codes[code] = SignInCode(
            account=self._viewer(request),
            callback=asked["redirect_uri"],
            challenge=asked.get("code_challenge", ""),
            expires_at=self._site.clock() + _GOOD_FOR,
        )
        query = urlencode({"code": code, "state": asked.get("state", "")})
        return RedirectResponse(f"{asked['redirect_uri']}?{query}", _FOUND)

    async def give_token(self, request: Request) -> Response:
        """The token for a code. What is wrong is said under status 200, as GitHub does."""
        form = {name: str(value) for name, value in (await request.form()).items()}
        app, tokens = self._site.state.app, self._site.tokens
        given = (form.get("client_id"), form.get("client_secret"))
        if given != (app.client_id, app.client_secret):
            return _fault("incorrect_client_credentials")
        code = tokens.codes.pop(form.get("code", ""), None)
        if code is None or self._site.clock() >= code.expires_at:
            return _fault("bad_verification_code")
        if form.get("redirect_uri", code.callback) != code.callback:
            return _fault("redirect_uri_mismatch")
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if code.challenge and challenge != code.challenge:
            return _fault("bad_verification_code")
        token = tokens.issue_to(code.account)
        return JSONResponse({"access_token": token, "token_type": "bearer", "scope": ""})

    def _viewer(self, request: Request) -> Account:
        account = find_viewer(self._site, request.cookies.get(PERSON_COOKIE), None).account
        if account is None:
            raise HTTPException(403, "there is nobody to act as; add a person first")
        return account


def _fault(name: str) -> Response:
    return JSONResponse({"error": name, "error_description": name.replace("_", " ")})


def make_sign_in_routes(pages: SignInPages) -> list[Route]:
    """The addresses of GitHub's own."""
    authorize = "/login/oauth/authorize"
    return [
        Route(authorize, pages.show, methods=["GET"]),
        Route(authorize, pages.authorize, methods=["POST"]),
        Route("/login/oauth/access_token", pages.give_token, methods=["POST"]),
    ]
