"""What may be lost of a set of eval cases before nothing can be concluded from it."""

import pytest

from jobs.conclusions.thresholds import Thresholds
from jobs.conclusions.verdict import conclude_set
from jobs.health.sets import find_lopsided
from tests.jobs.conclusions.records import only_set, results, scored, unscored

HAVING, LACKING = {"with_skill": 1}, {"without_skill": 1}


@pytest.mark.parametrize(
    ("evals", "having", "lacking", "is_fair"),
    [
        (8, 1, 0, True),  # a single loss is always one arm's
        (8, 0, 1, True),
        (8, 2, 0, False),
        (8, 0, 2, False),
        (8, 3, 2, True),
        (30, 3, 0, True),  # a tenth
        (30, 4, 0, False),
        (40, 9, 5, True),
    ],
)
def test_a_loss_on_one_side_may_be_a_tenth_of_the_set(
    evals: int, having: int, lacking: int, is_fair: bool
) -> None:
    lost = [HAVING] * having + [LACKING] * lacking
    records = [unscored(f"lost {number}", lost=one) for number, one in enumerate(lost)]
    records += results(evals - len(lost), 0, 0)
    assert (find_lopsided(records) is None) is is_fair


def test_a_loss_that_hit_both_arms_alike_takes_no_side() -> None:
    both = {"with_skill": 2, "without_skill": 2}
    assert find_lopsided([unscored(f"e{number}", lost=both) for number in range(8)]) is None


def test_the_arm_that_lost_more_is_named_with_its_count() -> None:
    records = [unscored(f"e{number}", lost=HAVING) for number in range(3)]
    told = find_lopsided([*records, unscored("f", lost=LACKING)])
    assert told is not None
    assert "3 with skill, 1 without skill" in told
    assert "of 4 eval cases" in told


def test_a_set_that_one_arm_lost_says_neither_helps_nor_hurts() -> None:
    """Ten wins of ten, and the two that are missing are of one arm: nobody knows."""
    records = [*results(10, 0, 0), *(unscored(f"lost {n}", lost=HAVING) for n in range(2))]
    found = conclude_set(only_set(records), Thresholds())
    assert (found.word, "one arm alone" in found.reason) == ("invalid", True)
    fair = [*results(10, 0, 0), unscored("lost", lost=HAVING), unscored("too", lost=LACKING)]
    assert conclude_set(only_set(fair), Thresholds()).word == "helps"


def test_an_eval_case_for_which_the_skill_is_to_stay_dormant_counts_in_no_set() -> None:
    """A skill that does nothing there does all that is asked: that is no win and no tie."""
    dormant = scored("d", 0.2, 0.8, should_load=False)
    lost = unscored("e", should_load=False, lost=HAVING)
    assert only_set([*results(5, 0, 0), dormant, lost]).rows == only_set(results(5, 0, 0)).rows
    assert only_set([*results(5, 0, 0), dormant, lost]).unscored == ()
