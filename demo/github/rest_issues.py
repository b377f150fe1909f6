"""REST: issues and their labels."""

from typing import Any

from demo.github.answers import Answer, Problem, not_found
from demo.github.issue_actions import IssueDraft
from demo.github.records import Label
from demo.github.rest_call import Call, Endpoint, make_page
from demo.github.shapes import Json, issue_shape, label_shape, render_time
from demo.github.state import Issue, Repository


def _shape(call: Call, repository: Repository, issue: Issue) -> Json:
    return issue_shape(call.at, call.site.state.app, repository, issue)


def _get_issue(call: Call) -> Answer:
    repository = call.repository()
    moved = repository.moved_issues.get(call.params["number"])
    if moved:
        address = f"{call.at.api}/repositories/{moved.repository_id}/issues/{moved.number}"
        raise Problem(301, "Moved Permanently", headers={"location": address}, url=address)
    return Answer(200, _shape(call, repository, call.issue(repository)))


def _list_issues(call: Call) -> Answer:
    repository = call.repository()
    state = call.query.get("state", "open")
    if state not in {"open", "closed", "all"}:
        raise Problem(422, errors=[{"resource": "Issue", "field": "state", "code": "invalid"}])
    labels = [name for name in call.query.get("labels", "").split(",") if name]
    creator = call.query.get("creator", "").lower()
    since = call.query.get("since", "")
    sort = call.query.get("sort", "created")
    chosen = [
        issue
        for issue in repository.issues.values()
        if (state == "all" or issue.is_open == (state == "open"))
        and all(issue.find_label(name) for name in labels)
        and (not creator or issue.author.login.lower() == creator)
        and render_time(issue.updated_at) >= since
    ]
    keys: dict[str, Any] = {
        "created": lambda issue: (issue.created_at, issue.number),
        "updated": lambda issue: (issue.updated_at, issue.number),
        "comments": lambda issue: (len(issue.comments), issue.number),
    }
    chosen.sort(
        key=keys.get(sort, keys["created"]), reverse=call.query.get("direction", "desc") == "desc"
    )
    return make_page(call, chosen, lambda issue: _shape(call, repository, issue))


def _create_issue(call: Call) -> Answer:
    repository = call.repository()
    draft = IssueDraft(
        title=call.text("title"), body=call.text("body", ""), labels=call.label_names()
    )
    issue = call.issues.open(repository, call.bot, draft)
    return Answer(201, _shape(call, repository, issue))


def _edit_issue(call: Call) -> Answer:
    repository = call.repository()
    issue = call.issue(repository)
    fields = call.fields()
    if "labels" in fields:
        call.issues.set_labels(repository, issue, call.bot, call.label_names())
    call.issues.edit(
        repository, issue, call.bot, title=fields.get("title"), body=fields.get("body")
    )
    if (state := fields.get("state")) in {"open", "closed"}:
        call.issues.set_open(
            repository,
            issue,
            call.bot,
            is_open=state == "open",
            reason=fields.get("state_reason"),
        )
    return Answer(200, _shape(call, repository, issue))


def _labels(call: Call, repository: Repository, labels: list[Label]) -> list[Json]:
    return [label_shape(call.at, repository, label) for label in labels]


def _list_labels(call: Call) -> Answer:
    repository = call.repository()
    return make_page(call, repository.labels, lambda label: label_shape(call.at, repository, label))


def _create_label(call: Call) -> Answer:
    repository = call.repository()
    label = call.issues.create_label(
        repository,
        name=call.text("name"),
        color=call.text("color", "ededed"),
        description=call.fields().get("description"),
    )
    return Answer(201, label_shape(call.at, repository, label))


def _get_label(call: Call) -> Answer:
    repository = call.repository()
    label = repository.find_label(call.params["name"])
    if label is None:
        raise not_found()
    return Answer(200, label_shape(call.at, repository, label))


def _list_issue_labels(call: Call) -> Answer:
    repository = call.repository()
    issue = call.issue(repository)
    return make_page(call, issue.labels, lambda label: label_shape(call.at, repository, label))


def _add_issue_labels(call: Call) -> Answer:
    repository = call.repository()
    issue = call.issue(repository)
    call.issues.add_labels(repository, issue, call.bot, call.label_names())
    return Answer(200, _labels(call, repository, issue.labels))


def _set_issue_labels(call: Call) -> Answer:
    repository = call.repository()
    issue = call.issue(repository)
    call.issues.set_labels(repository, issue, call.bot, call.label_names())
    return Answer(200, _labels(call, repository, issue.labels))


def _remove_issue_label(call: Call) -> Answer:
    repository = call.repository()
    issue = call.issue(repository)
    call.issues.remove_labels(repository, issue, call.bot, [call.params["name"]])
    return Answer(200, _labels(call, repository, issue.labels))


def _clear_issue_labels(call: Call) -> Answer:
    repository = call.repository()
    call.issues.set_labels(repository, call.issue(repository), call.bot, [])
    return Answer(204)


_REPOSITORY = "/repos/{owner}/{repo}"
_ISSUE = _REPOSITORY + "/issues/{number:int}"

ENDPOINTS = (
    Endpoint("GET", _REPOSITORY + "/issues", _list_issues, "issues:read"),
    Endpoint("POST", _REPOSITORY + "/issues", _create_issue, "issues:write"),
    Endpoint("GET", _ISSUE, _get_issue, "issues:read"),
    Endpoint("PATCH", _ISSUE, _edit_issue, "issues:write"),
    Endpoint("GET", _REPOSITORY + "/labels", _list_labels, "issues:read"),
    Endpoint("POST", _REPOSITORY + "/labels", _create_label, "issues:write"),
    Endpoint("GET", _REPOSITORY + "/labels/{name:path}", _get_label, "issues:read"),
    Endpoint("GET", _ISSUE + "/labels", _list_issue_labels, "issues:read"),
    Endpoint("POST", _ISSUE + "/labels", _add_issue_labels, "issues:write"),
    Endpoint("PUT", _ISSUE + "/labels", _set_issue_labels, "issues:write"),
    Endpoint("DELETE", _ISSUE + "/labels", _clear_issue_labels, "issues:write"),
    Endpoint("DELETE", _ISSUE + "/labels/{name:path}", _remove_issue_label, "issues:write"),
)
