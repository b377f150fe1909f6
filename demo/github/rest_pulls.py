"""REST: pull requests within one repository."""

from demo.github.answers import Answer, Problem, not_found
from demo.github.issue_actions import IssueActions
from demo.github.pull_actions import PullActions, PullDraft
from demo.github.rest_call import Call, Endpoint, make_page
from demo.github.shapes_git import pull_row_shape, pull_shape
from demo.github.state import Issue, Pull, Repository

_STATES = {"open": {True}, "closed": {False}, "all": {True, False}}


def _list_pulls(call: Call) -> Answer:
    """Newest first; of one head or one base where the query names it."""
    repository = call.repository()
    states = _STATES.get(call.query.get("state", "open"))
    if states is None:
        raise Problem(422, "Validation Failed")
    owner, _, branch = call.query.get("head", "").partition(":")
    base = call.query.get("base")
    rows = [
        (repository.issues[number], pull)
        for number, pull in sorted(repository.pulls.items(), reverse=True)
        if repository.issues[number].is_open in states
        and base in {None, pull.base}
        and (not branch or (owner.lower(), branch) == (repository.owner.login.lower(), pull.head))
    ]
    return make_page(call, rows, lambda row: pull_row_shape(call.at, repository, *row))


def _open_pull(call: Call) -> Answer:
    repository = call.repository()
    draft = PullDraft(
        title=call.text("title"),
        body=call.text("body", ""),
        head=call.text("head"),
        base=call.text("base"),
    )
    issue = PullActions(call.site).open(repository, call.bot, draft)
    shape = pull_shape(call.at, repository, issue, repository.pulls[issue.number])
    return Answer(201, shape, {"location": shape["url"]})


def _pull(call: Call, repository: Repository) -> tuple[Issue, Pull]:
    issue = call.issue(repository)
    if issue.number not in repository.pulls:
        raise not_found()
    return issue, repository.pulls[issue.number]


def _get_pull(call: Call) -> Answer:
    repository = call.repository()
    return Answer(200, pull_shape(call.at, repository, *_pull(call, repository)))


def _edit_pull(call: Call) -> Answer:
    repository = call.repository()
    issue, pull = _pull(call, repository)
    fields = call.fields()
    title = call.text("title") if "title" in fields else None
    body = call.text("body", "") if "body" in fields else None
    IssueActions(call.site).edit(repository, issue, call.bot, title=title, body=body)
    return Answer(200, pull_shape(call.at, repository, issue, pull))


_PULLS = "/repos/{owner}/{repo}/pulls"

ENDPOINTS = (
    Endpoint("GET", _PULLS, _list_pulls, "pull_requests:read"),
    Endpoint("POST", _PULLS, _open_pull, "pull_requests:write"),
    Endpoint("GET", _PULLS + "/{number:int}", _get_pull, "pull_requests:read"),
    Endpoint("PATCH", _PULLS + "/{number:int}", _edit_pull, "pull_requests:write"),
)
