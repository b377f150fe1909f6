"""Evidence that may be looked at after every observation: closed forms, and its own promise."""

from fractions import Fraction
from functools import cache
from math import comb
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.statistics.sequential import (
    ALPHA,
    decide,
    expect_observations,
    find_evidence,
    find_fewest,
    find_threshold,
)

DOCUMENT = Path(__file__).parents[3] / "docs" / "until-sure.md"


def exact_evidence(wins: int, losses: int) -> Fraction:
    """The mean of p^w (1-p)^l 2^n over rates from 1/2 to 1, as a sum of binomial terms."""
    seen = wins + losses
    tail = Fraction(sum(comb(seen + 1, k) for k in range(wins + 1)), 2 ** (seen + 1))
    return Fraction(2 ** (seen + 1)) * tail / ((seen + 1) * comb(seen, wins))


@pytest.mark.parametrize("wins", range(12))
@pytest.mark.parametrize("losses", range(12))
def test_the_evidence_is_the_exact_sum(wins: int, losses: int):
    assert find_evidence(wins, losses) == pytest.approx(float(exact_evidence(wins, losses)))


def test_wins_alone_pass_twenty_at_the_seventh_and_forty_at_the_eighth():
    alone = [find_evidence(wins, 0) for wins in range(9)]
    assert alone == pytest.approx([(2 ** (wins + 1) - 1) / (wins + 1) for wins in range(9)])
    assert alone[6] < 20 < alone[7] < 40 < alone[8]
    assert find_fewest() == 8


def test_nothing_seen_is_no_evidence_and_losses_are_less_than_none():
    assert find_evidence(0, 0) == 1.0
    assert find_evidence(0, 5) < 1.0
    assert find_evidence(0, 5_000) < 0.01


def test_thousands_of_observations_overflow_nothing():
    assert find_evidence(5_000, 0) > find_evidence(3_000, 2_000) > 1e40


@given(st.integers(0, 200), st.integers(0, 200))
def test_another_win_never_takes_evidence_away_and_a_loss_never_adds(wins: int, losses: int):
    here = find_evidence(wins, losses)
    assert find_evidence(wins + 1, losses) >= here * (1 - 1e-9)
    assert find_evidence(wins, losses + 1) <= here * (1 + 1e-9)


@given(st.integers(0, 60), st.integers(0, 60))
def test_where_both_are_equally_likely_the_evidence_stays_as_it_is_on_average(
    wins: int, losses: int
):
    """A martingale: what Ville's inequality is about."""
    after = (find_evidence(wins + 1, losses) + find_evidence(wins, losses + 1)) / 2
    assert after == pytest.approx(find_evidence(wins, losses))


@pytest.mark.parametrize("tie_rate", [0.0, 0.4])
def test_without_a_difference_five_percent_at_most_are_claimed_whenever_one_looks(tie_rate: float):
    """Up to 200 looks each."""
    random = Random(20_261_130)
    claimed = sum(_claims(random, tie_rate) for _ in range(1_500))
    assert claimed / 1_500 <= ALPHA


def _claims(random: Random, tie_rate: float) -> bool:
    wins = losses = 0
    for _ in range(200):
        if random.random() < tie_rate:
            continue
        won = random.random() < 0.5
        wins, losses = wins + won, losses + (not won)
        if max(find_evidence(wins, losses), find_evidence(losses, wins)) >= find_threshold():
            return True
    return False


def test_a_decision_is_the_mirror_of_the_other_direction():
    assert decide(8, 0, left=0) == "higher"
    assert decide(0, 8, left=0) == "lower"
    assert decide(7, 0, left=1) == decide(0, 7, left=1) == "open"


def test_what_can_show_nothing_any_more_is_futile():
    assert decide(7, 0, left=0) == "futile"
    assert decide(3, 3, left=8) == "futile"
    assert decide(0, 0, left=7) == "futile"
    assert decide(0, 0, left=8) == "open"


@pytest.mark.parametrize(
    ("rate", "share", "trials"),
    [(0.5, 1, 10.1), (0.6, 4, 10.7), (0.7, 18, 12.0), (0.8, 51, 13.1), (0.9, 90, 11.7)],
)
def test_how_often_twenty_are_enough_is_what_the_document_says(
    rate: float, share: int, trials: float
):
    """docs/until-sure.md, gone through exactly."""
    outcome = _go_through(rate, 20)
    assert (round(100 * outcome[0]), round(outcome[1], 1)) == (share, trials)
    row = f"| {share} % | {trials} |"
    assert row in DOCUMENT.read_text(encoding="utf-8")


def _go_through(rate: float, most: int) -> tuple[float, float]:
    """The chance of *higher*, and the observations on average."""

    @cache
    def from_here(wins: int, losses: int) -> tuple[float, float]:
        decision = decide(wins, losses, left=most - wins - losses)
        if decision != "open":
            return float(decision == "higher"), 0.0
        won, lost = from_here(wins + 1, losses), from_here(wins, losses + 1)
        return (
            rate * won[0] + (1 - rate) * lost[0],
            1 + rate * won[1] + (1 - rate) * lost[1],
        )

    return from_here(0, 0)


@pytest.mark.parametrize("most", [8, 12, 20])
def test_the_expected_number_is_the_mean_over_every_win_rate(most: int):
    random = Random(3)
    taken = [_length(random, most) for _ in range(4_000)]
    assert expect_observations(most) == pytest.approx(sum(taken) / len(taken), rel=0.04)


def _length(random: Random, most: int) -> int:
    rate, wins, losses = random.random(), 0, 0
    while decide(wins, losses, left=most - wins - losses) == "open":
        won = random.random() < rate
        wins, losses = wins + won, losses + (not won)
    return wins + losses
