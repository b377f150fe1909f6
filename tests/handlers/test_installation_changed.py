"""Who is welcomed, and what stops, when the App comes to repositories or leaves them."""

import json
from pathlib import Path
from typing import Any

from bot.payloads import parse_event
from handlers.decisions import Enqueue, Ignore, StopServing
from handlers.events import InstallationChanged
from handlers.installation_changed import on_installation_changed
from handlers.questions import HandlerContext

EXAMPLES = Path(__file__).parents[1] / "npm/node_modules/@octokit/webhooks-examples"
ANYBODY = HandlerContext(allowed_owners=("*",))


def examples(name: str, action: str) -> list[InstallationChanged]:
    """The events of real payloads."""
    indexes = sorted(EXAMPLES.glob("*/index.json"))
    events = [event for index in indexes for event in json.loads(index.read_text("utf-8"))]
    found = [
        parse(name, payload)
        for event in events
        for payload in event["examples"]
        if event["name"] == name and payload["action"] == action
    ]
    assert found, (name, action)
    return found


def parse(name: str, payload: Any) -> InstallationChanged:
    event = parse_event(name, json.dumps(payload).encode(), "d-1")
    assert isinstance(event, InstallationChanged)
    return event


async def test_each_new_repository_is_welcomed_by_a_request_of_its_own() -> None:
    for name, action in (("installation", "created"), ("installation_repositories", "added")):
        for event in examples(name, action):
            decision = await on_installation_changed(event, ANYBODY)
            assert isinstance(decision, Enqueue)
            [request] = decision.requests
            assert (request.kind, request.origin, request.issue) == ("welcome", "installation", 0)
            assert request.repo.full_name == f"{event.owner}/{request.repo.name}"
            assert request.repo.installation_id == event.installation_id
            assert request.chosen
            assert request.key == f"welcome:{request.repo.full_name}:d-1"


async def test_an_owner_whom_the_settings_do_not_name_is_not_welcomed_but_can_leave() -> None:
    stranger = HandlerContext(allowed_owners=("acme",))
    for event in examples("installation", "created"):
        assert isinstance(await on_installation_changed(event, stranger), Ignore)
    for event in examples("installation", "deleted"):
        decision = await on_installation_changed(event, stranger)
        assert decision == StopServing(
            installation_id=event.installation_id,
            by=event.sender.login,
            may_come_back=False,
            repositories=None,
        )


async def test_a_suspension_may_end_and_ends_as_if_the_app_had_come_anew() -> None:
    [event] = examples("installation", "suspend")
    decision = await on_installation_changed(event, ANYBODY)
    assert isinstance(decision, StopServing)
    assert decision.may_come_back
    [event] = examples("installation", "unsuspend")
    assert (event.change, event.is_whole, event.repositories) == ("resumed", True, ())
    assert isinstance(await on_installation_changed(event, ANYBODY), Ignore), "none is listed"


async def test_repositories_that_the_app_leaves_stop_alone() -> None:
    for event in examples("installation_repositories", "removed"):
        decision = await on_installation_changed(event, ANYBODY)
        assert isinstance(decision, StopServing)
        assert decision.repositories == tuple(
            f"{one.owner}/{one.name}" for one in event.repositories
        )
        assert decision.repositories


async def test_new_permissions_change_nothing_by_themselves() -> None:
    for event in examples("installation", "new_permissions_accepted"):
        assert isinstance(await on_installation_changed(event, ANYBODY), Ignore)
