"""REST: what has happened to an issue beside its comments, as GitHub's own log tells it."""

from demo.github.answers import Answer
from demo.github.rest_call import Call, Endpoint, make_page
from demo.github.shapes import Json, account_shape, app_shape, make_node_id, render_time
from demo.github.state import Issue, TimelineEvent

EVENTS_AN_ISSUE = 1000
"""Ids of events are made of the issue's and their place, which never changes."""


def _list_events(call: Call) -> Answer:
    repository = call.repository()
    issue = call.issue(repository)
    numbered = list(enumerate(issue.events))
    return make_page(call, numbered, lambda row: _shape(call, issue, *row))


def _shape(call: Call, issue: Issue, place: int, event: TimelineEvent) -> Json:
    number = issue.id * EVENTS_AN_ISSUE + place
    app = call.site.state.app
    shape: Json = {
        "id": number,
        "node_id": make_node_id("IssueEvent", number),
        "url": f"{call.at.repository(call.repository())}/issues/events/{number}",
        "actor": account_shape(call.at, event.actor),
        "event": event.kind,
        "commit_id": None,
        "commit_url": None,
        "created_at": render_time(event.at),
        "performed_via_github_app": app_shape(call.at, app) if event.actor is app.bot else None,
    }
    if event.label is not None:
        shape["label"] = {"name": event.label.name, "color": event.label.color}
    if event.kind == "renamed":
        shape["rename"] = {"from": event.before, "to": event.detail}
    if event.kind == "locked":
        shape["lock_reason"] = None
    return shape


ENDPOINTS = (
    Endpoint(
        "GET",
        "/repos/{owner}/{repo}/issues/{number:int}/events",
        _list_events,
        "issues:read",
    ),
)
