"""How long a platform is given: longer each time, with jitter, and never for ever."""

import pytest

from jobs.models.door import Trouble
from jobs.models.retries import RetryPolicy

POLICY = RetryPolicy()


def a_trouble(**changes) -> Trouble:
    return Trouble(**({"kind": "rate_limited", "detail": "429", "retry": True} | changes))


def test_waits_double_up_to_a_bound():
    for attempt, most in [(1, 1), (2, 2), (3, 4), (6, 32), (7, 40)]:
        waits = [POLICY.wait_s(a_trouble(), attempt, 0) for _ in range(50)]
        assert all(wait is not None and most / 2 <= wait <= most for wait in waits)
        assert len(set(waits)) > 1, "two sessions must not come back together"


def test_all_waits_together_outlive_a_limit_counted_by_the_minute():
    waits = [POLICY.wait_s(a_trouble(), attempt, 0) for attempt in range(1, POLICY.attempts)]
    assert 60 < sum(wait or 0 for wait in waits) < 180


def test_retry_after_is_a_lower_bound():
    waits = [POLICY.wait_s(a_trouble(retry_after_s=30.0), 1, 0) for _ in range(20)]
    assert all(wait is not None and 30 <= wait <= 31 for wait in waits)


@pytest.mark.parametrize(
    ("changes", "attempt", "stalls"),
    [
        ({"retry": False}, 1, 0),
        ({}, 8, 0),
        ({"kind": "stalled"}, 3, 3),
        ({"retry_after_s": 3600.0}, 1, 0),
    ],
    ids=["hopeless", "too often", "too long silent", "asked for an hour"],
)
def test_there_is_an_end(changes, attempt, stalls):
    assert POLICY.wait_s(a_trouble(**changes), attempt, stalls) is None
