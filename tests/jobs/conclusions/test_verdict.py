"""The word for a set, at and beside every threshold."""

import pytest

from jobs.conclusions.gain import find_normalized_gain
from jobs.conclusions.thresholds import Thresholds
from jobs.conclusions.verdict import SetVerdict, conclude_set
from tests.jobs.conclusions.records import against_itself, only_set, results, scored, unscored

USUAL = Thresholds()


def verdict(wins: int, ties: int, losses: int, limits: Thresholds = USUAL) -> SetVerdict:
    return conclude_set(only_set(results(wins, ties, losses)), limits)


@pytest.mark.parametrize(
    ("wins", "ties", "losses", "word"),
    [
        (5, 0, 0, "helps"),  # p = 1/32
        (4, 0, 0, "underpowered"),  # four wins of four: p = 1/16
        (0, 1, 6, "hurts"),
        (7, 1, 0, "helps"),
        (7, 0, 1, "helps"),  # p = 0.035: the first size that bears a loss
        (6, 0, 1, "underpowered"),  # p = 0.063
        (5, 20, 0, "helps"),  # net wins are just 20 % of 25
        (5, 21, 0, "underpowered"),  # just below, and as many may differ yet
        (5, 95, 0, "no difference shown"),  # p = 0.031, and 5 % of the eval cases
        (9, 0, 9, "no difference shown"),  # 18 that differ would show 80 % wins
        (8, 0, 9, "underpowered"),  # 17 would not
        (0, 16, 0, "no difference shown"),  # Wilson's end of 0 of 16 is 19 %
        (0, 15, 0, "underpowered"),  # of 0 of 15, 20.4 %
        (1, 0, 0, "underpowered"),
    ],
)
def test_the_word_follows_the_rule(wins: int, ties: int, losses: int, word: str) -> None:
    assert verdict(wins, ties, losses).word == word


def test_every_word_but_the_first_two_has_its_reason() -> None:
    assert verdict(5, 0, 0).reason == ""
    assert verdict(4, 0, 0).reason == "at least 5 eval cases must differ, and 4 do"
    assert verdict(5, 95, 0).reason == "only 5 of 100 eval cases differ"
    assert verdict(9, 0, 9).reason == (
        "this may be chance, and a skill that wins 80% of eval cases that differ would have "
        "been seen 87% of the time"
    )
    assert verdict(8, 0, 9).reason == (
        "with 17 eval cases that differ, a skill that wins 80% of them would be seen 76% of the "
        "time"
    )
    assert verdict(40, 70, 20).reason == (
        "net wins are 15% of the eval cases, and 20% is the least that counts"
    )


def test_the_thresholds_are_settings() -> None:
    assert verdict(4, 0, 0, USUAL._replace(alpha=0.1, fewest=4)).word == "helps"
    assert verdict(5, 0, 0, USUAL._replace(fewest=6)).word == "underpowered"
    assert verdict(5, 20, 0, USUAL._replace(net_wins=0.25)).word == "underpowered"
    assert verdict(8, 0, 9, USUAL._replace(power=0.7)).word == "no difference shown"
    assert verdict(8, 0, 9, USUAL._replace(win_rate=0.9)).word == "no difference shown"


def test_figures_stand_beside_the_word() -> None:
    found = verdict(7, 1, 0)
    assert (found.signs.wins, found.signs.ties, found.signs.losses) == (7, 1, 0)
    assert (found.evals, found.differing, found.net) == (8, 7, 7 / 8)
    assert found.signs.p_higher == pytest.approx(1 / 128)
    assert found.difference == pytest.approx(0.4375)
    assert found.interval is not None
    assert found.interval.low < 0.4375 < found.interval.high
    assert found.clusters == 8
    assert found.gain == pytest.approx(3.5 / 5.75)  # baselines: seven of 0.25, one of 0.5


def test_evals_needed_are_told_for_what_the_word_lacks() -> None:
    """Of an underpowered set, for 80 % wins: 18 that differ, more where some are ties."""
    with_ties = verdict(2, 2, 2).needed
    assert verdict(2, 0, 1).needed == 18
    assert with_ties is not None
    assert 22 <= with_ties <= 30
    # of one that shows no difference, for what was seen: 65 % wins take about 70
    found = verdict(13, 0, 7)
    assert found.word == "no difference shown"
    assert found.needed is not None
    assert 65 <= found.needed <= 80


def test_no_number_is_told_where_none_would_do() -> None:
    assert verdict(9, 0, 9).needed is None
    assert verdict(0, 4, 0).needed is None
    assert verdict(12, 0, 8).needed is None  # net wins of 20 % come out below that half the time
    assert verdict(5, 95, 0).needed is None  # no number makes a trifle count
    assert verdict(7, 1, 0).needed is None  # it is shown


