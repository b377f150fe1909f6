"""What failures mean, by status, type and headers, whichever vendor they come from."""

import email.utils
from datetime import UTC, datetime, timedelta

import pytest

from jobs.models.troubles import trouble_from


@pytest.mark.parametrize(
    ("status", "kind", "means", "retry"),
    [
        (429, "rate_limit_error", "rate_limited", True),
        (429, "insufficient_quota", "rate_limited", False),
        (529, "overloaded_error", "rate_limited", True),
        (200, "overloaded_error", "rate_limited", True),
        (200, "rate_limit_error", "rate_limited", True),
        (200, "something_new", "error", True),
        (500, "", "error", True),
        (503, "", "error", True),
        (408, "", "error", True),
        (400, "invalid_request_error", "error", False),
        (402, "billing_error", "error", False),
        (413, "request_too_large", "context_full", False),
        (400, "context_length_exceeded", "context_full", False),
    ],
)
def test_a_status_and_type_have_a_meaning(status, kind, means, retry):
    trouble = trouble_from(status, kind, "", {})
    assert (trouble.kind, trouble.retry) == (means, retry)


def test_the_providers_words_are_never_repeated():
    trouble = trouble_from(401, "authentication_error <b>", "key sk-123 is wrong", {})
    assert trouble.detail == "the model API answered 401"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "9" * 400}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_or_passed_over(headers, seconds):
    assert trouble_from(429, "", "", headers).retry_after_s == seconds


def test_retry_after_may_be_a_date():
    until = email.utils.format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    wait = trouble_from(503, "", "", {"retry-after": until}).retry_after_s
    assert wait is not None
    assert 50 < wait <= 60
    past = trouble_from(503, "", "", {"retry-after": "Mon, 01 Jan 2024 00:00:00 GMT"})
    assert past.retry_after_s == 0


@pytest.mark.parametrize("told", ["true", "false"])
def test_a_provider_that_says_whether_to_retry_is_believed(told):
    headers = {"x-should-retry": told}
    assert trouble_from(500, "", "", headers).retry is (told == "true")
    assert trouble_from(400, "", "", headers).retry is (told == "true")
