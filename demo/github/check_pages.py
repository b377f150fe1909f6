"""The page of a check run, with its annotations and the buttons that people press."""

import hashlib

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from demo.github.answers import Problem
from demo.github.check_actions import CheckActions
from demo.github.downloads import find_repository
from demo.github.page_views import find_viewer, render_body
from demo.github.pages import PERSON_COOKIE, Pages, refuse_foreign
from demo.github.records import Check
from demo.github.state import Repository

_SEE_OTHER = 303


class CheckPages:
    """Shows the check runs of one site."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._site = pages.site

    async def check(self, request: Request) -> Response:
        return self._render(request, "check_page.html")

    async def live(self, request: Request) -> Response:
        """The part of the page that moves; 304 while it does not."""
        response = self._render(request, "check_live.html")
        tag = f'"{hashlib.sha256(bytes(response.body)).hexdigest()[:32]}"'
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers={"etag": tag})
        response.headers["etag"] = tag
        return response

    async def press(self, request: Request) -> Response:
        """Press one of the buttons, or ask for all of it again; for who may push."""
        refuse_foreign(request)
        form = await request.form()
        repository, check = self._place(request)
        viewer = find_viewer(self._site, request.cookies.get(PERSON_COOKIE), repository)
        if viewer.account is None or not viewer.may_push:
            raise HTTPException(403)
        actions = CheckActions(self._site)
        if "again" in form:
            actions.rerequest(repository, check, viewer.account)
        else:
            try:
                actions.press(repository, check, viewer.account, str(form.get("press", "")))
            except Problem as problem:
                raise HTTPException(problem.status) from problem
        back = f"/{repository.full_name}/runs/{check.id}"
        return RedirectResponse(back, _SEE_OTHER)

    def _render(self, request: Request, template: str) -> HTMLResponse:
        repository, check = self._place(request)
        return self._pages.render(
            request,
            template,
            repository=repository,
            check=check,
            summary=render_body(repository, check.summary or ""),
            text=render_body(repository, check.text or ""),
            tab="code",
        )

    def _place(self, request: Request) -> tuple[Repository, Check]:
        repository = find_repository(self._site, request)
        wanted = request.path_params["check"]
        found = next((check for check in repository.checks if check.id == wanted), None)
        if found is None:
            raise HTTPException(404)
        return repository, found


def make_check_routes(pages: Pages) -> list[Route]:
    """The addresses of the pages of check runs, and of their buttons."""
    checks = CheckPages(pages)
    page = "/{owner}/{repo}/runs/{check:int}"
    return [
        Route(page, checks.check, methods=["GET"]),
        Route(page + "/live", checks.live, methods=["GET"]),
        Route(page, checks.press, methods=["POST"]),
    ]
