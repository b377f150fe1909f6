"""When a label starts a benchmark, and what everybody else is told."""

import pytest

from config.repo_file import parse_repo_file
from handlers.decisions import Enqueue, Ignore, Reply
from handlers.issue_labelled import on_issue_labelled
from jobs.requests import Repo
from tests.builders import NOON
from tests.handlers.events import (
    MONA,
    OTHER_BOT,
    OURSELVES,
    Role,
    a_context,
    a_labelled,
    a_repository,
)


async def test_the_label_by_somebody_with_write_permission_starts_a_request() -> None:
    decision = await on_issue_labelled(a_labelled(), a_context(), Role("write"))
    assert isinstance(decision, Enqueue)
    [request] = decision.requests
    assert decision.replies == ()
    assert request.key == "label:acme/skills#21"
    assert request.repo == Repo(owner="acme", name="skills", installation_id=7)
    assert (request.issue, request.asker, request.origin) == (21, "mona", "label")
    assert request.asked_at == NOON


async def test_opened_and_labelled_lead_to_one_key() -> None:
    opened = a_labelled(labels=("bug", "needs-benchmark"), delivery="d-1")
    labelled = a_labelled(labels=("needs-benchmark",), delivery="d-2")
    keys = set()
    for event in (opened, labelled):
        decision = await on_issue_labelled(event, a_context(), Role())
        assert isinstance(decision, Enqueue)
        keys.add(decision.requests[0].key)
    assert len(keys) == 1


@pytest.mark.parametrize("labels", [("bug",), ("needs-benchmarks",), ("benchmark", "eval")])
async def test_other_labels_ask_nothing(labels: tuple[str, ...]) -> None:
    role = Role()
    assert isinstance(await on_issue_labelled(a_labelled(labels=labels), a_context(), role), Ignore)
    assert role.asked == []


async def test_a_label_is_the_same_in_any_case() -> None:
    """GitHub's labels are."""
    event = a_labelled(labels=("Needs-Benchmark",))
    assert isinstance(await on_issue_labelled(event, a_context(), Role()), Enqueue)


@pytest.mark.parametrize("sender", [OURSELVES, OTHER_BOT])
async def test_a_label_that_a_bot_put_on_starts_nothing(sender: object) -> None:
    role = Role()
    decision = await on_issue_labelled(a_labelled(sender=sender), a_context(), role)
    assert isinstance(decision, Ignore)
    assert role.asked == []


@pytest.mark.parametrize("role", ["triage", "read", "none", "", "WRITE", "custom-role"])
async def test_whoever_may_not_spend_gets_one_line(role: str) -> None:
    """Triage may label, and an issue form labels for everybody."""
    decision = await on_issue_labelled(a_labelled(), a_context(), Role(role))
    assert isinstance(decision, Reply)
    assert "write permission" in decision.body


@pytest.mark.parametrize("role", ["admin", "maintain", "write"])
async def test_whoever_may_write_may_spend(role: str) -> None:
    assert isinstance(await on_issue_labelled(a_labelled(), a_context(), Role(role)), Enqueue)


async def test_a_redelivery_finds_the_first_refusal() -> None:
    tags = set()
    for delivery, labels in (("d-1", ("needs-benchmark",)), ("d-2", ("x", "needs-benchmark"))):
        event = a_labelled(delivery=delivery, labels=labels)
        decision = await on_issue_labelled(event, a_context(), Role("read"))
        assert isinstance(decision, Reply)
        tags.add(decision.tag)
    assert len(tags) == 1


async def test_an_owner_who_is_not_allowed_is_told_the_setting_before_any_question() -> None:
    role = Role("admin")
    event = a_labelled(repository=a_repository(owner="stranger"))
    decision = await on_issue_labelled(event, a_context(), role)
    assert isinstance(decision, Reply)
    assert "SKILLBENCH_ALLOWED_OWNERS" in decision.body
    assert role.asked == []


