"""The pages a person sees: repositories, issues, files and releases, as GitHub lays them out.

Pages read; what a form changes goes through `page_forms`. Nothing on a page comes from
another host, and the policy header holds the browser to that.
"""

import hashlib
from collections.abc import Awaitable, Callable
from datetime import UTC
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from demo.github.diffs import FileDiff, find_diffs
from demo.github.downloads import find_repository
from demo.github.page_views import (
    EMOJI,
    find_checks,
    find_issue_template,
    find_viewer,
    list_folder,
    make_timeline,
    render_body,
)
from demo.github.records import Label
from demo.github.site import Site
from demo.github.state import Issue, Pull, Repository

PERSON_COOKIE = "local_github_person"
_POLICY = (
    "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_LARGEST_SHOWN = 500_000
"""Bytes of a file that its page still shows."""


def render_label_style(label: Label) -> str:
    """Colours of a label with text that can be read on it."""
    red, green, blue = (int(label.color[at : at + 2], 16) for at in (0, 2, 4))
    lightness = (red * 0.2126 + green * 0.7152 + blue * 0.0722) / 255
    ink = "#1f2328" if lightness > 0.55 else "#ffffff"
    return f"--label:#{label.color};--label-ink:{ink}"


@lru_cache(maxsize=1)
def _environment() -> Environment:
    """The templates, compiled once in a process."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["label_style"] = render_label_style
    environment.filters["iso"] = lambda at: at.astimezone(UTC).isoformat()
    return environment


class Pages:
    """Renders the pages of one site."""

    def __init__(self, site: Site) -> None:
        self.site = site

    def render(
        self, request: Request, template: str, *, status: int = 200, **values: Any
    ) -> HTMLResponse:
        """A page; every template knows the site, the viewer and the time."""
        repository = values.setdefault("repository", None)
        viewer = find_viewer(self.site, request.cookies.get(PERSON_COOKIE), repository)
        people = [a for a in self.site.state.accounts.values() if a.kind == "User"]
        html = (
            _environment()
            .get_template(template)
            .render(
                viewer=viewer,
                people=people,
                app=self.site.state.app,
                now=self.site.clock(),
                here=request.url.path,
                emoji=EMOJI,
                **values,
            )
        )
        headers = {"content-security-policy": _POLICY, "x-content-type-options": "nosniff"}
        return HTMLResponse(html, status, headers)

    def render_issue(self, request: Request, template: str, **values: Any) -> HTMLResponse:
        """An issue's page, or the living part of it."""
        repository = find_repository(self.site, request)
        issue = find_issue(repository, request)
        viewer = find_viewer(self.site, request.cookies.get(PERSON_COOKIE), repository)
        pull = repository.pulls.get(issue.number)
        participants = {
            account.login: account
            for account in (issue.author, *(comment.author for comment in issue.comments))
        }
        return self.render(
            request,
            template,
            repository=repository,
            issue=issue,
            timeline=make_timeline(repository, issue, viewer),
            pull=pull,
            diffs=_diffs_of(repository, pull) if pull else [],
            checks=find_checks(repository, pull.head_commit) if pull else [],
            participants=list(participants.values()),
            tab="issues",
            **values,
        )

    async def index(self, request: Request) -> Response:
        return self.render(request, "index.html", repositories=self.site.state.repositories)

    async def issues(self, request: Request) -> Response:
        repository = find_repository(self.site, request)
        is_open = request.query_params.get("state", "open") != "closed"
        label = request.query_params.get("label", "")
        every = sorted(repository.issues.values(), key=lambda issue: -issue.number)
        shown = [
            issue
            for issue in every
            if issue.is_open == is_open and (not label or issue.find_label(label))
        ]
        return self.render(
            request,
            "issues.html",
            repository=repository,
            issues=shown,
            is_open=is_open,
            label=label,
            counts={state: sum(i.is_open == state for i in every) for state in (True, False)},
            tab="issues",
        )

    async def new_issue(self, request: Request) -> Response:
        repository = find_repository(self.site, request)
        return self.render(
            request,
            "new_issue.html",
            repository=repository,
            title="",
            body=find_issue_template(repository),
            problem="",
            tab="issues",
        )

    async def issue(self, request: Request) -> Response:
        return self.render_issue(request, "issue.html", problem="", draft="")

    async def live(self, request: Request) -> Response:
        """The part of an issue's page that moves; 304 while it does not."""
        response = self.render_issue(request, "issue_live.html")
        tag = f'"{hashlib.sha256(bytes(response.body)).hexdigest()[:32]}"'
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers={"etag": tag})
        response.headers["etag"] = tag
        return response

    async def tree(self, request: Request) -> Response:
        """A folder with its README, or a file's text."""
        repository = find_repository(self.site, request)
        ref = request.path_params.get("ref", repository.default_branch)
        path = str(request.path_params.get("path", "")).strip("/")
        commit = repository.find_commit(ref)
        values: dict[str, Any] = {"repository": repository, "ref": ref, "path": path, "tab": "code"}
        if commit is None:
            if "ref" in request.path_params:
                raise HTTPException(404)
            return self.render(request, "tree.html", **values, commit=None, rows=[], readme="")
        if path in commit.entries:
            content = commit.entries[path].content
            text = "" if b"\0" in content else content[:_LARGEST_SHOWN].decode(errors="replace")
            return self.render(
                request, "blob.html", **values, commit=commit, text=text, size=len(content)
            )
        if path not in commit.folders:
            raise HTTPException(404)
        rows = list_folder(commit, path)
        names = {row.name.lower(): row.path for row in rows if row.kind == "file"}
        found = names.get("readme.md")
        text = commit.entries[found].content.decode(errors="replace") if found else ""
        return self.render(
            request,
            "tree.html",
            **values,
            commit=commit,
            rows=rows,
            readme=render_body(repository, text, is_file=True),
        )

    async def commit(self, request: Request) -> Response:
        """What a commit changed, and what was said of it."""
        repository = find_repository(self.site, request)
        commit = repository.find_commit(request.path_params["sha"])
        if commit is None:
            raise HTTPException(404)
        parent = repository.commits.get(commit.parents[0]) if commit.parents else None
        return self.render(
            request,
            "commit.html",
            repository=repository,
            commit=commit,
            diffs=find_diffs(parent, commit),
            checks=find_checks(repository, commit.sha),
            comments=[
                (comment, render_body(repository, comment.body))
                for comment in repository.commit_comments
                if comment.commit == commit.sha
            ],
            tab="code",
        )

    async def releases(self, request: Request) -> Response:
        repository = find_repository(self.site, request)
        tag = request.path_params.get("tag")
        shown = [r for r in repository.releases[::-1] if tag in {None, r.tag}]
        if tag is not None and not shown:
            raise HTTPException(404)
        bodies = {release.id: render_body(repository, release.body) for release in shown}
        return self.render(
            request,
            "releases.html",
            repository=repository,
            releases=shown,
            bodies=bodies,
            tab="releases",
        )

    async def account(self, request: Request) -> Response:
        login = request.path_params.get("login") or f"{request.path_params['slug']}[bot]"
        account = self.site.state.find_account(login)
        if account is None:
            raise HTTPException(404)
        owned = [r for r in self.site.state.repositories if r.owner is account]
        return self.render(request, "account.html", account=account, repositories=owned)

    async def not_found(self, request: Request, _error: Exception) -> Response:
        """The page for addresses that lead nowhere."""
        return self.render(request, "not_found.html", status=404)


