"""Several trials put together: what counts, what does not, and when nothing may."""

from pathlib import Path

import pytest

from jobs.combining import combine
from jobs.health.counts import Counts
from jobs.health.manifest import Expected
from jobs.judging.score import Scored
from jobs.readings import LostReading
from jobs.results import RunResult
from jobs.scoring import Judged
from jobs.trials import ArmWork, Trial
from jobs.values import Arm, SessionEnd
from tests.builders import (
    a_pass,
    a_result,
    a_run_spec,
    a_session,
    a_usage,
    an_arm_score,
    an_assertion_score,
)

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
    read = (a_pass(1, trial=number), a_pass(2, trial=number))
    judged = Judged(passes=read, scored=scored, remarks=scored.remarks)
    return Trial(number=number, works=works, judged=judged)


def test_scores_are_means_over_the_trials() -> None:
    combined = combine(a_run_spec(trials=3), [a_trial(1, (3, 0)), a_trial(2, (2, 1)), a_trial(3)])
    assert combined.with_skill is not None
    assert combined.without_skill is not None
    assert combined.with_skill.score == pytest.approx(7 / 9)
    assert combined.without_skill.passes == pytest.approx(2 / 3)
    assert [len(row.with_skill) for row in combined.assertions] == [6]
    assert combined.remarks[0] == "Trial 1: A remark."


def test_a_trial_without_a_score_leaves_the_run_without_a_single_number() -> None:
    """What is left would be a choice; the trial that has a score keeps it to itself."""
    broken = a_trial(2, None, (SessionEnd.STALLED, SessionEnd.COMPLETED))
    combined = combine(a_run_spec(trials=2), [a_trial(1), broken])
    assert combined.reason == (
        "invalid: the session with skill of trial 2 ended as stalled; 1 were lost with skill and "
        "0 without skill."
    )
    assert (combined.with_skill, combined.without_skill, combined.assertions) == (None, None, ())
    assert [one.difference for one in combined.trials] == [None, None]
    assert [one.ungraded_reason for one in combined.trials] == [
        "left out, since the run as a whole does not count.",
        "it broke.",
    ]


def test_a_reading_that_the_judge_did_not_give_is_no_score() -> None:
    """One order alone would carry the judge's preference for a position."""
    whole = a_trial(1)
    lost = LostReading(number=2, reason="the judge refused", usage=a_usage(), raw_answers=())
    judged = Judged(passes=whole.judged.passes[:1], lost=(lost,), reason="a pass gave none.")
    combined = combine(a_run_spec(), [Trial(number=1, works=whole.works, judged=judged)])
    assert combined.with_skill is None
    assert combined.reason == (
        "invalid: reading 2 of the judge gave no verdicts (the judge refused)."
    )
    assert combined.health is not None
    assert combined.health.readings == Counts(expected=2, observed=2, scored=1)


def test_a_run_whose_world_has_changed_says_what_changed_and_nothing_else() -> None:
    told = "version of the launcher: 2.1.197 at first, 2.1.198 then"
    whole = a_trial(1)
    recalled = Trial(number=1, works=whole.works, judged=Judged(reason="it was not carried on."))
    combined = combine(a_run_spec(), [recalled], Expected(changes=[told]))
    assert combined.reason == f"invalid: the world changed while the run went on: {told}."


def test_no_whole_trial_is_no_score_and_names_every_reason() -> None:
    combined = combine(a_run_spec(trials=2), [a_trial(1, None), a_trial(2, None)])
    assert combined.with_skill is None
    assert combined.reason == (
        "none of 2 trials came to a score: trial 1: it broke; trial 2: it broke."
    )


@pytest.mark.parametrize(
    ("lost", "told"),
    [
        ((1, 0), "1 were lost with skill and 0 without skill"),
        ((0, 2), "0 were lost with skill and 2 without skill"),
        ((2, 2), "the session with skill of trial 1 ended as error"),
    ],
)
def test_any_loss_makes_the_run_invalid_and_the_arm_it_hit_more_is_told(
    lost: tuple[int, int], told: str
) -> None:
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
    assert combined.with_skill is None
    assert (combined.reason or "").startswith("invalid: ")
    assert told in (combined.reason or "")
    assert ("were lost" in (combined.reason or "")) is (having != lacking)


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
    assert combined.reason == (
        "invalid: the arms ran in different versions of the launcher: unknown and 2."
    )
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
