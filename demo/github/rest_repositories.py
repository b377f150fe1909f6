"""REST: repositories, their commits, trees, files and tarballs, and who may do what."""

import secrets
from datetime import timedelta

from demo.github.answers import Answer, Problem, not_found
from demo.github.commits import Commit
from demo.github.rest_call import Call, Endpoint, make_page
from demo.github.shapes import Json
from demo.github.shapes_code import (
    collaborator_shape,
    commit_shape,
    content_shape,
    file_shape,
    repository_shape,
    tree_shape,
)
from demo.github.state import Repository

_DOWNLOAD_LIFETIME = timedelta(minutes=5)


def _get_repository(call: Call) -> Answer:
    return Answer(200, repository_shape(call.at, call.repository()))


def _commit(repository: Repository, ref: str) -> Commit:
    if repository.head is None:
        raise Problem(409, "Git Repository is empty.")
    commit = repository.find_commit(ref)
    if commit is None:
        raise Problem(422, f"No commit found for SHA: {ref}")
    return commit


def _get_commit(call: Call) -> Answer:
    repository = call.repository()
    commit = _commit(repository, call.params["ref"])
    if call.wants("sha"):
        kind = "application/vnd.github.sha; charset=utf-8"
        return Answer(200, raw=commit.sha.encode(), media_type=kind)
    return Answer(200, commit_shape(call.at, repository, commit))


def _list_commits(call: Call) -> Answer:
    """A commit and those before it, the newest first; with a path, those that changed it."""
    repository = call.repository()
    commit: Commit | None = _commit(repository, call.query.get("sha") or repository.default_branch)
    path = call.query.get("path", "").strip("/")
    found: list[Commit] = []
    while commit is not None:
        parent = repository.commits.get(commit.parents[0]) if commit.parents else None
        changed = [name for names in commit.changed_since(parent).values() for name in names]
        if not path or any(name == path or name.startswith(f"{path}/") for name in changed):
            found.append(commit)
        commit = parent
    return make_page(call, found, lambda one: _listed_commit(call, repository, one))


def _listed_commit(call: Call, repository: Repository, commit: Commit) -> Json:
    """A commit in a listing, which tells no files."""
    shape = commit_shape(call.at, repository, commit)
    return {name: value for name, value in shape.items() if name not in {"stats", "files"}}


def _get_branch(call: Call) -> Answer:
    repository = call.repository()
    name = call.params["branch"]
    if name not in repository.branches:
        raise Problem(404, "Branch not found")
    commit = repository.commits[repository.branches[name]]
    url = f"{call.at.repository(repository)}/branches/{name}"
    shape: Json = {
        "name": name,
        "commit": commit_shape(call.at, repository, commit),
        "_links": {"self": url, "html": call.at.page(repository, "tree", name)},
        "protected": False,
        "protection": {"enabled": False},
        "protection_url": f"{url}/protection",
    }
    return Answer(200, shape)


def _get_tree(call: Call) -> Answer:
    repository = call.repository()
    wanted = call.params["tree"]
    if repository.head is None:
        raise Problem(409, "Git Repository is empty.")
    recursive = "recursive" in call.query
    if commit := repository.find_commit(wanted):
        return Answer(200, tree_shape(call.at, repository, commit, "", recursive=recursive))
    for commit in repository.commits.values():
        for folder, sha in commit.folders.items():
            if sha == wanted:
                shape = tree_shape(call.at, repository, commit, folder, recursive=recursive)
                return Answer(200, shape)
    raise not_found()


def _get_tarball(call: Call) -> Answer:
    """A redirect, as GitHub gives it; the address holds a secret of five minutes' life."""
    repository = call.repository()
    ref = call.params.get("ref") or repository.default_branch
    address = f"{call.at.web}/_codeload/{repository.full_name}/legacy.tar.gz/{ref}"
    if repository.is_private:
        secret = secrets.token_urlsafe(24)
        until = call.site.clock() + _DOWNLOAD_LIFETIME
        call.site.download_tokens[secret] = (repository.full_name, until)
        address += f"?token={secret}"
    return Answer(302, headers={"location": address})


def _get_contents(call: Call) -> Answer:
    repository = call.repository()
    commit = repository.find_commit(call.query.get("ref") or repository.default_branch)
    if commit is None:
        raise Problem(404, "No commit found for the ref")
    path = str(call.params.get("path", "")).strip("/")
    if path in commit.folders:
        prefix = f"{path}/" if path else ""
        below = [
            name
            for name in sorted([*commit.folders, *commit.entries])
            if name.startswith(prefix) and name != path and "/" not in name.removeprefix(prefix)
        ]
        return Answer(
            200, [content_shape(call.at, repository, commit, name) for name in below if name]
        )
    if path not in commit.entries:
        raise not_found()
    if call.wants("raw"):
        content = commit.entries[path].content
        return Answer(200, raw=content, media_type="application/vnd.github.raw; charset=utf-8")
    return Answer(200, file_shape(call.at, repository, commit, path))


def _get_permission(call: Call) -> Answer:
    repository = call.repository()
    login = call.params["login"]
    account = call.site.state.find_account(login)
    if account is None:
        raise not_found()
    if account.kind != "User":
        raise Problem(404, f"{login} is not a user")
    return Answer(200, collaborator_shape(call.at, repository, account))


_REPOSITORY = "/repos/{owner}/{repo}"

ENDPOINTS = (
    Endpoint("GET", _REPOSITORY, _get_repository, "metadata:read"),
    Endpoint("GET", _REPOSITORY + "/commits", _list_commits, "contents:read"),
    Endpoint("GET", _REPOSITORY + "/commits/{ref:path}", _get_commit, "contents:read"),
    Endpoint("GET", _REPOSITORY + "/branches/{branch:path}", _get_branch, "contents:read"),
    Endpoint("GET", _REPOSITORY + "/git/trees/{tree:path}", _get_tree, "contents:read"),
    Endpoint("GET", _REPOSITORY + "/tarball", _get_tarball, "contents:read"),
    Endpoint("GET", _REPOSITORY + "/tarball/{ref:path}", _get_tarball, "contents:read"),
    Endpoint("GET", _REPOSITORY + "/contents", _get_contents, "contents:read"),
    Endpoint("GET", _REPOSITORY + "/contents/{path:path}", _get_contents, "contents:read"),
    Endpoint(
        "GET", _REPOSITORY + "/collaborators/{login}/permission", _get_permission, "metadata:read"
    ),
)
