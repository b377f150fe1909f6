"""What an event keeps of a payload, and which payloads mean none."""

import json
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from bot.payloads import Ignored, parse_event
from handlers.events import (
    Actor,
    Event,
    EventRepository,
    IssueCommented,
    IssueLabelled,
    IssueUnlabelled,
)
from tests.bot.web import a_comment_payload, a_label_payload, a_payload, an_account


def parse(name: str, payload: dict[str, Any]) -> Event | Ignored:
    return parse_event(name, json.dumps(payload).encode(), "d-1")


def test_a_label_becomes_an_event() -> None:
    assert parse("issues", a_label_payload()) == IssueLabelled(
        delivery="d-1",
        repository=EventRepository(
            id=9, owner="acme", name="skills", private=False, installation_id=7
        ),
        sender=Actor(id=5, login="mona", is_bot=False),
        issue=21,
        is_pull_request=False,
        labels=("needs-benchmark",),
    )


def test_only_the_label_just_added_counts_and_not_those_that_were_there() -> None:
    issue = {"number": 21, "labels": [{"name": "needs-benchmark"}, {"name": "later"}]}
    event = parse("issues", a_label_payload("later", issue=issue))
    assert isinstance(event, IssueLabelled)
    assert event.labels == ("later",)


def test_an_issue_opened_with_labels_holds_all_of_them() -> None:
    issue = {"number": 21, "labels": [{"name": "bug"}, {"name": "needs-benchmark"}]}
    event = parse("issues", a_payload("opened", issue=issue))
    assert isinstance(event, IssueLabelled)
    assert event.labels == ("bug", "needs-benchmark")


def test_a_label_that_was_taken_off_becomes_an_event() -> None:
    """Those that are still there do not matter."""
    issue = {"number": 21, "labels": [{"name": "bug"}]}
    label = {"id": 1, "name": "needs-benchmark"}
    event = parse("issues", a_payload("unlabeled", issue=issue, label=label))
    assert isinstance(event, IssueUnlabelled)
    assert (event.issue, event.label, event.sender.login) == (21, "needs-benchmark", "mona")


def test_a_comment_becomes_an_event() -> None:
    event = parse("issue_comment", a_comment_payload("hi"))
    assert isinstance(event, IssueCommented)
    assert (event.comment_id, event.body, event.body_before) == (100, "hi", None)
    assert event.created_at == datetime(2026, 5, 4, 12, tzinfo=UTC)


def test_an_edit_knows_the_text_before_it() -> None:
    changes = {"body": {"from": "old"}}
    event = parse("issue_comment", a_comment_payload("new", "edited", changes=changes))
    assert isinstance(event, IssueCommented)
    assert event.body_before == "old"
    assert event.changed_at is None, "older servers may not tell"


def test_an_edit_knows_when_it_was_made() -> None:
    payload = a_comment_payload("new", "edited", changes={"body": {"from": "old"}})
    payload["comment"]["updated_at"] = "2026-05-04T13:00:00Z"
    event = parse("issue_comment", payload)
    assert isinstance(event, IssueCommented)
    assert event.changed_at == datetime(2026, 5, 4, 13, tzinfo=UTC)


def test_a_comment_that_was_empty_before_the_edit_has_an_empty_text_before() -> None:
    """None would make it look like a new comment, whose every command counts."""
    event = parse("issue_comment", a_comment_payload("x", "edited", changes={"body": {}}))
    assert isinstance(event, IssueCommented)
    assert event.body_before == ""


def test_a_pull_request_is_told_from_an_issue() -> None:
    issue = {"number": 4, "pull_request": {"url": "https://example.org"}}
    event = parse("issue_comment", a_comment_payload(issue=issue))
    assert isinstance(event, IssueCommented)
    assert event.is_pull_request


def test_a_bot_is_known_by_its_kind_of_account() -> None:
    sender = an_account("skillbench[bot]", 99, "Bot")
    event = parse("issue_comment", a_comment_payload(sender=sender))
    assert isinstance(event, IssueCommented)
    assert event.sender == Actor(id=99, login="skillbench[bot]", is_bot=True)


def test_fields_that_may_be_empty_are_no_error() -> None:
    """Deleted accounts and emptied texts are null."""
    payload = a_comment_payload()
    payload["comment"] |= {"body": None, "user": None}
    payload["issue"]["pull_request"] = None
    event = parse("issue_comment", payload)
    assert isinstance(event, IssueCommented)
    assert event.body == ""
    assert not event.is_pull_request


@pytest.mark.parametrize(
    ("name", "payload", "word"),
    [
        ("issues", a_label_payload(installation=None), "installation"),
        ("issue_comment", a_comment_payload(installation=None), "installation"),
        ("issues", a_payload("labeled"), "no label"),
        ("issues", a_payload("opened"), "no label"),
        ("issues", a_payload("edited"), "issues.edited"),
        ("issues", a_payload("transferred"), "issues.transferred"),
        ("issue_comment", a_comment_payload(action="deleted"), "issue_comment.deleted"),
        ("issue_comment", a_comment_payload(action="edited"), "not changed"),
        ("issue_comment", a_comment_payload(action="edited", changes={}), "not changed"),
        ("pull_request", a_payload("assigned"), "pull_request.assigned"),
        ("ping", {}, "ping"),
    ],
)
def test_a_payload_that_means_nothing_to_us_says_why(
    name: str, payload: dict[str, Any], word: str
) -> None:
    content = parse(name, payload)
    assert isinstance(content, Ignored)
    assert word in content.reason


def test_a_bots_comment_that_somebody_else_edits_is_not_that_persons_command() -> None:
    payload = a_comment_payload("…", "edited", changes={"body": {"from": "report"}})
    payload["comment"]["user"] = an_account("skillbench[bot]", 99, "Bot")
    content = parse("issue_comment", payload)
    assert isinstance(content, Ignored)
    assert "bot's comment" in content.reason


@pytest.mark.parametrize("missing", ["issue", "comment", "repository", "sender"])
def test_a_payload_that_lacks_what_github_promises_is_an_error(missing: str) -> None:
    payload = a_comment_payload()
    del payload[missing]
    with pytest.raises(msgspec.ValidationError, match=missing):
        parse("issue_comment", payload)
