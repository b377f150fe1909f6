"""What the commands of a comment ask for: requests, questions, and both in their order."""

from typing import Any

import pytest

from handlers.decisions import CancelRequests, Decision, Enqueue, Inquire, Reply
from handlers.issue_commented import on_issue_commented
from tests.handlers.events import Role, a_commented, a_context


async def decide(body: str, role: Role | None = None, **changes: Any) -> Decision:
    return await on_issue_commented(a_commented(body, **changes), a_context(), role or Role())


async def test_reading_commands_are_answered_together_and_each_once() -> None:
    body = "@skillbench status\n@skillbench queue\n@skillbench status"
    decision = await decide(body, Role("triage"))
    assert isinstance(decision, Inquire)
    assert [one.name for one in decision.inquiries] == ["status", "queue"]
    assert (decision.issue, decision.comment_id) == (21, 100)
    assert decision.beside is None
    again = await decide(body, Role("triage"), delivery="d-2")
    assert isinstance(again, Inquire)
    assert again.tag == decision.tag


async def test_what_is_wrong_beside_a_question_is_said_in_the_same_answer() -> None:
    decision = await decide("@skillbench status\n@skillbench statsu")
    assert isinstance(decision, Inquire)
    assert decision.beside is not None
    assert "`statsu`" in decision.beside.body
    assert decision.beside.reaction_to == 100


async def test_requests_come_before_the_questions_about_them() -> None:
    decision = await decide("@skillbench status\n@skillbench run")
    assert isinstance(decision, Enqueue)
    assert len(decision.requests) == 1
    assert decision.inquire is not None
    assert decision.replies == ()


async def test_an_estimate_holds_what_a_run_would_ask_for() -> None:
    decision = await decide("@skillbench estimate sonnet --skill a --trials 3 --vs previous")
    assert isinstance(decision, Inquire)
    [inquiry] = decision.inquiries
    request = inquiry.request
    assert (request.models, request.skill, request.trials) == (("sonnet",), "a", 3)
    assert (request.vs, request.key) == ("previous", "")


async def test_every_option_of_a_run_reaches_its_request() -> None:
    decision = await decide(
        "@skillbench run --vs @0a1b2c3 --trials 5 --judge gpt-4.1 --fresh --override-budget",
        Role("admin"),
    )
    assert isinstance(decision, Enqueue)
    [request] = decision.requests
    assert (request.vs, request.trials, request.judge) == ("@0a1b2c3", 5, "gpt-4.1")
    assert (request.fresh, request.override_budget) == (True, True)


async def test_what_is_done_again_becomes_requests_of_its_kind() -> None:
    body = "\n".join(
        f"@skillbench {words}"
        for words in (
            "rerun failed",
            "retry",
            "retry 0a1b2c3d4e5f",
            "rejudge --judge opus",
            "report",
        )
    )
    decision = await decide(body)
    assert isinstance(decision, Enqueue)
    told = [(one.kind, one.only_failed, one.run, one.judge) for one in decision.requests]
    assert told == [
        ("benchmark", True, None, None),
        ("benchmark", False, "latest", None),
        ("benchmark", False, "0a1b2c3d4e5f", None),
        ("rejudge", False, None, "opus"),
        ("report", False, None, None),
    ]
    assert len({one.key for one in decision.requests}) == 5


async def test_a_data_set_becomes_a_request_of_its_kind() -> None:
    decision = await decide("@skillbench dataset holy health --limit 3 --model sonnet")
    assert isinstance(decision, Enqueue)
    [request] = decision.requests
    assert (request.kind, request.models) == ("dataset", ("sonnet",))
    assert (request.dataset.benchmark, request.dataset.limit) == ("holy", 3)


@pytest.mark.parametrize(
    ("body", "runs"),
    [
        ("@skillbench cancel 0a1b2c3d4e5f", ("0a1b2c3d4e5f",)),
        (
            "\n".join(f"@skillbench cancel {run}" for run in ("a" * 12, "f" * 12, "a" * 12)),
            ("a" * 12, "f" * 12),
        ),
        ("@skillbench cancel", ()),
        ("@skillbench cancel 0a1b2c3d4e5f\n@skillbench cancel", ()),
    ],
)
async def test_single_runs_can_be_cancelled_alone(body: str, runs: tuple[str, ...]) -> None:
    decision = await decide(body)
    assert isinstance(decision, CancelRequests)
    assert decision.runs == runs


async def test_help_about_one_command_shows_its_options() -> None:
    decision = await decide("@skillbench help run", Role("none"))
    assert isinstance(decision, Reply)
    assert "| `--vs REF` |" in decision.body


async def test_on_a_pull_request_a_run_may_name_the_commit_it_is_for() -> None:
    decision = await decide("@skillbench run @0A1B2C3 sonnet", is_pull_request=True)
    assert isinstance(decision, Enqueue)
    [request] = decision.requests
    assert (request.is_pull_request, request.head, request.models) == (True, "0a1b2c3", ("sonnet",))


async def test_on_an_issue_a_commit_is_answered_with_the_way_to_name_another_version() -> None:
    decision = await decide("@skillbench run @0a1b2c3")
    assert isinstance(decision, Reply)
    assert "--vs @SHA" in decision.body


@pytest.mark.parametrize("command", ["lint", "trigger", "sync", "summary", "estimate"])
async def test_on_a_pull_request_what_is_for_issues_is_answered_so(command: str) -> None:
    decision = await decide(f"@skillbench {command}", is_pull_request=True)
    assert isinstance(decision, Reply)
    assert f"`{command}` is for issues" in decision.body


@pytest.mark.parametrize("command", ["status", "queue", "results", "config", "ping"])
async def test_on_a_pull_request_what_is_for_everywhere_is_answered(command: str) -> None:
    assert isinstance(await decide(f"@skillbench {command}", is_pull_request=True), Inquire)
