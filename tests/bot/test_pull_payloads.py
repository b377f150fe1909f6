"""Pull requests and the buttons of their check run, as GitHub's own examples tell of them."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest

from bot.payloads import Ignored, parse_event
from handlers.events import (
    CheckRunAsked,
    IssueLabelled,
    IssueUnlabelled,
    PullRequestChanged,
    Pushed,
)
from tests.bot.test_real_payloads import examples

INSTALLED = {"installation": {"id": 7}}


def real(name: str) -> Iterator[dict[str, Any]]:
    return (payload | INSTALLED for event, payload in examples() if event == name)


def parse(name: str, payload: dict[str, Any]) -> object:
    return parse_event(name, json.dumps(payload).encode(), "d-1")


@pytest.mark.parametrize(
    ("action", "change"),
    [
        ("opened", "opened"),
        ("reopened", "opened"),
        ("ready_for_review", "opened"),
        ("synchronize", "pushed"),
        ("closed", "closed"),
    ],
)
def test_what_becomes_of_a_pull_request_is_told_with_its_head(action: str, change: str) -> None:
    found = [one for one in real("pull_request") if one["action"] == action]
    assert found
    for payload in found:
        event = parse("pull_request", payload)
        assert isinstance(event, PullRequestChanged)
        pull = payload["pull_request"]
        told = (event.change, event.issue, event.head)
        assert told == (change, pull["number"], pull["head"]["sha"])
        assert event.at == datetime.fromisoformat(pull["updated_at"])


def test_other_changes_of_pull_requests_mean_nothing() -> None:
    others = [one for one in real("pull_request") if one["action"] in {"assigned", "locked"}]
    assert others
    assert all(isinstance(parse("pull_request", one), Ignored) for one in others)


@pytest.mark.parametrize(
    ("action", "identifier", "button"),
    [
        ("requested_action", "run", "run"),
        ("requested_action", "rerun-failed", "rerun-failed"),
        ("rerequested", None, "run"),
    ],
)
def test_a_button_names_the_pull_request_by_our_tag_and_the_commit_it_stands_on(
    action: str, identifier: str | None, button: str
) -> None:
    """The payload's own list of pull requests is empty for a fork."""
    payload = next(one for one in real("check_run") if one["action"] == action)
    payload["check_run"] |= {"external_id": "pull:31", "pull_requests": []}
    if identifier is not None:
        payload["requested_action"] = {"identifier": identifier}
    event = parse("check_run", payload)
    assert isinstance(event, CheckRunAsked)
    assert (event.issue, event.button) == (31, button)
    assert event.head == payload["check_run"]["head_sha"]


@pytest.mark.parametrize("tag", ["", None, "push:abc-def", "pull:", "pull:x", "pull:٣", "xpull:3"])
def test_a_check_run_that_is_none_of_ours_on_a_pull_request_means_nothing(tag: str | None) -> None:
    payload = next(one for one in real("check_run") if one["action"] == "rerequested")
    payload["check_run"]["external_id"] = tag
    assert isinstance(parse("check_run", payload), Ignored)


def test_the_button_of_the_check_on_the_repositorys_file_names_its_commit() -> None:
    payload = next(one for one in real("check_run") if one["action"] == "rerequested")
    commit = payload["check_run"]["head_sha"]
    payload["check_run"]["external_id"] = f"config:{commit}"
    event = parse("check_run", payload)
    assert isinstance(event, Pushed)
    assert (event.after, event.touches_config, event.asked_again) == (commit, True, True)
    payload["check_run"]["external_id"] = "config:abc"
    assert isinstance(parse("check_run", payload), Ignored)


def test_a_button_that_we_never_made_means_nothing() -> None:
    payload = next(one for one in real("check_run") if one["action"] == "requested_action")
    payload["check_run"]["external_id"] = "pull:31"
    payload["requested_action"] = {"identifier": "merge"}
    assert isinstance(parse("check_run", payload), Ignored)


@pytest.mark.parametrize("name", ["pull_request", "check_run"])
def test_what_comes_by_another_hook_than_the_apps_means_nothing(name: str) -> None:
    wanted = {"opened", "rerequested"}
    payload = next(one for one in real(name) if one["action"] in wanted)
    del payload["installation"]
    assert isinstance(parse(name, payload), Ignored)


def test_another_base_is_another_comparison_and_another_title_is_none() -> None:
    edited = next(one for one in real("pull_request") if one["action"] == "closed")
    base = {"ref": {"from": "main"}, "sha": {"from": "0" * 40}}
    payload = edited | {"action": "edited", "changes": {"base": base}}
    event = parse("pull_request", payload)
    assert isinstance(event, PullRequestChanged)
    assert event.change == "retargeted"
    assert isinstance(parse("pull_request", payload | {"changes": {"title": {}}}), Ignored)


@pytest.mark.parametrize("action", ["labeled", "unlabeled"])
def test_labels_of_pull_requests_are_heard_like_those_of_issues(action: str) -> None:
    found = [one for one in real("pull_request") if one["action"] == action]
    assert found
    for payload in found:
        event = parse("pull_request", payload)
        assert isinstance(event, IssueLabelled | IssueUnlabelled)
        assert event.issue == payload["pull_request"]["number"]
        named = event.labels if isinstance(event, IssueLabelled) else (event.label,)
        assert named == (payload["label"]["name"],)
