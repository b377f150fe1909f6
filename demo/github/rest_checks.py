"""REST: check runs of commits, which the App alone makes and changes."""

from demo.github.answers import Answer, Problem, not_found
from demo.github.check_actions import CheckActions
from demo.github.records import Check
from demo.github.rest_call import Call, Endpoint, make_page
from demo.github.shapes import Json
from demo.github.shapes_checks import annotation_shape, check_shape
from demo.github.state import Repository


def _shape(call: Call, repository: Repository, check: Check) -> Json:
    return check_shape(call.at, call.site.state.app, repository, check)


def _check(call: Call, repository: Repository) -> Check:
    wanted = call.params["check"]
    found = next((check for check in repository.checks if check.id == wanted), None)
    if found is None:
        raise not_found()
    return found


def _create(call: Call) -> Answer:
    repository = call.repository()
    actions = CheckActions(call.site)
    check = actions.create(repository, call.text("name"), call.text("head_sha"))
    try:
        actions.change(repository, check, call.fields())
    except Problem:
        repository.checks.remove(check)
        raise
    return Answer(201, _shape(call, repository, check))


def _change(call: Call) -> Answer:
    repository = call.repository()
    check = _check(call, repository)
    CheckActions(call.site).change(repository, check, call.fields())
    return Answer(200, _shape(call, repository, check))


def _get(call: Call) -> Answer:
    repository = call.repository()
    return Answer(200, _shape(call, repository, _check(call, repository)))


def _list_annotations(call: Call) -> Answer:
    repository = call.repository()
    check = _check(call, repository)
    return make_page(
        call,
        check.annotations,
        lambda row: annotation_shape(call.at, repository, check, row),
    )


def _list(call: Call) -> Answer:
    """Newest first; of one name the newest alone, unless the query wants all."""
    repository = call.repository()
    commit = repository.find_commit(call.params["ref"])
    if commit is None:
        raise Problem(422, f"No commit found for SHA: {call.params['ref']}")
    name = call.query.get("check_name")
    rows = [
        check
        for check in repository.checks[::-1]
        if check.commit == commit.sha and name in {None, check.name}
    ]
    if call.query.get("filter", "latest") == "latest":
        rows = list({row.name: row for row in rows[::-1]}.values())
    page = make_page(call, rows, lambda row: _shape(call, repository, row))
    return Answer(200, {"total_count": len(rows), "check_runs": page.body}, page.headers)


_CHECKS = "/repos/{owner}/{repo}/check-runs"

ENDPOINTS = (
    Endpoint("POST", _CHECKS, _create, "checks:write"),
    Endpoint("PATCH", _CHECKS + "/{check:int}", _change, "checks:write"),
    Endpoint("GET", _CHECKS + "/{check:int}", _get, "checks:read"),
    Endpoint("GET", _CHECKS + "/{check:int}/annotations", _list_annotations, "checks:read"),
    Endpoint("GET", "/repos/{owner}/{repo}/commits/{ref}/check-runs", _list, "checks:read"),
)
