"""REST: Git's own objects, branches, and comments on commits."""

import base64
import binascii

from demo.github.answers import Answer, Problem, not_found
from demo.github.commits import Commit
from demo.github.git_actions import GitActions
from demo.github.rest_call import Call, Endpoint, make_page
from demo.github.shapes import Json
from demo.github.shapes_git import commit_comment_shape, git_commit_shape, ref_shape
from demo.github.state import CommitComment, Repository


def _make_blob(call: Call) -> Answer:
    repository = call.repository()
    text = call.text("content")
    if call.text("encoding", "utf-8") == "base64":
        try:
            content = base64.b64decode(text)
        except binascii.Error as error:
            raise Problem(422, "content is not valid Base64") from error
    else:
        content = text.encode()
    sha = GitActions(call.site).make_blob(repository, content)
    return Answer(201, {"sha": sha, "url": f"{call.at.repository(repository)}/git/blobs/{sha}"})


def _make_tree(call: Call) -> Answer:
    repository = call.repository()
    rows = call.fields().get("tree")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise Problem(422, "Invalid request.\n\nFor 'tree', a list of objects is needed.")
    base = call.fields().get("base_tree")
    actions = GitActions(call.site)
    rows = [_with_blob(row, actions, repository) for row in rows]
    sha = actions.make_tree(repository, None if base is None else str(base), rows)
    url = f"{call.at.repository(repository)}/git/trees/{sha}"
    return Answer(201, {"sha": sha, "url": url, "tree": rows, "truncated": False})


def _with_blob(row: dict[str, object], actions: GitActions, repository: Repository) -> Json:
    """A row of a new tree; a text in it is made a blob, as GitHub answers."""
    if not isinstance(text := row.get("content"), str):
        return row
    sha = actions.make_blob(repository, text.encode())
    return {name: value for name, value in row.items() if name != "content"} | {"sha": sha}


def _make_commit(call: Call) -> Answer:
    repository = call.repository()
    parents = call.fields().get("parents", [])
    commit = GitActions(call.site).make_commit(
        repository, call.bot, call.text("tree"), parents, call.text("message")
    )
    return Answer(201, git_commit_shape(call.at, repository, commit))


def _get_commit(call: Call) -> Answer:
    repository = call.repository()
    commit = repository.commits.get(call.params["commit"])
    if commit is None:
        raise not_found()
    return Answer(200, git_commit_shape(call.at, repository, commit))


def _get_ref(call: Call) -> Answer:
    repository = call.repository()
    ref = str(call.params["ref"])
    name = ref.removeprefix("heads/")
    if name == ref or name not in repository.branches:
        raise not_found()
    return Answer(200, ref_shape(call.at, repository, name))


def _make_ref(call: Call) -> Answer:
    repository = call.repository()
    ref = call.text("ref")
    GitActions(call.site).make_branch(repository, call.bot, ref, call.text("sha"))
    return Answer(201, ref_shape(call.at, repository, ref.removeprefix("refs/heads/")))


def _move_ref(call: Call) -> Answer:
    repository = call.repository()
    name = str(call.params["ref"]).removeprefix("heads/")
    force = call.fields().get("force") is True
    GitActions(call.site).move_branch(repository, call.bot, name, call.text("sha"), force=force)
    return Answer(200, ref_shape(call.at, repository, name))


def _commit(call: Call, repository: Repository) -> Commit:
    commit = repository.find_commit(call.params["commit"])
    if commit is None:
        raise Problem(422, f"No commit found for SHA: {call.params['commit']}")
    return commit


def _comment_shape(call: Call, repository: Repository, comment: CommitComment) -> Json:
    return commit_comment_shape(call.at, repository, comment)


def _list_comments(call: Call) -> Answer:
    repository = call.repository()
    sha = _commit(call, repository).sha
    comments = [comment for comment in repository.commit_comments if comment.commit == sha]
    return make_page(call, comments, lambda row: _comment_shape(call, repository, row))


def _make_comment(call: Call) -> Answer:
    repository = call.repository()
    commit = _commit(call, repository)
    body = call.text("body")
    call.comments.check(body)
    now = call.site.clock()
    comment = CommitComment(
        id=call.site.state.next_id(),
        commit=commit.sha,
        author=call.bot,
        body=body,
        created_at=now,
        updated_at=now,
    )
    repository.commit_comments.append(comment)
    return Answer(201, _comment_shape(call, repository, comment))


def _find_comment(call: Call, repository: Repository) -> CommitComment:
    wanted = call.params["comment"]
    found = next((one for one in repository.commit_comments if one.id == wanted), None)
    if found is None:
        raise not_found()
    return found


def _edit_comment(call: Call) -> Answer:
    repository = call.repository()
    comment = _find_comment(call, repository)
    comment.body = call.text("body")
    comment.updated_at = call.site.clock()
    return Answer(200, _comment_shape(call, repository, comment))


def _delete_comment(call: Call) -> Answer:
    repository = call.repository()
    repository.commit_comments.remove(_find_comment(call, repository))
    return Answer(204)


_REPOSITORY = "/repos/{owner}/{repo}"
_GIT = _REPOSITORY + "/git"
_COMMENTS = _REPOSITORY + "/commits/{commit}/comments"
_COMMENT = _REPOSITORY + "/comments/{comment:int}"

ENDPOINTS = (
    Endpoint("POST", _GIT + "/blobs", _make_blob, "contents:write"),
    Endpoint("POST", _GIT + "/trees", _make_tree, "contents:write"),
    Endpoint("POST", _GIT + "/commits", _make_commit, "contents:write"),
    Endpoint("GET", _GIT + "/commits/{commit}", _get_commit, "contents:read"),
    Endpoint("GET", _GIT + "/ref/{ref:path}", _get_ref, "contents:read"),
    Endpoint("POST", _GIT + "/refs", _make_ref, "contents:write"),
    Endpoint("PATCH", _GIT + "/refs/{ref:path}", _move_ref, "contents:write"),
    Endpoint("GET", _COMMENTS, _list_comments, "contents:read"),
    Endpoint("POST", _COMMENTS, _make_comment, "contents:write"),
    Endpoint("PATCH", _COMMENT, _edit_comment, "contents:write"),
    Endpoint("DELETE", _COMMENT, _delete_comment, "contents:write"),
)
"""Before those of repositories, whose path of a commit would swallow its comments."""