def _diffs_of(repository: Repository, pull: Pull) -> list[FileDiff]:
    before, after = (repository.commits[sha] for sha in (pull.base_commit, pull.head_commit))
    return find_diffs(before, after)


def find_issue(repository: Repository, request: Request) -> Issue:
    """The issue of a page's address. Raises `HTTPException` 404."""
    issue = repository.issues.get(request.path_params["number"])
    if issue is None:
        raise HTTPException(404)
    return issue


def refuse_foreign(request: Request) -> None:
    """Raise `HTTPException` 403 for a form that another site's page has sent."""
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.url.netloc:
        raise HTTPException(403)
    if request.headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        raise HTTPException(403)


def make_page_routes(pages: Pages) -> list[Route]:
    """The addresses of the pages, GitHub's own."""
    rows: list[tuple[str, Callable[[Request], Awaitable[Response]]]] = [
        ("/", pages.index),
        ("/apps/{slug}", pages.account),
        ("/{login}", pages.account),
        ("/{owner}/{repo}", pages.tree),
        ("/{owner}/{repo}/tree/{ref}", pages.tree),
        ("/{owner}/{repo}/tree/{ref}/{path:path}", pages.tree),
        ("/{owner}/{repo}/blob/{ref}/{path:path}", pages.tree),
        ("/{owner}/{repo}/commit/{sha}", pages.commit),
        ("/{owner}/{repo}/issues", pages.issues),
        ("/{owner}/{repo}/issues/new", pages.new_issue),
        ("/{owner}/{repo}/issues/{number:int}", pages.issue),
        ("/{owner}/{repo}/pull/{number:int}", pages.issue),
        ("/{owner}/{repo}/issues/{number:int}/live", pages.live),
        ("/{owner}/{repo}/releases", pages.releases),
        ("/{owner}/{repo}/releases/tag/{tag:path}", pages.releases),
    ]
    return [Route(path, endpoint, methods=["GET"]) for path, endpoint in rows]
