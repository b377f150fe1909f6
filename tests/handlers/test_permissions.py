"""Who may do what, by the role that GitHub reports and the repository's own file."""

from typing import Any

import pytest

from config.repo_file import parse_repo_file
from config.repo_kinds import ROLES
from handlers.decisions import CancelRequests, Decision, Enqueue, Ignore, Inquire, Reply
from handlers.issue_commented import on_issue_commented
from tests.handlers.events import OTHER_BOT, Role, a_commented, a_context, a_repository


async def decide(body: str, role: Role, **changes: Any) -> Decision:
    return await on_issue_commented(a_commented(body, **changes), a_context(), role)


def a_role(role: str, file: str = "") -> Role:
    given = Role(role)
    given.file = parse_repo_file(file.encode())
    return given


LEAST = {
    "run": "write",
    "trigger": "write",
    "summary": "write",
    "retry": "write",
    "rejudge": "write",
    "status": "triage",
    "results": "triage",
    "report": "triage",
    "verdict A1 with_skill pass because x": "write",
    "verdict A1": "write",
    "estimate": "triage",
    "ping": "triage",
    "rum": "triage",
    "run --override-budget": "maintain",
    "retry --override-budget": "maintain",
}
"""The least role for a command where the repository's file says nothing."""


@pytest.mark.parametrize("words", LEAST)
@pytest.mark.parametrize("role", [*ROLES, "none", "auditor"])
async def test_a_command_needs_its_role_and_no_more(words: str, role: str) -> None:
    """A role of an organisation's own, that GitHub maps to nothing, is none."""
    decision = await decide(f"@skillbench {words}", Role(role))
    is_allowed = role in ROLES and ROLES.index(role) >= ROLES.index(LEAST[words])
    is_refused = isinstance(decision, Reply) and decision.tag == "comment:100:permission"
    assert is_refused is not is_allowed
    if is_refused:
        assert isinstance(decision, Reply)
        assert f"{LEAST[words]} permission" in decision.body or "write permission" in decision.body
        assert "\n" not in decision.body


FILE = "permissions: {run: maintain, read: read, cancel: admin, override_budget: admin}\n"


@pytest.mark.parametrize(
    ("role", "words", "is_allowed"),
    [
        ("write", "run", False),
        ("maintain", "run", True),
        ("maintain", "run --override-budget", False),
        ("admin", "run --override-budget", True),
        ("read", "status", True),
        ("none", "status", False),
    ],
)
async def test_the_repositorys_file_says_who_may(
    role: str, words: str, *, is_allowed: bool
) -> None:
    decision = await decide(f"@skillbench {words}", a_role(role, FILE))
    assert isinstance(decision, Enqueue | Inquire) is is_allowed


@pytest.mark.parametrize(("role", "asker"), [("maintain", "mona"), ("admin", None)])
async def test_who_may_cancel_for_others_stands_in_the_file_too(
    role: str, asker: str | None
) -> None:
    decision = await decide("@skillbench cancel", a_role(role, FILE))
    assert isinstance(decision, CancelRequests)
    assert decision.asker == asker


async def test_a_bot_that_is_trusted_passes_no_budget() -> None:
    context = a_context(allowed_bots=("renovate",))
    for words, is_allowed in (("run", True), ("status", True), ("run --override-budget", False)):
        event = a_commented(f"@skillbench {words}", sender=OTHER_BOT)
        decision = await on_issue_commented(event, context, Role("none"))
        assert isinstance(decision, Enqueue | Inquire) is is_allowed


async def test_one_question_is_enough_however_many_rights_a_comment_needs() -> None:
    role = Role("maintain")
    body = "@skillbench run --override-budget\n@skillbench status\n@skillbench cancel"
    assert isinstance(await decide(body, role), CancelRequests)
    assert role.asked == ["mona"]


async def test_a_mention_of_the_repositorys_own_is_heard_beside_the_operators() -> None:
    role = a_role("write", 'mention: "@bench"\n')
    for body in ("@bench run", "@skillbench run", "@Bench, run"):
        assert isinstance(await decide(body, role), Enqueue)
    assert isinstance(await decide("@benchmark run", role), Ignore)
    reply = await decide("@bench help", role)
    assert isinstance(reply, Reply)
    assert "`@bench status`" in reply.body


class NeverAsked(Role):
    """Fails where the repository's file is asked for."""

    async def repo_file(self) -> Any:
        raise AssertionError("the repository's file was asked for")


@pytest.mark.parametrize(
    "body",
    ["Thanks!", "see a@skillbench.example", "> @skillbench run", "`@skillbench run`", "-- @mona"],
)
async def test_the_file_is_asked_for_only_where_a_line_may_speak_to_us(body: str) -> None:
    assert isinstance(await decide(body, NeverAsked()), Ignore)


async def test_the_file_of_an_owner_who_is_not_served_is_not_asked_for() -> None:
    repository = a_repository(owner="stranger")
    refused = await decide("@skillbench run", NeverAsked(), repository=repository)
    assert isinstance(refused, Reply)
    assert "SKILLBENCH_ALLOWED_OWNERS" in refused.body
    ignored = await decide("@mona look", NeverAsked(), repository=repository)
    assert isinstance(ignored, Ignore)
