"""Intervals, against published values, against exact enumeration, and by their own promise."""

from itertools import product
from random import Random
from statistics import mean

import pytest

from jobs.statistics.intervals import find_paired_interval, find_rate_interval


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


@pytest.mark.parametrize("count", range(6))
def test_fewer_than_six_differences_exclude_nothing(count: int):
    assert find_paired_interval([1.0] * count) is None


def test_the_interval_ends_where_the_sign_flip_test_does():
    differences = [0.1, 0.4, -0.2, 0.9, 0.3, 0.6, 0.0, 0.5]

    def p_greater(shift: float) -> float:
        left = [one - shift for one in differences]
        means = [
            mean(sign * one for sign, one in zip(signs, left, strict=True))
            for signs in product((1, -1), repeat=len(left))
        ]
        return sum(one >= mean(left) - 1e-12 for one in means) / len(means)

    found = find_paired_interval(differences)
    assert found is not None
    assert p_greater(found.low - 1e-3) <= 0.025 < p_greater(found.low + 1e-3)
    mirrored = find_paired_interval([-one for one in differences])
    assert mirrored == pytest.approx((-found.high, -found.low), abs=1e-5)


def test_six_gains_exclude_zero_and_mixed_signs_do_not():
    gains = find_paired_interval([0.1, 0.2, 0.3, 0.2, 0.1, 0.4])
    mixed = find_paired_interval([0.1, -0.2, 0.3, -0.2, 0.1, 0.0])
    assert gains is not None
    assert mixed is not None
    assert gains.excludes_zero
    assert not mixed.excludes_zero


def test_differences_without_spread_have_their_value_for_an_interval():
    assert find_paired_interval([0.5] * 6) == (0.5, 0.5)


def test_the_interval_covers_the_truth_as_often_as_it_says():
    draw = Random(7)
    sets = [[draw.gauss(0.2, 0.5) for _ in range(8)] for _ in range(120)]
    covered = 0
    for differences in sets:
        found = find_paired_interval(differences)
        assert found is not None
        covered += found.low <= 0.2 <= found.high
    assert covered / len(sets) >= 0.9
