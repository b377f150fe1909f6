"""How often a judge says the same of an output in both orders, and what standing first is worth."""

import random
from itertools import product

import pytest
from pydantic import ValidationError

from jobs.judging.agreement import (
    add_agreements,
    find_agreement,
    find_position_bias,
    find_swap_kappa,
)
from jobs.judging.score import Scored, score_run
from jobs.readings import JudgeAgreement, JudgePass
from jobs.values import Arm, VerdictWord
from tests.builders import a_pass, a_verdict, an_eval_case, some_assertions

SAME = (("pass", "fail"),) * 3
SWAPPED = (("fail", "pass"),) * 3


def agreement_of(*passes: JudgePass) -> JudgeAgreement:
    found = find_agreement(passes)
    assert found is not None
    return found


def test_a_judge_that_looks_at_the_output_agrees_with_itself_in_both_orders() -> None:
    found = agreement_of(a_pass(1, SAME), a_pass(2, SWAPPED))
    assert found.pairs == {"fail/fail": 3, "pass/pass": 3}
    assert (found.verdicts, found.agreed) == (6, 6)
    assert find_swap_kappa(found) == 1
    bias = find_position_bias(found)
    assert bias is not None
    assert (bias.points, bias.better, bias.worse, bias.compared) == (0, 0, 0, 6)


def test_a_judge_that_prefers_the_first_place_shows_it_whole() -> None:
    found = agreement_of(a_pass(1, SAME), a_pass(2, SAME))
    assert found.pairs == {"pass/fail": 6}
    assert found.agreed == 0
    bias = find_position_bias(found)
    assert bias is not None
    assert (bias.points, bias.better, bias.worse) == (100, 6, 0)


def test_one_that_prefers_the_second_place_has_a_negative_bias() -> None:
    bias = find_position_bias(agreement_of(a_pass(1, SWAPPED), a_pass(2, SWAPPED)))
    assert bias is not None
    assert (bias.points, bias.better, bias.worse) == (-100, 0, 6)


def test_kappa_has_no_value_where_one_word_was_used_only() -> None:
    all_pass = (("pass", "pass"),) * 3
    assert find_swap_kappa(agreement_of(a_pass(1, all_pass), a_pass(2, all_pass))) is None


def test_a_trial_that_was_read_in_one_order_only_is_compared_with_nothing() -> None:
    assert find_agreement([a_pass(1)]) is None
    assert find_agreement([a_pass(1), a_pass(2, trial=2)]) is None
    assert find_agreement([a_pass(1), a_pass(2, judge=2)]) is None
    assert find_agreement([]) is None


def test_trials_and_judges_add_up() -> None:
    passes = [
        reading
        for trial, judge in product((1, 2), (1, 2))
        for reading in (
            a_pass(1, SAME, trial=trial, judge=judge),
            a_pass(2, SWAPPED, trial=trial, judge=judge),
        )
    ]
    assert agreement_of(*passes).verdicts == 24
    assert add_agreements(
        [find_agreement(passes[:2]), None, find_agreement(passes[2:])]
    ) == find_agreement(passes)
    assert add_agreements([None]) is None


def test_what_code_decided_is_no_agreement_of_the_judge() -> None:
    def with_machine(reading: JudgePass, **changes) -> JudgePass:
        verdicts = [one.model_copy(update=changes) for one in reading.verdicts]
        return reading.model_copy(update={"verdicts": tuple(verdicts)})

    by_rule = [with_machine(a_pass(number, SAME), by_machine=True) for number in (1, 2)]
    assert agreement_of(*by_rule).verdicts == 0
    assert find_position_bias(agreement_of(*by_rule)) is None
    asked = [with_machine(one, judge_said="partial") for one in by_rule]
    assert agreement_of(*asked).pairs == {"partial/partial": 6}


def test_what_cannot_be_verified_is_compared_as_a_word_and_has_no_points() -> None:
    first = a_pass(1, (("cannot_verify", "pass"),))
    second = a_pass(2, (("pass", "fail"),))
    found = agreement_of(first, second)
    assert found.pairs == {"cannot_verify/fail": 1, "pass/pass": 1}
    assert found.agreed == 1
    bias = find_position_bias(found)
    assert bias is not None
    assert (bias.points, bias.compared) == (0, 1)


@pytest.mark.parametrize("pair", ["pass", "good/bad", "pass/pass/pass", "pass/fail\n", " /fail"])
def test_pairs_of_other_words_are_refused(pair: str) -> None:
    with pytest.raises(ValidationError):
        JudgeAgreement(pairs={pair: 1})
    with pytest.raises(ValidationError):
        JudgeAgreement(pairs={"pass/pass": -1})


@pytest.mark.parametrize("planted", [-0.3, -0.1, 0.0, 0.05, 0.2, 0.4])
def test_a_planted_preference_is_measured_within_two_points_and_cancels(planted: float) -> None:
    """A judge raises whoever stands first by one step in that share of its verdicts."""
    draw = random.Random(11)
    case = an_eval_case(assertions=some_assertions(4_000))
    truth = {
        arm: [draw.choice(("fail", "partial")) for _ in case.assertions]
        for arm in (Arm.WITH_SKILL, Arm.WITHOUT_SKILL)
    }
    order = (Arm.WITH_SKILL, Arm.WITHOUT_SKILL)
    readings = []
    for number in (1, 2):
        shown = order if number == 1 else order[::-1]
        words = [
            tuple(
                _raised(truth[arm][index], draw.random() < max(planted * sign, 0) * 2)
                for arm, sign in zip(shown, (1, -1), strict=True)
            )
            for index in range(len(case.assertions))
        ]
        readings.append(a_pass(number, words))
    bias = find_position_bias(agreement_of(*readings))
    assert bias is not None
    assert bias.points == pytest.approx(100 * planted, abs=2)
    scored = score_run(case, Arm.WITH_SKILL, readings)
    assert isinstance(scored, Scored)
    worth = {"fail": 0.0, "partial": 0.5}
    true = [sum(worth[word] for word in truth[arm]) / len(case.assertions) for arm in order]
    difference = scored.with_skill.score - scored.without_skill.score
    assert difference == pytest.approx(true[0] - true[1], abs=0.02)


def _raised(word: str, is_raised: bool) -> VerdictWord:
    steps: tuple[VerdictWord, ...] = ("fail", "partial", "pass")
    return steps[steps.index(word) + is_raised]  # type: ignore[arg-type]


def test_the_empty_output_of_one_arm_leaves_the_other_to_be_compared() -> None:
    empty = a_verdict(candidate="candidate_1", verdict="fail", by_machine=True)
    pass_1 = a_pass(1, (("fail", "pass"),))
    pass_2 = a_pass(2, (("pass", "fail"),))
    readings = (
        pass_1.model_copy(update={"verdicts": (empty, pass_1.verdicts[1])}),
        pass_2.model_copy(
            update={
                "verdicts": (
                    pass_2.verdicts[0],
                    empty.model_copy(update={"candidate": "candidate_2"}),
                )
            }
        ),
    )
    assert agreement_of(*readings).pairs == {"pass/pass": 1}
