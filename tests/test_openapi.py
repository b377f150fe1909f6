"""The judge of exchanges itself: it must refuse what GitHub would not send or understand."""

import copy
from typing import Any

import pytest

from demo.github.shapes import Addresses, account_shape
from demo.github.state import Account
from tests.builders import NOON
from tests.openapi import NotDescribed, load_description

COMMENTS = "/repos/o/r/issues/1/comments"
_AT = Addresses(api="https://a.test/api/v3", uploads="https://a.test/u", web="https://a.test")
_USER = account_shape(_AT, Account(id=1, login="maria", kind="User", created_at=NOON))
REACTION: dict[str, Any] = {
    "id": 1,
    "node_id": "x",
    "user": _USER,
    "content": "eyes",
    "created_at": "2026-01-01T00:00:00Z",
}


def test_a_right_exchange_passes() -> None:
    description = load_description()
    description.validate_request("POST", COMMENTS, {"body": "x"}, {})
    description.validate_request("GET", COMMENTS, None, {"per_page": "100", "page": "2"})
    path = "/repos/o/r/issues/1/reactions"
    description.validate_response("POST", path, 201, REACTION)
    description.validate_response("POST", path, 201, REACTION | {"user": None})


@pytest.mark.parametrize(
    ("method", "path", "body", "query"),
    [
        ("POST", COMMENTS, {}, {}),
        ("POST", COMMENTS, {"body": 7}, {}),
        ("POST", COMMENTS, {"body": "x", "bdy": "x"}, {}),
        ("GET", COMMENTS, {"body": "x"}, {}),
        ("GET", COMMENTS, None, {"perpage": "100"}),
        ("GET", COMMENTS, None, {"per_page": "many"}),
        ("PUT", COMMENTS, None, {}),
        ("GET", "/repos/o/r/no-such-thing", None, {}),
        ("POST", "/repos/o/r/issues/1/reactions", {"content": "shrug"}, {}),
    ],
)
def test_a_request_that_github_would_not_understand_is_refused(
    method: str, path: str, body: Any, query: dict[str, str]
) -> None:
    with pytest.raises(NotDescribed, match=f"{method} "):
        load_description().validate_request(method, path, body, query)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"content": "shrug"}, "content"),
        ({"id": "one"}, "id"),
        ({"created_at": "yesterday"}, "created_at"),
        ({"user": {"login": "maria"}}, "user"),
        ({"user": _USER | {"avatar_url": "/relative"}}, "avatar_url"),
        ({"node_id": None}, "node_id"),
    ],
)
def test_an_answer_that_github_would_not_give_is_refused_by_the_place(
    change: dict[str, Any], place: str
) -> None:
    answer = copy.deepcopy(REACTION) | change
    with pytest.raises(NotDescribed, match=place):
        load_description().validate_response("POST", "/repos/o/r/issues/1/reactions", 201, answer)


def test_a_status_that_github_does_not_describe_is_refused() -> None:
    with pytest.raises(NotDescribed, match="does not describe"):
        load_description().validate_response("GET", COMMENTS, 204, None)


def test_a_payload_without_its_parts_is_refused() -> None:
    with pytest.raises(NotDescribed, match="issue"):
        load_description().validate_webhook("issues", {"action": "labeled"})
    with pytest.raises(NotDescribed, match="not described"):
        load_description().validate_webhook("issues", {"action": "painted"})
