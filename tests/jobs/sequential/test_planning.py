"""What until sure means for a plan: caps, orders that nobody picks, sets that are too small."""

import pytest

from config.tiers import HowOften
from jobs.errors import Refused
from jobs.sequential.expecting import expect_of, expect_trials, find_likely
from jobs.sequential.planning import cluster_of, leave_too_few, plan_trials, put_in_order
from jobs.values import RunSpec
from tests.builders import a_model, a_run_spec, a_skill, an_eval_case, an_input_file

FIXED = HowOften(trials=3, until_sure=False, most_trials=3)
OPEN = HowOften(trials=3, until_sure=True, most_trials=12)


def an_eval(number: int, *, shared: bool = False, **changes: object) -> RunSpec:
    inputs = (an_input_file(),) if shared else ()
    case = an_eval_case(id=f"github-issue-{number}", digest=f"{number:064}", inputs=inputs)
    return a_run_spec(eval_case=case, until_sure="evals", **changes)


def test_of_one_eval_case_trials_are_added_and_of_several_eval_cases() -> None:
    assert plan_trials(FIXED, is_one_of_several=False) == (3, None)
    assert plan_trials(FIXED, is_one_of_several=True) == (3, None)
    assert plan_trials(OPEN, is_one_of_several=False) == (12, "trials")
    assert plan_trials(OPEN, is_one_of_several=True) == (3, "evals")


def test_a_cap_that_can_never_be_enough_is_refused_with_the_number() -> None:
    with pytest.raises(Refused, match=r"7 trials can never be enough .* 8 at least"):
        plan_trials(OPEN._replace(most_trials=7), is_one_of_several=False)


def test_the_order_is_the_same_whatever_is_asked_first_and_another_for_each_version() -> None:
    specs = [an_eval(number) for number in range(12)]
    order = put_in_order(specs)
    assert put_in_order(specs[::-1]) == order
    assert order != specs
    other = a_skill(sha="e" * 64)
    again = put_in_order([one.model_copy(update={"skill": other}) for one in specs])
    assert [one.eval_case.id for one in again] != [one.eval_case.id for one in order]


def test_eval_cases_that_share_their_input_files_follow_one_another() -> None:
    specs = put_in_order([an_eval(number, shared=number % 3 == 0) for number in range(12)])
    places = [index for index, one in enumerate(specs) if one.eval_case.inputs]
    assert places == list(range(places[0], places[0] + 4))
    assert len({cluster_of(one) for one in specs}) == 9


def test_a_set_that_is_too_small_is_measured_whole_and_that_is_said() -> None:
    small = [an_eval(number) for number in range(7)]
    found, [note] = leave_too_few(small, ())
    assert {one.until_sure for one in found} == {None}
    assert note.startswith("7 eval cases of ")
    assert "8 at least" in note
    assert leave_too_few([*small, an_eval(7)], ()) == ([*small, an_eval(7)], [])
    assert leave_too_few(small, [an_eval(7)]) == (small, [])


def test_each_model_has_a_set_of_its_own() -> None:
    other = a_model(sent="gpt-5")
    specs = [*map(an_eval, range(8)), *(an_eval(number, model=other) for number in range(3))]
    found, [note] = leave_too_few(specs, ())
    assert [one.until_sure for one in found] == ["evals"] * 8 + [None] * 3
    assert "`gpt-5`" in note


def test_eval_cases_with_the_same_input_files_are_counted_once() -> None:
    found, [note] = leave_too_few([an_eval(number, shared=True) for number in range(20)], ())
    assert {one.until_sure for one in found} == {None}
    assert note.startswith("1 eval case of ")


def test_trials_of_one_eval_case_are_not_a_small_set() -> None:
    spec = a_run_spec(trials=20, until_sure="trials")
    assert leave_too_few([spec], ()) == ([spec], [])


def test_what_is_expected_lies_between_the_fewest_and_the_cap() -> None:
    assert [expect_of(most) for most in (3, 8, 12, 20)] == [3, 8, 8, 11]
    assert expect_trials(a_run_spec(trials=20, until_sure="trials")) == 11
    assert expect_trials(a_run_spec(trials=20)) == 20


def test_the_first_eval_cases_of_each_set_are_those_that_are_expected_to_begin() -> None:
    other = a_model(sent="gpt-5")
    specs = [
        a_run_spec(),
        *map(an_eval, range(20)),
        *(an_eval(number, model=other) for number in range(9)),
    ]
    likely = find_likely(specs)
    assert likely == [True] + [True] * 11 + [False] * 9 + [True] * 8 + [False]
