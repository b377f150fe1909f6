"""The web application of a bot without an App: it offers `/setup`, and nothing else.

The way through it: the token of the log, then what the App shall be called and whose it is,
then GitHub's own page, from which the browser comes back with a code. What GitHub gives for
that is stored, and the bot goes on as if it had always been there.
"""

import asyncio
from pathlib import Path
from urllib.parse import urlsplit

import structlog
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from bot.forms import read_form
from bot.github.identity import NEEDED_EVENTS, NEEDED_PERMISSIONS
from bot.setup.conversion import LOOPBACK, convert, install_url
from bot.setup.credentials import store
from bot.setup.gate import Gate
from bot.setup.manifest import Wish, is_web_address, make_manifest, registration_url
from bot.setup.pages import render
from config.settings import Settings
from jobs.errors import Error

COOKIE = "skillbench_setup"
LARGEST_FORM = 16 * 1024
NOT_YET = "No GitHub App is set up; open /setup."
NAME = "skillbench"
SEE_OTHER = 303

log = structlog.get_logger(__name__)


class Setup:
    """The pages over one gate; `done` is set once credentials are stored."""

    def __init__(self, settings: Settings, gate: Gate) -> None:
        self._settings = settings
        self._web_url = settings.github_web_url
        self._gate = gate
        self._converting = asyncio.Lock()
        self.done = asyncio.Event()

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/", self.lead, methods=["GET"]),
                Route("/setup", self.show, methods=["GET"]),
                Route("/setup", self.prove, methods=["POST"]),
                Route("/setup/app", self.choose, methods=["POST"]),
                Route("/setup/callback", self.come_back, methods=["GET"]),
                Route("/healthz", self.healthz),
                Route("/readyz", self.not_yet),
                Route("/webhook", self.not_yet, methods=["POST"]),
            ]
        )

    async def lead(self, _: Request) -> Response:
        return RedirectResponse("/setup", SEE_OTHER)

    async def healthz(self, _: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def not_yet(self, _: Request) -> Response:
        return JSONResponse({"ready": False, "reason": NOT_YET}, status_code=503)

    async def show(self, request: Request) -> Response:
        """The form for the token, or the one for the App once it was given."""
        if self._is_open(request):
            return self._form(request, Wish(name=NAME, organization="", webhook_url=""))
        self._gate.ensure_token()
        return self._ask_for_token()

    async def prove(self, request: Request) -> Response:
        """Take the token of the log."""
        session = self._gate.redeem((await read_form(request, LARGEST_FORM)).get("token", ""))
        if session is None:
            log.warning("setup_token_refused")
            self._gate.ensure_token()
            return self._ask_for_token("This is not the token that the log printed last.", 403)
        response = RedirectResponse("/setup", SEE_OTHER)
        response.set_cookie(
            COOKIE,
            session,
            path="/setup",
            httponly=True,
            secure=request.url.scheme == "https",
            samesite="lax",  # GitHub leads back here from its own pages
        )
        return response

    async def choose(self, request: Request) -> Response:
        """Show what will be registered, with the button that posts it to GitHub."""
        form = await read_form(request, LARGEST_FORM)
        if not self._is_open(request) or not self._gate.bears_key(form.get("key", "")):
            return self._ask_for_token("The session has ended; prove it once more.", 403)
        wish = Wish(
            name=form.get("name", "").strip(),
            organization=form.get("organization", "").strip(),
            webhook_url=form.get("webhook_url", "").strip(),
        )
        if problems := wish.problems():
            return self._form(request, wish, problems)
        base = _base(request)
        return render(
            "review.html",
            web_url=self._web_url,
            step=2,
            wish=wish,
            manifest=make_manifest(wish, base=base, public_url=self._settings.public_url),
            action=registration_url(self._web_url, wish, self._gate.make_state()),
            permissions=NEEDED_PERMISSIONS,
            events=NEEDED_EVENTS,
        )

    async def come_back(self, request: Request) -> Response:
        """GitHub has registered the App: take its credentials, and lead to its installation."""
        async with self._converting:
            if not self._is_open(request):
                return self._ask_for_token("The session has ended; prove it once more.", 403)
            if not self._gate.take_state(request.query_params.get("state", "")):
                return self._failed("This is not the registration that was begun here last.", 403)
            try:
                credentials = await convert(request.query_params.get("code", ""), self._settings)
                place = await asyncio.to_thread(store, credentials, self._settings.data_dir)
            except (Error, OSError) as problem:
                log.warning("setup_failed", problem=str(problem))
                return self._failed(str(problem), 502)
        log.info("setup_done", app_id=credentials.id, slug=credentials.slug, file=str(place))
        self.done.set()
        return render(
            "done.html",
            web_url=self._web_url,
            step=3,
            slug=credentials.slug,
            install=install_url(credentials, self._settings),
            place=Path(place),
            has_hook=bool(self._settings.public_url),
        )

    def _is_open(self, request: Request) -> bool:
        return self._gate.is_open(request.cookies.get(COOKIE, ""))

    def _ask_for_token(self, problem: str = "", status: int = 200) -> Response:
        return render("token.html", web_url=self._web_url, step=0, problem=problem, status=status)

    def _failed(self, problem: str, status: int) -> Response:
        return render("failed.html", web_url=self._web_url, step=2, problem=problem, status=status)

    def _form(self, request: Request, wish: Wish, problems: list[str] | None = None) -> Response:
        webhook_url = wish.webhook_url or self._find_webhook_url(request)
        return render(
            "form.html",
            web_url=self._web_url,
            step=1,
            wish=wish,
            webhook_url=webhook_url,
            key=self._gate.form_key,
            problems=problems or [],
            status=422 if problems else 200,
        )

    def _find_webhook_url(self, request: Request) -> str:
        """Where GitHub may reach this server; empty where it certainly cannot."""
        if self._settings.public_url:
            return f"{self._settings.public_url}/webhook"
        base = _base(request)
        is_here = urlsplit(base).hostname in LOOPBACK
        return "" if is_here and not self._is_local_github() else f"{base}/webhook"

    def _is_local_github(self) -> bool:
        return urlsplit(self._web_url).hostname in LOOPBACK


def _base(request: Request) -> str:
    """How the browser reaches this server: by the origin that it names, else by the address."""
    origin = request.headers.get("origin", "")
    return origin if is_web_address(origin) else str(request.base_url).rstrip("/")
