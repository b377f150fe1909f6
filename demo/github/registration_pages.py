"""The pages on which an App is registered from a manifest, and then installed.

The first is posted to from another site, as on GitHub; what changes anything is a form of the
page itself. Both lead back to addresses that the manifest names, and say so in their policy.
"""

from urllib.parse import urlencode, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from demo.github.installation_actions import InstallationActions
from demo.github.page_views import find_viewer
from demo.github.pages import PERSON_COOKIE, Pages
from demo.github.registration import BadManifest, read_manifest, register
from demo.github.state import Account

_FOUND = 302


class RegistrationPages:
    """Registers and installs the App of one site."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._site = pages.site

    async def show_manifest(self, request: Request) -> Response:
        """What a manifest asks for, with the button that makes the App."""
        form = await request.form()
        text = str(form.get("manifest", ""))
        owner = self._owner(request)
        try:
            manifest = read_manifest(text)
        except BadManifest as bad:
            raise HTTPException(422, str(bad)) from bad
        response = self._pages.render(
            request,
            "register_app.html",
            manifest=manifest,
            text=text,
            owner=owner,
            state=request.query_params.get("state", ""),
        )
        return leading_to(response, str(manifest["redirect_url"]))

    async def create(self, request: Request) -> Response:
        """Make the App, and lead back with a code."""
        form = await self._own_form(request)
        manifest = read_manifest(form.get("manifest", ""))
        owner = self._site.account(form.get("owner", ""))
        name = form.get("name", "").strip() or str(manifest.get("name", "app"))
        code = register(self._site, manifest, name, owner)
        query = {"code": code} | ({"state": form["state"]} if form.get("state") else {})
        return RedirectResponse(f"{manifest['redirect_url']}?{urlencode(query)}", _FOUND)

    async def show_installation(self, request: Request) -> Response:
        """The accounts that the App can be installed on."""
        app = self._site.state.app
        if request.path_params["slug"] != app.slug:
            raise HTTPException(404)
        owners = {one.owner.login: one.owner for one in self._site.state.repositories}
        response = self._pages.render(request, "install_app.html", owners=list(owners.values()))
        return leading_to(response, self._site.setup_url)

    async def install(self, request: Request) -> Response:
        """Install the App on an account, and lead to the App's own page."""
        form = await self._own_form(request)
        account = self._site.account(form.get("account", ""))
        installed = InstallationActions(self._site).install(account, self._viewer(request))
        query = urlencode({"installation_id": installed.id, "setup_action": "install"})
        return RedirectResponse(
            f"{self._site.setup_url}?{query}" if self._site.setup_url else "/", _FOUND
        )

    def _owner(self, request: Request) -> Account:
        if "organization" not in request.path_params:
            return self._viewer(request)
        found = self._site.state.find_account(request.path_params["organization"])
        if found is None or found.kind != "Organization":
            raise HTTPException(404)
        return found

    def _viewer(self, request: Request) -> Account:
        account = find_viewer(self._site, request.cookies.get(PERSON_COOKIE), None).account
        if account is None:
            raise HTTPException(403, "there is nobody to act as; add a person first")
        return account

    async def _own_form(self, request: Request) -> dict[str, str]:
        if request.headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
            raise HTTPException(403)
        return {name: str(value) for name, value in (await request.form()).items()}


def leading_to(response: Response, url: str) -> Response:
    """The page's forms may end in a redirect to this address."""
    parts = urlsplit(url)
    if parts.netloc:
        policy = response.headers["content-security-policy"]
        there = f"form-action 'self' {parts.scheme}://{parts.netloc}"
        response.headers["content-security-policy"] = policy.replace("form-action 'self'", there)
    return response


def make_registration_routes(pages: RegistrationPages) -> list[Route]:
    """The addresses of GitHub's own."""
    install = "/apps/{slug}/installations/new"
    return [
        Route("/settings/apps/new", pages.show_manifest, methods=["POST"]),
        Route(
            "/organizations/{organization}/settings/apps/new",
            pages.show_manifest,
            methods=["POST"],
        ),
        Route("/settings/apps/manifest", pages.create, methods=["POST"]),
        Route(install, pages.show_installation, methods=["GET"]),
        Route(install, pages.install, methods=["POST"]),
    ]
