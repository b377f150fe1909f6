"""What is decided when a pull request changes, and when a button of its check run is pressed."""

from datetime import UTC, datetime
from typing import Any

import pytest

from config.repo_file import parse_repo_file
from handlers.check_run_asked import on_check_run_asked
from handlers.decisions import CancelRequests, Enqueue, Ignore, Reply
from handlers.events import CheckRunAsked, PullRequestChanged
from handlers.pull_request_changed import on_pull_request_changed
from tests.handlers.events import MONA, OTHER_BOT, OURSELVES, Role, a_context, a_repository

HEAD = "a" * 40


def pull(**changes: Any) -> PullRequestChanged:
    given: dict[str, Any] = {
        "delivery": "d-1",
        "repository": a_repository(),
        "sender": MONA,
        "issue": 31,
        "change": "opened",
        "head": HEAD,
    }
    return PullRequestChanged(**(given | changes))


def button(**changes: Any) -> CheckRunAsked:
    given: dict[str, Any] = {
        "delivery": "d-1",
        "repository": a_repository(),
        "sender": MONA,
        "issue": 31,
        "button": "run",
        "head": HEAD,
    }
    return CheckRunAsked(**(given | changes))


@pytest.mark.parametrize("change", ["opened", "pushed"])
async def test_a_head_is_looked_at_once(change: str) -> None:
    """Opened, reopened and ready for review: it is the same commit."""
    decision = await on_pull_request_changed(pull(change=change), a_context(), Role("none"))
    assert isinstance(decision, Enqueue)
    request, config = decision.requests
    assert (request.kind, request.issue, request.head) == ("pull_request", 31, HEAD)
    assert request.key == f"pull:acme/skills#31:{HEAD}"
    assert (config.kind, config.issue, config.after) == ("repo_check", 0, HEAD)
    other = await on_pull_request_changed(pull(head="b" * 40), a_context(), Role())
    assert isinstance(other, Enqueue)
    assert other.requests[0].key != request.key


async def test_what_waits_or_runs_for_a_closed_one_is_cancelled_without_a_word() -> None:
    decision = await on_pull_request_changed(pull(change="closed"), a_context(), Role())
    assert isinstance(decision, CancelRequests)
    assert (decision.issue, decision.by, decision.asker) == (31, "mona", None)
    assert decision.nothing_to_cancel is None


async def test_a_closing_that_is_delivered_late_cancels_nothing_of_one_that_was_opened_again() -> (
    None
):
    """What waits then was asked for afterwards."""
    closed = pull(change="closed", at=datetime(2026, 5, 4, tzinfo=UTC))
    questions = Role()
    questions.opened_again = True
    assert isinstance(await on_pull_request_changed(closed, a_context(), questions), Ignore)
    questions.opened_again = False
    assert isinstance(await on_pull_request_changed(closed, a_context(), questions), CancelRequests)


async def test_the_longest_names_that_github_takes_fit_a_key() -> None:
    """An owner has 39 characters, a repository 100, a delivery 36."""
    place = a_repository(owner="o" * 39, name="n" * 100)
    number = 10**9
    looked = await on_pull_request_changed(
        pull(repository=place, issue=number), a_context(allowed_owners=("*",)), Role()
    )
    pressed = await on_check_run_asked(
        button(repository=place, issue=number, delivery="d" * 36),
        a_context(allowed_owners=("*",)),
        Role("write"),
    )
    assert isinstance(looked, Enqueue)
    assert isinstance(pressed, Enqueue)
    assert len({one.key for one in (*looked.requests, *pressed.requests)}) == 3


async def test_our_own_proposals_and_strangers_repositories_are_left_alone() -> None:
    own = await on_pull_request_changed(pull(sender=OURSELVES), a_context(), Role())
    elsewhere = pull(repository=a_repository(owner="zeta"))
    stranger = await on_pull_request_changed(elsewhere, a_context(), Role())
    assert isinstance(own, Ignore)
    assert isinstance(stranger, Ignore)


async def test_bots_propose_changes_too() -> None:
    assert isinstance(
        await on_pull_request_changed(pull(sender=OTHER_BOT), a_context(), Role()), Enqueue
    )


@pytest.mark.parametrize(("name", "only_failed"), [("run", False), ("rerun-failed", True)])
async def test_a_button_asks_for_its_own_commit(name: str, only_failed: bool) -> None:
    decision = await on_check_run_asked(button(button=name), a_context(), Role())
    assert isinstance(decision, Enqueue)
    (request,) = decision.requests
    assert (request.origin, request.head, request.only_failed) == ("button", HEAD, only_failed)
    assert (request.asker, request.issue, request.is_pull_request) == ("mona", 31, True)


async def test_a_delivery_that_comes_again_asks_for_nothing_new_and_a_second_press_does() -> None:
    keys = []
    for delivery in ("d-1", "d-1", "d-2"):
        decision = await on_check_run_asked(button(delivery=delivery), a_context(), Role())
        assert isinstance(decision, Enqueue)
        keys.append(decision.requests[0].key)
    assert keys[0] == keys[1] != keys[2]


@pytest.mark.parametrize("role", ["none", "read", "triage"])
async def test_who_may_not_spend_is_told_so(role: str) -> None:
    decision = await on_check_run_asked(button(), a_context(), Role(role))
    assert isinstance(decision, Reply)
    assert decision.issue == 31
    assert "only people with write permission" in decision.body


async def test_a_repository_may_want_more_than_write_permission() -> None:
    asked = Role("write")
    asked.file = parse_repo_file(b"permissions: {run: maintain}")
    decision = await on_check_run_asked(button(), a_context(), asked)
    assert isinstance(decision, Reply)
    assert "maintain" in decision.body


@pytest.mark.parametrize(
    "changes",
    [{"sender": OTHER_BOT}, {"sender": OURSELVES}, {"repository": a_repository(owner="zeta")}],
)
async def test_bots_and_strangers_repositories_press_in_vain(changes: dict[str, Any]) -> None:
    asked = Role()
    assert isinstance(await on_check_run_asked(button(**changes), a_context(), asked), Ignore)
    assert asked.asked == []
