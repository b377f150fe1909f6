"""Taking a request back: by the label or by a command, and who may."""

from typing import Any

import pytest

from config.repo_file import parse_repo_file
from handlers.command_values import Cancel, Misunderstood
from handlers.commands import parse_command
from handlers.decisions import CancelRequests, Decision, Enqueue, Ignore, Reply
from handlers.events import Actor
from handlers.issue_commented import on_issue_commented
from handlers.issue_unlabelled import on_issue_unlabelled
from jobs.requests import Repo
from tests.builders import NOON
from tests.handlers.events import (
    MONA,
    OTHER_BOT,
    OURSELVES,
    Role,
    a_commented,
    a_context,
    a_repository,
    an_unlabelled,
)

CANCEL = "@skillbench cancel"


async def decide(body: str = CANCEL, role: Role | None = None, **changes: Any) -> Decision:
    return await on_issue_commented(a_commented(body, **changes), a_context(), role or Role())


@pytest.mark.parametrize("line", ["cancel", "Cancel", "cancel.", "CANCEL!", "cancel (sorry)"])
def test_the_command_stands_alone_in_any_case(line: str) -> None:
    assert parse_command(line) == Cancel()


@pytest.mark.parametrize("line", ["cancel --skill x", "cancel 21", "cancel everything"])
def test_words_behind_it_are_answered_and_not_guessed_at(line: str) -> None:
    """Whoever names one request would not like to lose them all."""
    command = parse_command(line)
    assert isinstance(command, Misunderstood)
    assert "no id of a run" in command.problem or "`--skill`" in command.problem


def test_a_slip_of_the_pen_is_offered() -> None:
    command = parse_command("cancle")
    assert isinstance(command, Misunderstood)
    assert "Did you mean `cancel`?" in command.problem


async def test_who_may_write_cancels_the_requests_of_all() -> None:
    decision = await decide()
    assert isinstance(decision, CancelRequests)
    assert decision.repo == Repo(owner="acme", name="skills", installation_id=7)
    assert (decision.issue, decision.by, decision.asker) == (21, "mona", None)
    assert decision.origin is None
    assert decision.comment_id == 100


@pytest.mark.parametrize("role", ["none", "read", "triage"])
async def test_who_may_not_write_cancels_their_own(role: str) -> None:
    """They may have lost the permission since they asked."""
    decision = await decide(role=Role(role))
    assert isinstance(decision, CancelRequests)
    assert decision.asker == "mona"


@pytest.mark.parametrize(("role", "is_told"), [("write", False), ("read", True)])
async def test_who_may_cancel_everything_is_not_told_that_others_may(
    role: str, *, is_told: bool
) -> None:
    decision = await decide(role=Role(role))
    assert isinstance(decision, CancelRequests)
    assert decision.nothing_to_cancel is not None
    body = decision.nothing_to_cancel.body
    assert ("no request of yours" in body) is is_told
    assert ("People with write permission" in body) is is_told


async def test_who_may_cancel_everything_is_told_as_the_repository_has_it() -> None:
    role = Role("write")
    role.file = parse_repo_file(b"permissions: {cancel: maintain}")
    decision = await decide(role=role)
    assert isinstance(decision, CancelRequests)
    assert decision.asker == "mona"
    assert decision.nothing_to_cancel is not None
    assert "People with maintain permission" in decision.nothing_to_cancel.body


async def test_one_question_is_enough_for_a_cancel_and_a_run() -> None:
    role = Role()
    decision = await decide(f"{CANCEL}\n@skillbench run claude-sonnet", role)
    assert isinstance(decision, CancelRequests)
    assert len(decision.then.requests) == 1
    assert role.asked == ["mona"]


async def test_a_run_beside_it_needs_the_permission() -> None:
    decision = await decide(f"{CANCEL}\n@skillbench run claude-sonnet", Role("read"))
    assert isinstance(decision, Reply)
    assert "write permission" in decision.body


@pytest.mark.parametrize("sender", [OURSELVES, OTHER_BOT])
async def test_bots_cancel_nothing_by_words(sender: Actor) -> None:
    assert isinstance(await decide(sender=sender), Ignore)


async def test_owners_who_are_not_served_are_told_so() -> None:
    decision = await decide(repository=a_repository(owner="stranger"))
    assert isinstance(decision, Reply)
    assert "SKILLBENCH_ALLOWED_OWNERS" in decision.body


@pytest.mark.parametrize("sender", [MONA, OTHER_BOT])
async def test_whoever_takes_the_label_off_cancels(sender: Actor) -> None:
    """GitHub let them; nobody is asked, and the requests of comments are left alone."""
    role = Role("none")
    event = an_unlabelled(sender=sender, label="Needs-Benchmark")
    decision = await on_issue_unlabelled(event, a_context(), role)
    assert isinstance(decision, CancelRequests)
    assert (decision.issue, decision.by, decision.origin) == (21, sender.login, "label")
    assert decision.nothing_to_cancel is None
    assert decision.then == Enqueue(())
    assert role.asked == []


async def test_our_own_hand_cancels_nothing() -> None:
    """The label comes off when its request has ended."""
    decision = await on_issue_unlabelled(an_unlabelled(sender=OURSELVES), a_context(), Role())
    assert isinstance(decision, Ignore)


async def test_a_label_that_is_on_again_is_still_wanted() -> None:
    """The delivery came late, or once more: GitHub redelivers what is days old."""
    role = Role()
    role.labels = ("needs-benchmark",)
    event = an_unlabelled(at=NOON)
    assert isinstance(await on_issue_unlabelled(event, a_context(), role), Ignore)
    role.labels = ()
    assert isinstance(await on_issue_unlabelled(event, a_context(), role), CancelRequests)


async def test_other_labels_mean_nothing() -> None:
    decision = await on_issue_unlabelled(an_unlabelled(label="bug"), a_context(), Role())
    assert isinstance(decision, Ignore)


async def test_the_label_that_is_taken_off_has_the_repositorys_name():
    role = Role()
    role.file = parse_repo_file(b"labels: {run: Measure}")
    taken_off = an_unlabelled(label="measure")
    assert isinstance(await on_issue_unlabelled(taken_off, a_context(), role), CancelRequests)
    assert isinstance(await on_issue_unlabelled(an_unlabelled(), a_context(), role), Ignore)