@pytest.mark.parametrize("allowed", [("*",), ("Stranger",), ("acme", "stranger")])
async def test_owners_are_allowed_by_name_in_any_case_or_all_at_once(
    allowed: tuple[str, ...],
) -> None:
    event = a_labelled(repository=a_repository(owner="stranger"))
    decision = await on_issue_labelled(event, a_context(allowed_owners=allowed), Role())
    assert isinstance(decision, Enqueue)


async def test_nobody_is_allowed_where_nobody_is_named() -> None:
    """An App whose owner is not known yet must not serve everybody."""
    decision = await on_issue_labelled(a_labelled(), a_context(allowed_owners=()), Role())
    assert isinstance(decision, Reply)


async def test_a_labelled_pull_request_is_asked_about_as_one() -> None:
    decision = await on_issue_labelled(a_labelled(is_pull_request=True), a_context(), Role())
    assert isinstance(decision, Enqueue)
    (request,) = decision.requests
    assert (request.is_pull_request, request.origin, request.head) == (True, "label", "")


async def test_the_permission_of_the_person_who_labelled_is_asked_for() -> None:
    role = Role()
    await on_issue_labelled(a_labelled(sender=MONA), a_context(), role)
    assert role.asked == ["mona"]


async def test_the_label_has_the_name_that_the_repositorys_file_gives_it() -> None:
    role = Role()
    role.file = parse_repo_file(b"labels: {run: Measure it}")
    event = a_labelled(labels=("measure IT",), at=NOON)
    decision = await on_issue_labelled(event, a_context(), role)
    assert isinstance(decision, Enqueue)
    [request] = decision.requests
    assert (request.label, request.text_as_of) == ("Measure it", NOON)
    assert isinstance(await on_issue_labelled(a_labelled(), a_context(), role), Ignore)


@pytest.mark.parametrize(
    ("file", "role", "starts"),
    [
        (b"permissions: {run: maintain}", "write", False),
        (b"permissions: {run: maintain}", "maintain", True),
        (b"permissions: {run: triage}", "triage", True),
    ],
)
async def test_the_repositorys_file_says_who_may_start_one(
    file: bytes, role: str, starts: bool
) -> None:
    asked = Role(role)
    asked.file = parse_repo_file(file)
    decision = await on_issue_labelled(a_labelled(), a_context(), asked)
    assert isinstance(decision, Enqueue if starts else Reply)
    assert starts or "people with maintain permission" in decision.body


KEPT = b"evals: {sync: true}"


async def test_a_label_of_eval_cases_asks_for_their_files_where_that_is_wanted() -> None:
    role = Role()
    role.file = parse_repo_file(KEPT)
    for number in (21, 22):
        event = a_labelled(labels=("Benchmark",), issue=number)
        decision = await on_issue_labelled(event, a_context(), role)
        assert isinstance(decision, Enqueue)
        [request] = decision.requests
        assert (request.kind, request.key, request.issue) == ("sync", "sync:acme/skills", 0)


async def test_an_issue_opened_with_both_labels_asks_for_both() -> None:
    role = Role()
    role.file = parse_repo_file(KEPT)
    event = a_labelled(labels=("eval", "needs-benchmark"))
    decision = await on_issue_labelled(event, a_context(), role)
    assert isinstance(decision, Enqueue)
    assert [request.kind for request in decision.requests] == ["benchmark", "sync"]


async def test_a_stranger_whose_form_sets_the_label_of_eval_cases_is_told_nothing() -> None:
    role = Role("read")
    role.file = parse_repo_file(KEPT)
    event = a_labelled(labels=("eval",))
    assert isinstance(await on_issue_labelled(event, a_context(), role), Ignore)


async def test_no_file_is_asked_for_where_nobody_is_served() -> None:
    role = Role()
    role.file = parse_repo_file(b"labels: {run: bug}")
    event = a_labelled(repository=a_repository(owner="stranger"), labels=("bug",))
    assert isinstance(await on_issue_labelled(event, a_context(), role), Ignore)
