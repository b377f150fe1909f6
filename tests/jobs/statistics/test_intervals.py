"""Intervals, against published values and by their own promise."""

from random import Random

import pytest

from jobs.statistics.intervals import Count, find_difference_interval, find_rate_interval


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),  # Newcombe, Statistics in Medicine 17 (1998), table I, method 3
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_of_a_rate_is_wilsons(successes: int, trials: int, low: float, high: float):
    found = find_rate_interval(successes, trials)
    assert found == pytest.approx((low, high), abs=1e-4)


def test_a_rate_of_nothing_has_no_interval():
    assert find_rate_interval(0, 0) is None


def test_a_difference_over_no_items_has_no_interval():
    assert find_difference_interval([]) is None


def test_the_interval_of_one_difference_joins_the_limits_of_both_rates():
    found = find_difference_interval([(Count(0, 3), Count(3, 3))])
    reach = 1 - 0.025 ** (1 / 3)  # the exact limit of 0 of 3, and of 3 of 3 from the other end
    assert found == pytest.approx((1 - (2 * reach**2) ** 0.5, 1.0))


def test_mirrored_conditions_have_mirrored_intervals():
    pairs = [(Count(1, 3), Count(3, 3)), (Count(0, 2), Count(1, 3)), (Count(3, 3), Count(2, 3))]
    found = find_difference_interval(pairs)
    mirrored = find_difference_interval([(after, before) for before, after in pairs])
    assert found is not None
    assert mirrored == pytest.approx((-found.high, -found.low))


@pytest.mark.parametrize(
    ("before", "after", "most_claims"),
    [
        ([0.5] * 8, [0.5] * 8, 0.05),
        ([0.1, 0.3, 0.7, 0.9] * 2, [0.1, 0.3, 0.7, 0.9] * 2, 0.03),
        ([0.5] * 2, [0.5] * 2, 0.05),
    ],
)
def test_conditions_that_are_the_same_are_seldom_told_apart(
    before: list[float], after: list[float], most_claims: float
):
    draw = Random(7)

    def count(rate: float) -> Count:
        return Count(sum(draw.random() < rate for _ in range(3)), 3)

    claims = 0
    for _ in range(400):
        pairs = [(count(one), count(two)) for one, two in zip(before, after, strict=True)]
        found = find_difference_interval(pairs)
        assert found is not None
        claims += found.low > 0
    assert claims / 400 <= most_claims


def test_a_skill_that_begins_to_fire_is_told_from_chance():
    fired = [(Count(0, 3), Count(3, 3))] * 4
    quiet = [(Count(3, 3), Count(3, 3))] * 4
    found = find_difference_interval([*fired, *quiet])
    assert found is not None
    assert found.low > 0
