"""Several runs tell which assertions tell little; few, or other conditions, tell nothing."""

from collections.abc import Sequence
from typing import Any

import pytest

from jobs.results import RunResult
from jobs.scores import TrialResult
from jobs.values import TWO_VERSIONS, VerdictWord
from jobs.weak_evals.canary_check import CanaryCheck, CanaryVerdict
from jobs.weak_evals.weakness import find_weak
from jobs.weak_evals.words import NAMES
from tests.builders import (
    a_model,
    a_pass,
    a_result,
    a_run_spec,
    a_skill,
    an_arm_score,
    an_assertion_score,
    an_eval_case,
)

CASE = an_eval_case()
FIRST = CASE.assertions[0]
Words = Sequence[VerdictWord]


def a_run(having: Words, lacking: Words, number: int = 0, **changes: Any) -> RunResult:
    """A run of one trial, with the verdicts on the first assertion in both readings."""
    score = an_assertion_score(assertion=FIRST, with_skill=having, without_skill=lacking)
    spec = a_run_spec(**({"run_id": f"{number:012x}", "eval_case": CASE} | changes))
    return a_result(spec=spec, assertions=(score,))


def trials_of(*pairs: tuple[Words, Words], **changes: Any) -> RunResult:
    """A run with a trial for each pair of verdicts: with the skill, and without it."""
    scores = [
        an_assertion_score(assertion=FIRST, with_skill=having, without_skill=lacking)
        for having, lacking in pairs
    ]
    arm = an_arm_score(1, 0, 0)
    spec = a_run_spec(eval_case=CASE, trials=len(pairs), **changes)
    trials = tuple(
        TrialResult(number=number, assertions=(score,), with_skill=arm, without_skill=arm)
        for number, score in enumerate(scores, 1)
    )
    return a_result(spec=spec, assertions=tuple(scores[:1]), trials=trials)


def told(*runs: RunResult, canaries: CanaryCheck | None = None) -> list[tuple[str, str]]:
    """Kind and words of what is weak about the first assertion."""
    return [(one.kind, one.what) for one in find_weak([FIRST], runs, canaries)]


PP: Words = ("pass", "pass")
FF: Words = ("fail", "fail")
PF: Words = ("pass", "fail")
NN: Words = ("cannot_verify", "cannot_verify")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (PP, ("always_pass", "passed in both arms of all 2 past runs")),
        (FF, ("always_fail", "failed in both arms of all 2 past runs")),
        (NN, ("never_verified", "could be verified in none of 2 past runs")),
    ],
)
def test_what_comes_out_the_same_every_time_tells_nothing_apart(
    words: Words, expected: tuple[str, str]
) -> None:
    assert told(a_run(words, words), a_run(words, words, 1)) == [expected]


def test_one_run_tells_nothing_however_many_trials_it_has() -> None:
    assert told(a_run(PP, PP)) == []
    assert told(trials_of(*[(PP, PP)] * 5)) == []


def test_what_differed_once_tells_something_apart() -> None:
    assert told(a_run(PP, PP), a_run(PP, FF, 1)) == []
    assert told(a_run(PP, PP), a_run(PP, ("pass", "partial"), 1)) == []


def test_runs_that_did_not_score_it_tell_nothing() -> None:
    other = a_result(spec=a_run_spec(eval_case=CASE), assertions=())
    assert told(a_run(PP, PP), a_run(PP, PP, 1), other) == []


@pytest.mark.parametrize("vs", ["self", f"sha:{'b' * 64}"])
def test_that_two_versions_pass_alike_says_nothing_against_an_assertion(vs: str) -> None:
    other = a_skill(sha="b" * 64)
    runs = [a_run(PP, PP, number, vs=vs, other=other) for number in range(3)]
    assert runs[0].spec.arms == TWO_VERSIONS
    assert told(*runs) == []


def test_an_outcome_that_changes_under_the_same_conditions_flips() -> None:
    run = trials_of((PP, FF), (FF, FF), (PP, FF), (FF, FF))
    assert told(run) == [("flips", "passed in 2 of 4 trials under the same conditions")]


def test_trials_of_several_runs_are_counted_together() -> None:
    runs = [a_run(words, FF, number) for number, words in enumerate((PP, FF, PP))]
    assert told(*runs) == [("flips", "passed in 2 of 3 trials under the same conditions")]


def test_one_of_five_trials_is_chance() -> None:
    assert told(trials_of(*[(PP, FF)] * 4, (FF, FF))) == []


def test_two_trials_that_differ_are_too_few() -> None:
    assert told(trials_of((PP, FF), (FF, FF))) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"model": a_model(sent="gpt-5", identity="gpt5")},
        {"skill": a_skill(sha="c" * 64)},
        {"judge": a_model(sent="another-judge")},
        {"other_judges": (a_model(sent="another-judge"),)},
        {"launcher": "claude-code"},
        {"environment": "e" * 64},
    ],
)
def test_another_outcome_under_other_conditions_is_no_flip(changes: dict[str, Any]) -> None:
    assert told(trials_of(*[(PP, FF)] * 3), trials_of(*[(FF, FF)] * 3, **changes)) == []


def test_another_wording_of_the_scoring_prompt_is_another_condition() -> None:
    newer = trials_of(*[(FF, FF)] * 3).model_copy(
        update={"passes": (a_pass(1, prompt_version="newer"),)}
    )
    assert told(trials_of(*[(PP, FF)] * 3), newer) == []


def test_the_arm_without_a_skill_flips_across_versions_of_the_skill() -> None:
    """It is the same arm whatever the skill is."""
    runs = [
        a_run(PP, words, number, skill=a_skill(sha=f"{number}" * 64))
        for number, words in enumerate((PP, FF, PP))
    ]
    assert told(*runs) == [("flips", "passed in 2 of 3 trials under the same conditions")]


def test_readings_that_differ_split_the_judge() -> None:
    run = trials_of((PF, FF), (PP, FF), (PF, FF))
    assert told(run) == [("splits", "split the judge's readings in 2 of 3 trials")]


def test_a_split_now_and_then_is_borne() -> None:
    assert told(trials_of((PF, FF), *[(PP, FF)] * 2)) == []
    assert told(trials_of(*[(PF, FF)] * 2, *[(PP, FF)] * 5)) == []


def test_what_a_canary_passes_is_told_without_any_run() -> None:
    def said(canary: Any, verdict: VerdictWord) -> CanaryVerdict:
        return CanaryVerdict(assertion=FIRST.id, canary=canary, verdict=verdict)

    def check(*verdicts: CanaryVerdict) -> CanaryCheck:
        return CanaryCheck(
            judge="j", prompt_version="p", assertions=(FIRST.id,), satisfied=verdicts
        )

    both = check(said("fluent", "pass"), said("addressing", "pass"))
    assert told(canaries=both) == [
        ("canary", f"is satisfied by {NAMES['fluent']} and by {NAMES['addressing']}")
    ]
    assert told(canaries=check(said("fluent", "partial"))) == []
    assert told(canaries=check()) == []


def test_each_weakness_says_what_to_do() -> None:
    runs = (trials_of((PF, FF), (PF, FF), (PP, FF), (FF, FF), (PP, FF)),)
    found = find_weak([FIRST], runs)
    assert {one.kind for one in found} == {"splits", "flips"}
    assert all(one.advice and one.assertion == FIRST for one in found)
