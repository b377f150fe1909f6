"""The sign test, its power and the evals it takes, against published figures."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from jobs.statistics.signs import (
    Floors,
    find_evals_needed,
    find_power,
    find_set_power,
    find_sign_test,
)


@pytest.mark.parametrize(
    ("wins", "losses", "chance"),
    [(4, 0, 1 / 16), (5, 0, 1 / 32), (7, 1, 9 / 256), (6, 1, 8 / 128), (0, 5, 1.0)],
)
def test_the_chance_is_that_of_a_fair_coin(wins: int, losses: int, chance: float):
    found = find_sign_test([0.25] * wins + [-0.5] * losses)
    assert found.p_higher == pytest.approx(chance)


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.5]), max_size=40))
def test_without_shared_fixtures_it_is_the_binomial_test(differences: list[float]):
    found = find_sign_test(differences)
    assert found.wins + found.ties + found.losses == len(differences)
    if not found.wins + found.losses:
        assert (found.p_higher, found.p_lower) == (None, None)
        return
    differing = found.wins + found.losses
    higher = stats.binomtest(found.wins, differing, alternative="greater").pvalue
    lower = stats.binomtest(found.wins, differing, alternative="less").pvalue
    assert (found.p_higher, found.p_lower) == pytest.approx((higher, lower))


def test_what_rounding_leaves_is_a_tie():
    assert find_sign_test([0.1 + 0.2 - 0.3, 0.3 - 0.1 - 0.2])[:3] == (0, 2, 0)


def test_evals_of_one_fixture_are_one_toss():
    alone = find_sign_test([0.5] * 6)
    shared = find_sign_test([0.5] * 6, list("aabbcc"))
    assert alone.p_higher == 1 / 64
    assert shared.p_higher == 1 / 8
    assert shared.wins == 6


@given(
    st.lists(
        st.tuples(st.sampled_from([-1.0, 0.0, 1.0]), st.sampled_from("abcdef")),
        min_size=1,
        max_size=12,
    )
)
def test_the_shared_tosses_are_those_of_all_ways_to_flip(rows: list[tuple[float, str]]):
    differences, names = [row[0] for row in rows], [row[1] for row in rows]
    nets = [sum(d for d, name in rows if name == one) for one in sorted(set(names))]
    seen = sum(nets)
    flipped = [
        sum(sign * net for sign, net in zip(signs, nets, strict=True))
        for signs in product((-1, 1), repeat=len(nets))
    ]
    found = find_sign_test(differences, names)
    if not any(differences):
        assert found.p_higher is None
        return
    assert found.p_higher == pytest.approx(sum(one >= seen for one in flipped) / len(flipped))
    assert found.p_lower == pytest.approx(sum(one <= seen for one in flipped) / len(flipped))


# dotnet/skills, pull request 1027: one-sided 5 %
FIRST_ENOUGH = {0.6: 158, 0.7: 37, 0.8: 18, 0.9: 8}
POWER_AT_FIVE = {0.6: 0.08, 0.7: 0.17, 0.8: 0.33, 0.9: 0.59}


@pytest.mark.parametrize(("win_rate", "power"), POWER_AT_FIVE.items())
def test_five_evals_show_little(win_rate: float, power: float):
    assert find_power(5, win_rate, 0.05) == pytest.approx(power, abs=0.005)


@pytest.mark.parametrize(("win_rate", "first"), FIRST_ENOUGH.items())
def test_the_power_first_reaches_eighty_percent_as_published(win_rate: float, first: int):
    powers = [find_power(count, win_rate, 0.05) for count in range(1, first + 1)]
    assert powers[-1] >= 0.8
    assert max(powers[:-1]) < 0.8


@pytest.mark.parametrize(("win_rate", "needed"), [(0.6, 169), (0.7, 42), (0.8, 18), (0.9, 11)])
def test_so_many_are_needed_that_more_never_show_less(win_rate: float, needed: int):
    assert find_evals_needed(win_rate, alpha=0.05) == needed
    assert find_power(needed - 1, win_rate, 0.05) < 0.8
    assert all(find_power(count, win_rate, 0.05) >= 0.8 for count in range(needed, 300))


def test_fewer_than_five_can_show_nothing():
    assert [find_power(count, 1.0, 0.05) for count in range(6)] == [0, 0, 0, 0, 0, 1]


@pytest.mark.parametrize("win_rate", [0.0, 0.3, 0.5, 0.501])
def test_no_number_of_evals_shows_what_is_not_there(win_rate: float):
    assert find_evals_needed(win_rate, alpha=0.05) is None


def test_ties_make_more_evals_needed():
    needed = find_evals_needed(0.8, alpha=0.05, tie_rate=0.3)
    assert needed == 26
    assert find_set_power(needed, 0.8, alpha=0.05, tie_rate=0.3) >= 0.8
    assert find_set_power(needed - 1, 0.8, alpha=0.05, tie_rate=0.3) < 0.8


def test_ties_alone_show_nothing():
    assert find_set_power(50, 0.9, alpha=0.05, tie_rate=1.0) == 0
    assert find_evals_needed(0.9, alpha=0.05, tie_rate=1.0) is None


def test_a_difference_below_the_least_net_wins_is_never_shown_steadily():
    """60 % wins are 20 % net wins, so every second set falls short of them."""
    assert find_evals_needed(0.6, alpha=0.05, floors=Floors(net=0.2)) is None
    assert find_evals_needed(0.7, alpha=0.05, floors=Floors(net=0.2)) is not None


def test_no_set_below_the_fewest_that_must_differ_shows_anything():
    assert find_set_power(7, 1.0, alpha=0.05, floors=Floors(non_ties=8)) == 0
    assert find_set_power(8, 1.0, alpha=0.05, floors=Floors(non_ties=8)) == 1


def test_the_power_of_very_many_evals_is_known_too():
    assert find_power(5_000, 0.53, 0.05) == pytest.approx(0.995, abs=0.005)
