"""What a REST endpoint is given: the call, with everything looked up and checked on demand.

An endpoint is a plain function from a `Call` to an `Answer`, listed in a table with the
permission it needs; it never touches sockets, credentials or faults.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from demo.github.answers import Answer, Problem, not_found
from demo.github.auth import Caller, InstallationToken
from demo.github.code_actions import CodeActions
from demo.github.comment_actions import CommentActions
from demo.github.issue_actions import IssueActions
from demo.github.shapes import Addresses
from demo.github.site import Site
from demo.github.state import Account, Comment, Issue, Release, Repository

_PER_PAGE = 30
_MOST_PER_PAGE = 100


@dataclass(frozen=True, kw_only=True)
class Call:
    """One authenticated request to one endpoint."""

    site: Site
    caller: Caller
    needs: str
    method: str
    path: str
    """Without the API's prefix."""
    params: Mapping[str, Any]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any = None
    raw: bytes = b""
    visible: dict[str, str] = field(default_factory=dict)

    @property
    def at(self) -> Addresses:
        return self.site.addresses

    @property
    def bot(self) -> Account:
        """The account that an installation acts as."""
        return self.site.state.app.bot

    @property
    def issues(self) -> IssueActions:
        return IssueActions(self.site)

    @property
    def comments(self) -> CommentActions:
        return CommentActions(self.site)

    @property
    def code(self) -> CodeActions:
        return CodeActions(self.site)

    @property
    def token(self) -> InstallationToken:
        """The installation token it was called with. Raises `Problem` 403 for another's."""
        if not isinstance(self.caller, InstallationToken):
            raise Problem(403)
        return self.caller

    def repository(self) -> Repository:
        """The repository in the path. Raises `Problem` 404 where the token cannot see it,
        403 where it may not do there what the endpoint needs.
        """
        found = self._named_repository()
        permission, _, access = self.needs.partition(":")
        covered = self.token.covers(found)
        if not covered and found.is_private:
            raise not_found()
        if not covered and access == "write":
            raise Problem(403)
        if covered and not self.token.allows(permission, "write" if access == "write" else "read"):
            raise Problem(
                403, headers={"x-accepted-github-permissions": self.needs.replace(":", "=")}
            )
        if found.is_archived and access == "write":
            raise Problem(403, "Repository was archived so is read-only.")
        return found

    def _named_repository(self) -> Repository:
        """By name or by id. Raises `Problem` 404, and 301 or 307 for a former name."""
        state = self.site.state
        if "repository_id" in self.params:
            wanted = self.params["repository_id"]
            found = next((r for r in state.repositories if r.id == wanted), None)
            if found is None:
                raise not_found()
            return found
        owner, name = self.params["owner"], self.params["repo"]
        if (found := state.find_repository(owner, name)) is not None:
            return found
        renamed = state.find_renamed(owner, name)
        if renamed is None:
            raise not_found()
        rest = self.path.removeprefix(f"/repos/{owner}/{name}")
        address = f"{self.at.api}/repositories/{renamed.id}{rest}"
        if self.query:
            address += f"?{urlencode(self.query)}"
        status = 301 if self.method == "GET" else 307
        words = "Moved Permanently" if status == 301 else "Temporary Redirect"
        raise Problem(status, words, headers={"location": address}, url=address)

    def issue(self, repository: Repository) -> Issue:
        """The issue in the path. Raises `Problem` 404, or 410 where it was deleted."""
        number = self.params["number"]
        if number in repository.deleted_issues:
            raise Problem(410)
        if number not in repository.issues:
            raise not_found()
        return repository.issues[number]

    def comment(self, repository: Repository) -> tuple[Issue, Comment]:
        """The comment in the path, with its issue. Raises `Problem` 404."""
        found = repository.find_comment(self.params["comment"])
        if found is None:
            raise not_found()
        return found

    def release(self, repository: Repository) -> Release:
        """The release in the path, by id. Raises `Problem` 404."""
        wanted = self.params["release"]
        found = next((r for r in repository.releases if r.id == wanted), None)
        if found is None:
            raise not_found()
        return found

    def text(self, name: str, default: str | None = None) -> str:
        """A text field of the body. Raises `Problem` 422 where it is missing or no text."""
        value = self.fields().get(name, default)
        if value is None:
            raise Problem(422, f'Invalid request.\n\n"{name}" wasn\'t supplied.')
        if not isinstance(value, str):
            raise Problem(422, f"Invalid request.\n\nFor '{name}', {value!r} is not a string.")
        return value

    def fields(self) -> Mapping[str, Any]:
        """The body as an object. Raises `Problem` 400 for anything else."""
        if self.body is None:
            return {}
        if not isinstance(self.body, dict):
            raise Problem(400, "Body should be a JSON object")
        return self.body

    def label_names(self) -> list[str]:
        """Label names of a body: a list, an object with `labels`, or objects with `name`."""
        rows = self.body.get("labels", []) if isinstance(self.body, dict) else self.body or []
        if isinstance(rows, str):
            rows = [rows]
        names = [row.get("name") if isinstance(row, dict) else row for row in rows]
        if not all(isinstance(name, str) for name in names):
            raise Problem(422, "Invalid request.\n\nFor 'labels', each item must be a name.")
        return [str(name) for name in names]

    def wants(self, media_type: str) -> bool:
        """Whether the caller accepts a media type of GitHub's own (`raw`, `sha`)."""
        accepted = self.headers.get("accept", "")
        return f"vnd.github.{media_type}" in accepted or f"vnd.github.v3.{media_type}" in accepted


def make_page(call: Call, items: Sequence[Any], shape: Callable[[Any], Any]) -> Answer:
    """One page of a list with GitHub's `Link` header (at most 100 to a page)."""
    per_page = _number(call.query.get("per_page"), _PER_PAGE, most=_MOST_PER_PAGE)
    page = _number(call.query.get("page"), 1, most=10**6)
    last = max(1, math.ceil(len(items) / per_page))
    links = []
    for relation, number in (("prev", page - 1), ("next", page + 1), ("last", last), ("first", 1)):
        is_before = relation in {"prev", "first"}
        if (page > 1) if is_before else (page < last):
            query = urlencode({**call.query, "per_page": per_page, "page": number})
            links.append(f'<{call.at.api}{call.path}?{query}>; rel="{relation}"')
    chosen = items[(page - 1) * per_page : page * per_page]
    headers = {"link": ", ".join(links)} if links else {}
    return Answer(200, [shape(item) for item in chosen], headers)


def _number(text: str | None, default: int, *, most: int) -> int:
    if text is None or not text.isdecimal() or int(text) < 1:
        return default
    return min(int(text), most)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A row of the routes table.

    `path` has `{name}` for a segment, `{name:int}` for a number and `{name:path}` for
    anything with slashes. `needs` is `app` for the App's JWT, `any` for any installation
    token, `person` for somebody who has signed in, `nobody` for whoever calls, else a
    permission and its access (`issues:write`).
    """

    method: str
    path: str
    run: Callable[[Call], Answer]
    needs: str
