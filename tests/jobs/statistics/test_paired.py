"""The interval of a mean difference over few evals; what it covers is shown by simulation."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from jobs.statistics.intervals import Interval
from jobs.statistics.paired import find_paired_interval


def test_from_twenty_evals_it_is_students():
    differences = [0.05 * (one % 7) - 0.1 for one in range(20)]
    found = find_paired_interval(differences)
    student = stats.ttest_1samp(differences, 0).confidence_interval(0.95)
    assert found == pytest.approx((student.low, student.high))


@given(st.lists(st.sampled_from([-0.5, -0.25, 0.0, 0.25, 0.5, 1.0]), min_size=6, max_size=11))
def test_below_it_holds_every_mean_that_sign_flips_do_not_rule_out(differences: list[float]):
    """Whatever lies outside is rejected by the permutation test itself, on either side."""
    found = find_paired_interval(differences)
    if found is None:
        assert len(set(differences)) == 1
        return
    for beyond, side in ((found.low - 0.01, 1), (found.high + 0.01, -1)):
        around = [side * (one - beyond) for one in differences]
        seen = sum(around)
        flips = product((-1, 1), repeat=len(around))
        sums = [sum(s * one for s, one in zip(signs, around, strict=True)) for signs in flips]
        assert sum(one >= seen - 1e-9 for one in sums) / len(sums) <= 0.025


def test_at_six_evals_it_reaches_from_the_least_to_the_most_at_least():
    differences = [0.0, 0.0, 0.1, 0.1, 0.2, 0.9]
    found = find_paired_interval(differences)
    assert found is not None
    assert found.low <= 0.0
    assert found.high >= 0.9


@pytest.mark.parametrize("count", range(6))
def test_fewer_than_six_evals_have_none(count: int):
    assert find_paired_interval([0.1 * one for one in range(count)]) is None


@pytest.mark.parametrize("count", [6, 30])
def test_no_spread_is_no_certainty(count: int):
    assert find_paired_interval([0.1] * count) is None


def test_evals_that_share_fixtures_are_no_more_than_these():
    differences = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    assert find_paired_interval(differences, clusters=list("abcdee")) is None


def test_likeness_within_fixtures_makes_it_wider():
    differences = [one for one in (0.0, 0.1, 0.3, 0.5, 0.2, 0.4, 0.1, 0.6) for _ in range(4)]
    names = [str(one // 4) for one in range(32)]
    alone, shared = (find_paired_interval(differences, clusters=c) for c in (None, names))
    assert alone is not None
    assert shared is not None
    assert shared.high - shared.low > 2 * (alone.high - alone.low)


def test_equal_fixtures_count_as_their_means():
    means = [0.0, 0.1, 0.3, 0.5, 0.2, 0.4, 0.1]
    differences = [mean + off for mean in means for off in (-0.1, 0.0, 0.1)]
    found = find_paired_interval(differences, clusters=[str(one // 3) for one in range(21)])
    student = stats.ttest_1samp(means, 0).confidence_interval(0.95)
    assert found == pytest.approx((student.low, student.high))


def test_one_large_fixture_leaves_little_to_lean_on():
    """Seven fixtures, one of them with 14 of 20 evals: not six degrees of freedom, but two."""
    differences = [0.3 + 0.01 * one for one in range(14)] + [0.1, 0.2, 0.0, 0.3, 0.1, 0.2]
    names = ["big"] * 14 + list("abcdef")
    alone, shared = (find_paired_interval(differences, clusters=c) for c in (None, names))
    assert alone is not None
    assert shared is not None
    assert shared.high - shared.low > 5 * (alone.high - alone.low)


def test_fixtures_that_cancel_out_within_show_no_spread():
    differences = [0.5, -0.5] * 6
    assert find_paired_interval(differences, clusters=[str(one // 2) for one in range(12)]) is None


def test_more_confidence_than_the_flips_can_give_is_not_given():
    assert find_paired_interval([0.1, 0.2, 0.3, 0.0, 0.1, 0.2], confidence=0.99) is None


def test_mirrored_differences_have_the_mirrored_interval():
    differences = [0.0, 0.25, 0.5, -0.25, 1.0, 0.0, 0.25]
    found, mirrored = (find_paired_interval([s * d for d in differences]) for s in (1, -1))
    assert found is not None
    assert mirrored == pytest.approx(Interval(-found.high, -found.low))


def test_names_for_other_evals_are_refused():
    with pytest.raises(ValueError, match="shorter"):
        find_paired_interval([0.1] * 6, clusters=["a"] * 5)
