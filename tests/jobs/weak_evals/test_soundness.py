"""A canary takes no assertion out of the score; where it passes all, the result counts nowhere."""

import pytest

from jobs.planning.dedup import record_of
from jobs.results import RunResult
from jobs.scores import AssertionScore
from jobs.values import VerdictWord
from jobs.weak_evals.canary_check import Canary, CanaryCheck, CanaryVerdict
from jobs.weak_evals.soundness import find_flagged, find_scores_without
from tests.builders import a_result, a_run_spec, a_verdict, an_assertion_score, an_eval_case

CASE = an_eval_case()
NAMES = tuple(one.id for one in CASE.assertions)


def a_check(*satisfied: tuple[str, Canary, VerdictWord]) -> CanaryCheck:
    return CanaryCheck(
        judge="j",
        prompt_version="p",
        assertions=NAMES,
        satisfied=tuple(
            CanaryVerdict(assertion=name, canary=canary, verdict=word)
            for name, canary, word in satisfied
        ),
    )


def checked(*satisfied: tuple[str, Canary, VerdictWord], **changes: object) -> RunResult:
    result = a_result(spec=a_run_spec(eval_case=CASE), **changes)
    return result.model_copy(update={"canaries": a_check(*satisfied)})


def by_machine(number: int) -> AssertionScore:
    verdict = a_verdict(assertion=NAMES[number], by_machine=True)
    return an_assertion_score(assertion=CASE.assertions[number]).model_copy(
        update={"with_skill": (verdict,), "without_skill": (verdict,)}
    )


def test_the_score_stays_and_stands_beside_the_one_without() -> None:
    """As built: both arms pass A1, only the tested one A2, A3 is half met by both."""
    plain, result = a_result(), checked((NAMES[0], "fluent", "pass"))
    assert (result.with_skill, result.without_skill) == (plain.with_skill, plain.without_skill)
    assert [row.assertion.id for row in find_flagged(result)] == [NAMES[0]]
    assert find_scores_without(result) == (0.75, 0.25, 2)


@pytest.mark.parametrize("word", ["partial", "fail"])
def test_what_a_canary_does_not_pass_is_not_flagged(word: VerdictWord) -> None:
    result = checked((NAMES[0], "fluent", word))
    assert find_flagged(result) == ()
    assert find_scores_without(result) is None


def test_what_code_decided_is_not_flagged() -> None:
    """There no judge could be taken in."""
    rows = (by_machine(0), *a_result().assertions[1:])
    assert find_flagged(checked((NAMES[0], "fluent", "pass"), assertions=rows)) == ()


@pytest.mark.parametrize("canary", ["fluent", "addressing"])
def test_where_a_canary_passes_all_the_record_says_that_it_counts_nowhere(canary: Canary) -> None:
    result = checked(*((name, canary, "pass") for name in NAMES))
    assert record_of(result).canary_passed
    assert find_scores_without(result) is None


def test_two_canaries_that_pass_all_between_them_are_not_one_that_does() -> None:
    result = checked(
        (NAMES[0], "fluent", "pass"), *((name, "addressing", "pass") for name in NAMES[1:])
    )
    assert not record_of(result).canary_passed


def test_a_check_by_machine_is_something_that_no_canary_passes() -> None:
    rows = (*a_result().assertions[:-1], by_machine(len(NAMES) - 1))
    result = checked(*((name, "fluent", "pass") for name in NAMES), assertions=rows)
    assert not record_of(result).canary_passed


def test_a_case_that_was_not_checked_counts() -> None:
    unread = CanaryCheck(judge="j", prompt_version="p", problem="the judge is away")
    result = a_result().model_copy(update={"canaries": unread})
    assert not record_of(result).canary_passed
    assert not record_of(a_result()).canary_passed
