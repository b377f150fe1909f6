"""Several trials put together: what counts, what does not, and when nothing may."""

from pathlib import Path

import pytest

from jobs.combining import combine
from jobs.judging.score import Scored
from jobs.results import RunResult
from jobs.scoring import Judged
from jobs.trials import ArmWork, Trial
from jobs.values import Arm, SessionEnd
from tests.builders import a_result, a_run_spec, a_session, an_arm_score, an_assertion_score

ARMS = (Arm.WITH_SKILL, Arm.WITHOUT_SKILL)


def a_trial(
    number: int,
    passes: tuple[float, float] | None = (2, 1),
    ends: tuple[SessionEnd, SessionEnd] = (SessionEnd.COMPLETED, SessionEnd.COMPLETED),
) -> Trial:
    """A trial whose arms have so many passes of three; None: it was not scored."""
    works = {
        arm: ArmWork(
            session=a_session(arm, trial=number, end=end), output=Path("o"), bundle=Path("b")
        )
        for arm, end in zip(ARMS, ends, strict=True)
    }
    if passes is None:
        return Trial(number=number, works=works, judged=Judged(reason="it broke."))
    having, lacking = (an_arm_score(count, 0, 3 - count) for count in passes)
    scored = Scored((an_assertion_score(),), having, lacking, ("A remark.",))
    return Trial(number=number, works=works, judged=Judged(scored=scored, remarks=scored.remarks))


def test_scores_are_means_over_the_trials() -> None:
    combined = combine(a_run_spec(trials=3), [a_trial(1, (3, 0)), a_trial(2, (2, 1)), a_trial(3)])
    assert combined.with_skill is not None
    assert combined.without_skill is not None
    assert combined.with_skill.score == pytest.approx(7 / 9)
    assert combined.without_skill.passes == pytest.approx(2 / 3)
    assert [len(row.with_skill) for row in combined.assertions] == [6]
    assert combined.remarks[0] == "Trial 1: A remark."


def test_a_trial_without_a_score_is_left_out_and_kept_for_the_reader() -> None:
    broken = a_trial(2, None, (SessionEnd.STALLED, SessionEnd.COMPLETED))
    combined = combine(a_run_spec(trials=2), [a_trial(1), broken])
    assert combined.reason is None
    assert combined.with_skill == an_arm_score(2, 0, 1)
    assert [one.ungraded_reason for one in combined.trials] == [None, "it broke."]


def test_no_whole_trial_is_no_score_and_names_every_reason() -> None:
    combined = combine(a_run_spec(trials=2), [a_trial(1, None), a_trial(2, None)])
    assert combined.with_skill is None
    assert combined.reason == (
        "none of 2 trials came to a score: trial 1: it broke; trial 2: it broke."
    )


@pytest.mark.parametrize(
    ("lost", "is_valid"),
    [
        ((1, 0), True),
        ((0, 1), True),
        ((2, 2), True),
        ((2, 0), False),
        ((0, 2), False),
        ((3, 1), False),
    ],
)
def test_a_loss_that_hits_one_arm_more_makes_the_run_invalid(
    lost: tuple[int, int], is_valid: bool
) -> None:
    """One session more is chance; two more are a choice among what is left."""
    bad, good = SessionEnd.ERROR, SessionEnd.COMPLETED
    having, lacking = lost
    trials = [
        a_trial(
            number,
            None,
            (bad if number <= having else good, bad if number <= lacking else good),
        )
        for number in range(1, max(lost) + 1)
    ]
    trials += [a_trial(number) for number in range(max(lost) + 1, 6)]
    combined = combine(a_run_spec(trials=5), trials)
    assert (combined.reason is None) is is_valid
    assert (combined.with_skill is not None) is is_valid
    assert is_valid or (combined.reason or "").startswith("invalid: ")


def test_trials_that_met_different_worlds_are_no_one_run() -> None:
    """A provider that moves an alias between two trials has given two models."""
    first = a_trial(1)
    works = {
        arm: ArmWork(
            session=a_session(arm, trial=2, launcher_version="2"), output=Path(), bundle=Path()
        )
        for arm in ARMS
    }
    second = Trial(number=2, works=works, judged=a_trial(2).judged)
    combined = combine(a_run_spec(trials=2), [first, second])
    assert combined.reason is not None
    assert combined.with_skill is None


def test_a_single_trial_is_the_run_itself() -> None:
    combined = combine(a_run_spec(), [a_trial(1)])
    assert combined.trials == ()
    assert combined.remarks == ("A remark.",)


def test_results_that_were_kept_before_there_were_trials_are_read() -> None:
    """An archive lasts longer than the program that wrote it."""
    whole = a_result().model_dump(mode="json")
    del whole["trials"]
    for name in ("skill_commit", "vs_asked", "other", "other_commit"):
        del whole["spec"][name]
    for part in (*whole["sessions"], *whole["passes"]):
        del part["trial"]
    assert RunResult.model_validate(whole) == a_result()
