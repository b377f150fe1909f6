"""REST: comments and reactions, and the one GraphQL mutation that folds a comment away."""

import re

from demo.github.answers import Answer, Problem, not_found
from demo.github.rest_call import Call, Endpoint, make_page
from demo.github.shapes import Json, comment_shape, make_node_id, reaction_shape, render_time
from demo.github.state import Comment, Issue, Reaction, Repository


def _shape(call: Call, repository: Repository, issue: Issue, comment: Comment) -> Json:
    return comment_shape(call.at, call.site.state.app, repository, issue, comment)


def _list_comments(call: Call) -> Answer:
    repository = call.repository()
    issue = call.issue(repository)
    since = call.query.get("since", "")
    chosen = [c for c in issue.comments if render_time(c.updated_at) >= since]
    return make_page(call, chosen, lambda comment: _shape(call, repository, issue, comment))


def _list_repository_comments(call: Call) -> Answer:
    repository = call.repository()
    since = call.query.get("since", "")
    chosen = [
        (issue, comment)
        for issue in repository.issues.values()
        for comment in issue.comments
        if render_time(comment.updated_at) >= since
    ]
    by_update = call.query.get("sort") == "updated"
    chosen.sort(
        key=lambda row: (row[1].updated_at if by_update else row[1].created_at, row[1].id),
        reverse=call.query.get("direction") == "desc",
    )
    return make_page(call, chosen, lambda row: _shape(call, repository, *row))


def _create_comment(call: Call) -> Answer:
    repository = call.repository()
    issue = call.issue(repository)
    comment = call.comments.write(repository, issue, call.bot, call.text("body"))
    shape = _shape(call, repository, issue, comment)
    return Answer(201, shape, {"location": shape["url"]})


def _get_comment(call: Call) -> Answer:
    repository = call.repository()
    issue, comment = call.comment(repository)
    return Answer(200, _shape(call, repository, issue, comment))


def _edit_comment(call: Call) -> Answer:
    repository = call.repository()
    issue, comment = call.comment(repository)
    call.comments.edit(repository, issue, comment, call.bot, call.text("body"))
    return Answer(200, _shape(call, repository, issue, comment))


def _delete_comment(call: Call) -> Answer:
    repository = call.repository()
    issue, comment = call.comment(repository)
    call.comments.delete(repository, issue, comment, call.bot)
    return Answer(204)


def _reactions(call: Call) -> list[Reaction]:
    repository = call.repository()
    if "comment" in call.params:
        return call.comment(repository)[1].reactions
    return call.issue(repository).reactions


def _refuse_locked(call: Call) -> None:
    """A locked conversation takes no reactions either. Raises `Problem` 403."""
    repository = call.repository()
    is_comment = "comment" in call.params
    issue = call.comment(repository)[0] if is_comment else call.issue(repository)
    if issue.is_locked:
        raise Problem(403, "Unable to create reaction because issue is locked.")


def _list_reactions(call: Call) -> Answer:
    content = call.query.get("content")
    chosen = [r for r in _reactions(call) if content is None or r.content == content]
    return make_page(call, chosen, lambda reaction: reaction_shape(call.at, reaction))


def _create_reaction(call: Call) -> Answer:
    _refuse_locked(call)
    reaction, is_new = call.comments.react(_reactions(call), call.bot, call.text("content"))
    return Answer(201 if is_new else 200, reaction_shape(call.at, reaction))


def _delete_reaction(call: Call) -> Answer:
    reactions = _reactions(call)
    found = next((r for r in reactions if r.id == call.params["reaction"]), None)
    if found is None:
        raise not_found()
    if found.account is not call.bot:
        raise Problem(403)
    reactions.remove(found)
    return Answer(204)


_MINIMIZE = re.compile(r"\b(minimizeComment|unminimizeComment)\b")
_LITERAL_ID = re.compile(r'subjectId\s*:\s*"([^"]+)"')
_LITERAL_REASON = re.compile(r"classifier\s*:\s*([A-Z_]+)")


