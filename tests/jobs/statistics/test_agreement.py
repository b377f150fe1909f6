"""Agreement beyond chance, against published values."""

from math import isnan, nan

import pytest

from jobs.statistics.agreement import find_alpha, find_kappa

WORDS = ("fail", "partial", "pass")


def test_kappa_is_cohens():
    """J. L. Fleiss' example of two raters: 70 % agree, 50 % would by chance."""
    pairs = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    assert find_kappa([a for a, _ in pairs], [b for _, b in pairs]) == pytest.approx(0.4)


def test_full_agreement_on_several_words_is_one():
    assert find_kappa(["pass", "fail"], ["pass", "fail"]) == 1


@pytest.mark.parametrize("said", [[], ["pass"], ["pass"] * 20])
def test_kappa_has_no_value_where_one_word_was_said(said: list[str]):
    assert find_kappa(said, said) is None


def test_kappa_is_zero_where_one_reader_always_says_the_same():
    assert find_kappa(["pass"] * 4, ["pass", "pass", "fail", "fail"]) == 0


def test_kappa_of_readings_of_unequal_length_is_refused():
    with pytest.raises(ValueError, match="longer"):
        find_kappa(["pass"], ["pass", "fail"])


def test_alpha_is_krippendorffs():
    """The data of *Computing Krippendorff's alpha-reliability* (2011), section D, as ranks."""
    rows = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
        [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
    ]
    ratings = [[None if isnan(one) else str(one) for one in row] for row in rows]
    assert find_alpha(ratings, list("12345")) == pytest.approx(0.815, abs=0.001)


def test_one_step_apart_is_less_than_two():
    near = find_alpha([["pass", "fail", "pass"], ["partial", "fail", "pass"]], WORDS)
    far = find_alpha([["pass", "fail", "pass"], ["fail", "fail", "pass"]], WORDS)
    assert near is not None
    assert far is not None
    assert near > far


@pytest.mark.parametrize(
    "ratings",
    [
        [],
        [[], []],
        [["pass", "fail"]],
        [["pass", None], [None, "fail"]],
        [["pass", "pass"], ["pass", "pass"]],
        [["pass", "fail"], ["pass", None]],
    ],
)
def test_alpha_has_no_value_where_nothing_can_be_compared(ratings: list[list[str | None]]):
    assert find_alpha(ratings, WORDS) is None


def test_alpha_of_full_agreement_is_one():
    assert find_alpha([["pass", "fail"], ["pass", "fail"]], WORDS) == 1


def test_a_word_without_a_rank_is_named():
    with pytest.raises(ValueError, match="no rank is known of 'maybe'; known: fail, partial, pass"):
        find_alpha([["maybe"], ["pass"]], WORDS)


def test_raters_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match="longer"):
        find_alpha([["pass"], ["pass", "fail"]], WORDS)
