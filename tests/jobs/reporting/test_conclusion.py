"""The word for a difference claims what was seen, and no more."""

import pytest

from jobs.reporting.conclusion import conclude, unblind
from jobs.scores import ArmScore
from jobs.values import Arm
from tests.builders import a_result, an_arm_score, an_assertion_score, an_ungraded_result

WORTH = {"pass": 1.0, "partial": 0.5, "fail": 0.0}


def result_of(*rows):
    """A result from rows of ((with, with), (without, without)), a word for each reading."""
    assertions = tuple(an_assertion_score(None, having, lacking) for having, lacking in rows)

    def score(which):
        words = [word for row in rows for word in row[which]]
        return ArmScore(
            score=sum(WORTH[word] for word in words) / len(words), passes=0, partials=0, fails=1
        )

    return a_result(assertions=assertions, with_skill=score(0), without_skill=score(1))


P, H, F = "pass", "partial", "fail"


@pytest.mark.parametrize(
    ("rows", "word"),
    [
        ([((P, P), (F, F))], "higher"),
        ([((F, F), (P, P))], "lower"),
        ([((P, P), (P, P)), ((F, F), (F, F))], "same"),
        ([((P, P), (F, F)), ((F, F), (P, P))], "mixed"),
        ([((P, F), (F, P))], "mixed"),
        ([((P, F), (F, F))], "higher"),
        ([((P, F), (H, P)), ((P, P), (H, H))], "mixed"),
        ([((P, F), (F, P)), ((P, P), (P, F))], "higher"),
        ([((P, F), (P, F))], "same"),
        ([((P,), (F,))], "higher"),
    ],
)
def test_the_word_follows_from_both_readings(rows, word):
    conclusion = conclude(result_of(*rows))
    assert conclusion is not None
    assert conclusion.word == word


def test_a_judge_that_prefers_a_place_makes_no_winner():
    conclusion = conclude(result_of(*[((P, F), (F, P))] * 3))
    assert conclusion is not None
    assert conclusion.word == "mixed"
    assert conclusion.difference == 0
    assert len(conclusion.split) == 3


def test_an_ungraded_run_has_no_conclusion():
    assert conclude(an_ungraded_result()) is None
    assert conclude(a_result(ungraded_reason="judge unreadable")) is None
    assert conclude(a_result(with_skill=None)) is None


def test_better_and_worse_name_the_assertions():
    result = a_result(
        assertions=(
            an_assertion_score(None, (P, P), (H, H)),
            an_assertion_score(None, (F, F), (P, F)),
        ),
        with_skill=an_arm_score(1, 0, 1),
        without_skill=an_arm_score(0.5, 1, 0.5),
    )
    conclusion = conclude(result)
    assert conclusion is not None
    assert (len(conclusion.better), len(conclusion.worse), len(conclusion.split)) == (1, 1, 1)


@pytest.mark.parametrize(
    ("first", "number", "expected"),
    [
        (Arm.WITH_SKILL, 1, "the output with the skill beats the output without it"),
        (Arm.WITH_SKILL, 2, "the output without it beats the output with the skill"),
        (Arm.WITHOUT_SKILL, 1, "the output without it beats the output with the skill"),
        (Arm.WITHOUT_SKILL, 2, "the output with the skill beats the output without it"),
    ],
)
def test_the_judges_names_are_replaced_by_the_arms_of_that_reading(first, number, expected):
    result = a_result(candidate_1_is=first)
    for text in ("candidate_1 beats candidate_2", "Candidate 1 beats CANDIDATE-2"):
        assert unblind(text, result, number) == expected[0].upper() + expected[1:]
        assert unblind(f"Well, {text}", result, number) == f"Well, {expected}"
    assert unblind("candidate_10 and candidates", result, 1) == "candidate_10 and candidates"
