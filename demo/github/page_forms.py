"""The pages' forms: each acts as the chosen person and leads back to the page.

A form checks what GitHub would let that person do. A post from a page of another origin is
refused, since a browser would send this site's cookie along with it.
"""

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from demo.github.answers import Problem
from demo.github.comment_actions import CommentActions
from demo.github.downloads import find_repository
from demo.github.issue_actions import IssueActions, IssueDraft
from demo.github.page_views import Viewer, find_viewer
from demo.github.pages import PERSON_COOKIE, Pages, find_issue, refuse_foreign
from demo.github.pull_actions import PullActions
from demo.github.state import Account, Issue, Repository

_SEE_OTHER = 303


def _word(problem: Problem) -> str:
    messages = [str(error.get("message") or "") for error in problem.errors]
    return "; ".join(filter(None, messages)) or problem.message


class PageForms:
    """Carries out what the forms of one site's pages ask."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._site = pages.site
        self._issues = IssueActions(self._site)
        self._comments = CommentActions(self._site)

    async def choose_person(self, request: Request) -> Response:
        form = await self._form(request)
        account = self._site.state.find_account(str(form.get("login", "")))
        if account is None or account.kind != "User":
            raise HTTPException(404)
        back = urlsplit(str(form.get("back", "/")))
        response = RedirectResponse(back.path or "/", _SEE_OTHER)
        # lax, so that whoever comes from an App to sign in is the same person still
        response.set_cookie(PERSON_COOKIE, account.login, httponly=True, samesite="lax")
        return response

    async def open_issue(self, request: Request) -> Response:
        form = await self._form(request)
        repository = find_repository(self._site, request)
        account = self._account(request, repository)
        title, body = str(form.get("title", "")), str(form.get("body", ""))
        try:
            issue = self._issues.open(repository, account, IssueDraft(title=title, body=body))
        except Problem as problem:
            return self._pages.render(
                request,
                "new_issue.html",
                status=422,
                repository=repository,
                title=title,
                body=body,
                problem=_word(problem),
                tab="issues",
            )
        return _back(repository, issue)

    async def comment(self, request: Request) -> Response:
        """Comment, and close or reopen where that button was pressed."""
        form = await self._form(request)
        repository, issue, account = self._place(request)
        body = str(form.get("body", ""))
        toggles = "toggle" in form
        try:
            if body.strip() or not toggles:
                self._comments.write(repository, issue, account, body)
        except Problem as problem:
            response = self._pages.render_issue(
                request, "issue.html", problem=_word(problem), draft=body
            )
            response.status_code = 422
            return response
        if toggles and (self._viewer(request, repository).may_label or account is issue.author):
            self._issues.set_open(repository, issue, account, is_open=not issue.is_open)
        return _back(repository, issue, f"#issuecomment-{issue.comments[-1].id}" if body else "")

    async def label(self, request: Request) -> Response:
        """Put a label on or take it off."""
        form = await self._form(request)
        repository, issue, account = self._place(request)
        if not self._viewer(request, repository).may_label:
            raise HTTPException(403)
        name = str(form.get("name", "")).strip()
        try:
            if issue.find_label(name):
                self._issues.remove_labels(repository, issue, account, [name])
            elif name:
                self._issues.add_labels(repository, issue, account, [name])
        except Problem as problem:
            raise HTTPException(422, _word(problem)) from problem
        return _back(repository, issue)

    async def merge(self, request: Request) -> Response:
        """Merge a pull request into its base branch."""
        await self._form(request)
        repository, issue, account = self._place(request)
        if issue.number not in repository.pulls:
            raise HTTPException(404)
        if not self._viewer(request, repository).may_push:
            raise HTTPException(403)
        try:
            PullActions(self._site).merge(repository, issue, account)
        except Problem as problem:
            raise HTTPException(problem.status, _word(problem)) from problem
        return _back(repository, issue)

    async def edit(self, request: Request) -> Response:
        """Change the issue's own text or a comment; only its author's own."""
        form = await self._form(request)
        repository, issue, account = self._place(request)
        body = str(form.get("body", ""))
        comment_id = str(form.get("comment", ""))
        chosen = next((c for c in issue.comments if str(c.id) == comment_id), None)
        if (chosen.author if chosen else issue.author) is not account or (
            comment_id and chosen is None
        ):
            raise HTTPException(403)
        try:
            if chosen:
                self._comments.edit(repository, issue, chosen, account, body)
            else:
                self._issues.edit(repository, issue, account, body=body)
        except Problem as problem:
            raise HTTPException(422, _word(problem)) from problem
        return _back(repository, issue, f"#issuecomment-{chosen.id}" if chosen else "")

    async def react(self, request: Request) -> Response:
        """Put an emoji or take it back."""
        form = await self._form(request)
        repository, issue, account = self._place(request)
        content = str(form.get("content", ""))
        comment_id = str(form.get("comment", ""))
        chosen = next((c for c in issue.comments if str(c.id) == comment_id), None)
        reactions = chosen.reactions if chosen else issue.reactions
        if any(r.account is account and r.content == content for r in reactions):
            self._comments.take_back(reactions, account, [content])
        else:
            try:
                self._comments.react(reactions, account, content)
            except Problem as problem:
                raise HTTPException(422, _word(problem)) from problem
        return _back(repository, issue, f"#issuecomment-{chosen.id}" if chosen else "")

    async def _form(self, request: Request) -> FormData:
        refuse_foreign(request)
        return await request.form()

    def _viewer(self, request: Request, repository: Repository) -> Viewer:
        return find_viewer(self._site, request.cookies.get(PERSON_COOKIE), repository)

    def _account(self, request: Request, repository: Repository) -> Account:
        account = self._viewer(request, repository).account
        if account is None:
            raise HTTPException(403, "there is nobody to act as; add a person first")
        return account

    def _place(self, request: Request) -> tuple[Repository, Issue, Account]:
        repository = find_repository(self._site, request)
        return repository, find_issue(repository, request), self._account(request, repository)


def _back(repository: Repository, issue: Issue, anchor: str = "") -> Response:
    kind = "pull" if issue.is_pull_request else "issues"
    return RedirectResponse(f"/{repository.full_name}/{kind}/{issue.number}{anchor}", _SEE_OTHER)


def make_form_routes(forms: PageForms) -> list[Route]:
    """The addresses that forms post to."""
    issue = "/{owner}/{repo}/issues/{number:int}"
    rows: list[tuple[str, Callable[[Request], Awaitable[Response]]]] = [
        ("/_person", forms.choose_person),
        ("/{owner}/{repo}/issues/new", forms.open_issue),
        (issue + "/comments", forms.comment),
        (issue + "/labels", forms.label),
        (issue + "/edit", forms.edit),
        (issue + "/reactions", forms.react),
        ("/{owner}/{repo}/pull/{number:int}/merge", forms.merge),
    ]
    return [Route(path, endpoint, methods=["POST"]) for path, endpoint in rows]