def test_eval_cases_of_one_fixture_are_one_toss_of_a_coin() -> None:
    """Six wins on one table of data are one win, however many eval cases ask about it."""
    shared = [scored(f"e{n}", 1, 0, fixture="f") for n in range(6)]
    found = conclude_set(only_set(shared), USUAL)
    assert (found.word, found.signs.p_higher, found.clusters) == ("underpowered", 0.5, 1)
    assert "6 eval cases that differ (1 by their input files)," in found.reason
    sure = [one.model_copy(update={"sure": True}) for one in [*shared, *results(8, 0, 0)]]
    assert conclude_set(only_set(sure), USUAL).word == "helps"
    assert conclude_set(only_set(sure[:-1]), USUAL).word == "helps"  # eight tosses
    assert conclude_set(only_set(sure[:-2]), USUAL).word == "underpowered"


def test_eval_cases_of_one_fixture_have_an_interval_as_one() -> None:
    shared = [scored(f"e{n}", 0.5 + n / 20, 0.5, fixture="f") for n in range(8)]
    assert conclude_set(only_set(shared), USUAL).interval is None
    apart = [scored(f"e{n}", 0.5 + n / 20, 0.5, fixture=f"f{n}") for n in range(8)]
    assert conclude_set(only_set(apart), USUAL).interval is not None


def test_an_interval_ends_where_differences_do() -> None:
    rows = [scored(f"e{n}", 1, n % 2) for n in range(6)]
    found = conclude_set(only_set(rows), USUAL, counts_needed=False)
    assert found.interval is not None
    assert -1 <= found.interval.low < found.interval.high <= 1


def test_a_set_in_which_too_much_came_to_no_score_is_invalid() -> None:
    few = [*results(8, 0, 0), unscored("x1"), unscored("x2")]
    assert conclude_set(only_set(few), USUAL).word == "helps"  # 2 of 10, just a fifth
    found = conclude_set(only_set([*few, unscored("x3")]), USUAL)
    assert (found.word, found.reason) == ("invalid", "3 of 11 eval cases came to no score")


def test_a_set_that_was_looked_at_often_needs_evidence_that_allows_it() -> None:
    """Five wins of five are enough for one look, and eight for any number of looks."""
    for wins, word in ((5, "underpowered"), (7, "underpowered"), (8, "helps")):
        sure = [one.model_copy(update={"sure": True}) for one in results(wins, 0, 0)]
        found = conclude_set(only_set(sure), USUAL)
        assert found.word == word
        assert found.evidence is not None
    assert verdict(8, 0, 0).evidence is None


def test_a_rule_that_passes_identical_arms_is_not_believed() -> None:
    broken = conclude_set(only_set([*results(7, 0, 0), *against_itself([0.5] * 5)]), USUAL)
    assert broken.word == "invalid"
    assert broken.repeats is not None
    assert (broken.repeats.passes_too_often, broken.repeats.is_broken) == (True, True)
    quiet = against_itself([0, 0, 0.5, -0.5, 0], later=1)
    once = conclude_set(only_set([*results(7, 0, 0), *against_itself([0.5] * 5), *quiet]), USUAL)
    assert once.word == "helps"
    assert once.repeats is not None
    assert (once.repeats.rounds, once.repeats.passes_too_often) == ((1, 2), True)


def test_flips_and_false_wins_are_counted_over_all_rounds() -> None:
    records = [*results(5, 0, 0), *against_itself([0.5, -0.5, 0, 0]), *against_itself([0], later=1)]
    found = conclude_set(only_set(records), USUAL).repeats
    assert found is not None
    assert (found.flips, found.false_wins, found.rounds) == ((2, 5), (1, 5), (0, 0))
    assert found.flip_interval is not None
    assert found.flip_interval.low == pytest.approx(0.118, abs=0.001)  # Wilson, 2 of 5
    assert not found.passes_too_often


def test_a_baseline_at_the_ceiling_does_not_let_the_gain_explode() -> None:
    """Divided by its own headroom the loss of the second case would be without bound."""
    assert find_normalized_gain([(0.75, 0.5), (0.5, 1.0)]) == pytest.approx(-0.5)
    assert find_normalized_gain([(1.0, 0.5)]) == pytest.approx(1)
    assert find_normalized_gain([(1.0, 1.0)]) is None
    assert find_normalized_gain([(0.9, 0.96)]) is None
    assert find_normalized_gain([]) is None