def _graphql(call: Call) -> Answer:
    """`minimizeComment`, its reverse, and who edited an issue last.

    Anything else is refused by name, with status 200.
    """
    query = call.text("query")
    if "lastEditedAt" in query:
        return _last_edit(call)
    mutation = _MINIMIZE.search(query)
    if mutation is None:
        message = "this GitHub speaks no GraphQL but minimizeComment, its reverse and lastEditedAt"
        return Answer(200, {"errors": [{"message": message}]})
    variables = call.fields().get("variables") or {}
    given = variables.get("input") or variables
    literal_id, literal_reason = _LITERAL_ID.search(query), _LITERAL_REASON.search(query)
    node = literal_id[1] if literal_id else given.get("subjectId") or given.get("id") or ""
    reason = literal_reason[1] if literal_reason else given.get("classifier") or "OUTDATED"
    comment = _comment_by_node(call, str(node))
    if comment is None:
        message = f"Could not resolve to a node with the global id of '{node}'."
        return Answer(200, {"data": None, "errors": [{"type": "NOT_FOUND", "message": message}]})
    name = mutation[1]
    comment.minimized = str(reason).lower() if name == "minimizeComment" else None
    shape = {
        "isMinimized": comment.minimized is not None,
        "minimizedReason": comment.minimized,
        "__typename": "IssueComment",
    }
    key = "minimizedComment" if name == "minimizeComment" else "unminimizedComment"
    return Answer(200, {"data": {name: {key: shape, "clientMutationId": None}}})


def _last_edit(call: Call) -> Answer:
    """Of one issue, as `repository(owner, name) { issue(number) { … } }` asks for it."""
    given = call.fields().get("variables") or {}
    repository = call.site.state.find_repository(str(given["owner"]), str(given["name"]))
    may_read = repository and call.token.covers(repository) and call.token.allows("issues", "read")
    issue = repository.issues.get(int(given["number"])) if repository and may_read else None
    if issue is None:
        message = f"Could not resolve to an Issue with the number of {given['number']}."
        data = {"repository": {"issue": None} if may_read else None}
        return Answer(200, {"data": data, "errors": [{"type": "NOT_FOUND", "message": message}]})
    found: Json = {"lastEditedAt": None, "editor": None}
    if issue.edited is not None:
        at, by = issue.edited
        editor = {"login": by.login.removesuffix("[bot]"), "__typename": by.kind}
        found = {"lastEditedAt": render_time(at), "editor": editor}
    return Answer(200, {"data": {"repository": {"issue": found}}})


def _comment_by_node(call: Call, node: str) -> Comment | None:
    for repository in call.site.state.repositories:
        if not (call.token.covers(repository) and call.token.allows("issues", "write")):
            continue
        for issue in repository.issues.values():
            for comment in issue.comments:
                if make_node_id("IssueComment", comment.id) == node:
                    return comment
    return None


_REPOSITORY = "/repos/{owner}/{repo}"
_ISSUE = _REPOSITORY + "/issues/{number:int}"
_COMMENT = _REPOSITORY + "/issues/comments/{comment:int}"

ENDPOINTS = (
    Endpoint("GET", _ISSUE + "/comments", _list_comments, "issues:read"),
    Endpoint("POST", _ISSUE + "/comments", _create_comment, "issues:write"),
    Endpoint("GET", _REPOSITORY + "/issues/comments", _list_repository_comments, "issues:read"),
    Endpoint("GET", _COMMENT, _get_comment, "issues:read"),
    Endpoint("PATCH", _COMMENT, _edit_comment, "issues:write"),
    Endpoint("DELETE", _COMMENT, _delete_comment, "issues:write"),
    Endpoint("GET", _ISSUE + "/reactions", _list_reactions, "issues:read"),
    Endpoint("POST", _ISSUE + "/reactions", _create_reaction, "issues:write"),
    Endpoint("DELETE", _ISSUE + "/reactions/{reaction:int}", _delete_reaction, "issues:write"),
    Endpoint("GET", _COMMENT + "/reactions", _list_reactions, "issues:read"),
    Endpoint("POST", _COMMENT + "/reactions", _create_reaction, "issues:write"),
    Endpoint("DELETE", _COMMENT + "/reactions/{reaction:int}", _delete_reaction, "issues:write"),
    Endpoint("POST", "/graphql", _graphql, "any"),
)
