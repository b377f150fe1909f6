"""Each answer of GitHub leads to the exception that knows what to do next."""

from typing import Any

import httpx
import pytest

from bot.github.failures import (
    BadCredentials,
    Forbidden,
    Limited,
    Moved,
    NotFound,
    Rejected,
    ServerTrouble,
    TokenExpired,
    failure_of,
    token_failure_of,
)
from tests.bot.github.clocks import START

SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes."


def an_answer(
    status: int, body: Any = None, headers: dict[str, str] | None = None
) -> httpx.Response:
    request = httpx.Request("POST", "https://ghe.example/api/v3/repos/a/b/issues?token=hidden")
    return httpx.Response(status, json=body, headers=headers, request=request)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (301, Moved),
        (307, Moved),
        (400, Rejected),
        (401, TokenExpired),
        (403, Forbidden),
        (404, NotFound),
        (409, Rejected),
        (410, NotFound),
        (422, Rejected),
        (429, Limited),
        (451, NotFound),
        (500, ServerTrouble),
        (503, ServerTrouble),
        (520, ServerTrouble),
    ],
)
def test_a_status_leads_to_its_failure(status: int, kind: type[Exception]):
    failure = failure_of(an_answer(status, {"message": "No"}), now=START)
    assert type(failure) is kind
    assert f"GitHub answered {status} to POST /api/v3/repos/a/b/issues" in str(failure)


@pytest.mark.parametrize("status", [403, 429])
def test_a_secondary_limit_without_retry_after_is_known_by_its_words(status: int):
    headers = {"x-ratelimit-remaining": "4700", "x-ratelimit-reset": str(int(START) - 500)}
    failure = failure_of(an_answer(status, {"message": SECONDARY}, headers), now=START)
    assert isinstance(failure, Limited)
    assert failure.wait_s is None


def test_a_secondary_limit_with_no_quota_left_does_not_wait_for_the_reset_of_the_primary_one():
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(START) + 3000)}
    failure = failure_of(an_answer(403, {"message": SECONDARY}, headers), now=START)
    assert isinstance(failure, Limited)
    assert failure.wait_s is None


@pytest.mark.parametrize(
    ("value", "wait_s"), [("30", 30.0), ("Mon, 04 May 2026 12:02:00 GMT", 120.0), ("0", 0.0)]
)
def test_retry_after_is_taken_at_its_word_in_both_forms(value: str, wait_s: float):
    failure = failure_of(an_answer(429, {}, {"retry-after": value}), now=START)
    assert isinstance(failure, Limited)
    assert failure.wait_s == wait_s


@pytest.mark.parametrize("value", ["9" * 400, "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_an_absurd_wait_is_cut_to_a_day(value: str):
    for headers in (
        {"retry-after": value},
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "9" * 400},
    ):
        failure = failure_of(an_answer(403, {}, headers), now=START)
        assert isinstance(failure, Limited)
        assert failure.wait_s == 86_400


@pytest.mark.parametrize("value", ["soon", "", "-5", "\u00b2", "1.5"])
def test_an_unreadable_retry_after_is_a_limit_without_a_time(value: str):
    request = httpx.Request("POST", "https://api.github.com/x")
    headers = [(b"retry-after", value.encode("latin-1"))]
    answer = httpx.Response(429, headers=headers, request=request)
    failure = failure_of(answer, now=START)
    assert isinstance(failure, Limited)
    assert failure.wait_s is None


def test_a_primary_limit_waits_until_just_after_the_reset():
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(START) + 600)}
    failure = failure_of(an_answer(403, {"message": "API rate limit"}, headers), now=START)
    assert isinstance(failure, Limited)
    assert failure.wait_s == 601


@pytest.mark.parametrize("body", [None, [], "text", {"message": None}, {"errors": "odd"}])
def test_a_body_of_another_shape_is_no_trouble(body: Any):
    assert isinstance(failure_of(an_answer(422, body), now=START), Rejected)


def test_a_page_of_html_instead_of_json_is_no_trouble():
    request = httpx.Request("GET", "https://api.github.com/app")
    response = httpx.Response(502, text="<html>Unicorn!</html>", request=request)
    assert "Unicorn" not in str(failure_of(response, now=START))


def test_a_refused_field_is_named_and_neither_query_nor_body_is():
    errors = [{"resource": "Issue", "field": "body", "code": "custom", "message": "is too long"}]
    body = {"message": "Validation Failed", "errors": errors}
    failure = failure_of(an_answer(422, body), now=START)
    assert isinstance(failure, Rejected)
    assert failure.codes == ("custom",)
    assert "Validation Failed is too long" in str(failure)
    assert "hidden" not in str(failure)


def test_a_long_message_is_cut():
    failure = failure_of(an_answer(400, {"message": "x" * 5000}), now=START)
    assert len(str(failure)) < 300


@pytest.mark.parametrize(
    ("status", "kind", "word"),
    [
        (403, Forbidden, "installation 7 gives no access"),
        (404, NotFound, "not installed any more"),
        (401, BadCredentials, "SKILLBENCH_GITHUB_PRIVATE_KEY"),
        (502, ServerTrouble, "502"),
    ],
)
def test_a_refused_token_speaks_of_the_installation(status: int, kind: type[Exception], word: str):
    failure = token_failure_of(an_answer(status, {"message": "No"}), 7, now=START)
    assert type(failure) is kind
    assert word in str(failure)
