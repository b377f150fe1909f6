"""pass@k and pass^k: unbiased, and never mistaken for each other."""

from collections.abc import Callable
from itertools import combinations

import pytest
from scipy import stats

from jobs.statistics.passes import pass_at_k, pass_hat_k


@pytest.mark.parametrize("successes", range(6))
@pytest.mark.parametrize("k", range(1, 6))
def test_they_are_shares_of_all_choices_of_trials(successes: int, k: int):
    trials = [True] * successes + [False] * (5 - successes)
    choices = list(combinations(trials, k))
    assert pass_at_k(successes, 5, k) == pytest.approx(sum(map(any, choices)) / len(choices))
    assert pass_hat_k(successes, 5, k) == pytest.approx(sum(map(all, choices)) / len(choices))


def test_over_all_outcomes_their_mean_is_the_truth():
    """At 70 %: one of five passes nearly always, all five seldom."""
    chances = [float(stats.binom.pmf(count, 8, 0.7)) for count in range(9)]
    at = sum(c * (pass_at_k(n, 8, 5) or 0) for n, c in enumerate(chances))
    hat = sum(c * (pass_hat_k(n, 8, 5) or 0) for n, c in enumerate(chances))
    assert at == pytest.approx(1 - 0.3**5)  # 0.998
    assert hat == pytest.approx(0.7**5)  # 0.168


def test_fewer_trials_than_asked_for_say_nothing():
    assert pass_at_k(2, 2, 3) is None
    assert pass_hat_k(0, 0, 1) is None


@pytest.mark.parametrize("find", [pass_at_k, pass_hat_k])
def test_counts_that_cannot_be_are_refused(find: Callable[[int, int, int], float | None]):
    for successes in (-1, 3):
        with pytest.raises(ValueError, match="of 2 trials cannot be"):
            find(successes, 2, 1)
    with pytest.raises(ValueError, match="it must be 1 or more"):
        find(1, 2, 0)
