"""The difference over all trials, and over those in which the skill was loaded."""

import pytest

from jobs.health.loading import Effect, Loading, find_effects, find_loading
from jobs.health.recorded import health_of
from jobs.planning.dedup import record_of
from jobs.planning.markers import find_markers, render_marker
from jobs.reporting.context import ReportContext
from jobs.reporting.report import render_report
from jobs.results import RunResult
from jobs.scores import TrialResult
from jobs.values import Arm, SessionEnd
from tests.builders import (
    a_result,
    a_run_record,
    a_run_spec,
    a_session,
    an_arm_score,
    an_eval_case,
    an_ungraded_result,
)


def installed(
    *trials: tuple[bool | None, float, float], should_load: bool = True, **changes: object
) -> RunResult:
    """A run of trials: whether the skill was loaded, and passes of four in either arm."""
    spec = a_run_spec(
        mode="installed", trials=len(trials), eval_case=an_eval_case(should_load=should_load)
    )
    scores = [[an_arm_score(count, 0, 4 - count) for count in one[1:]] for one in trials]
    results = tuple(
        TrialResult(number=number, with_skill=having, without_skill=lacking)
        for number, (having, lacking) in enumerate(scores, start=1)
    )
    sessions = tuple(
        a_session(arm, trial=number, skill_loaded=one[0] if arm is Arm.WITH_SKILL else None)
        for number, one in enumerate(trials, start=1)
        for arm in spec.arms
    )
    having = sum(one[1] for one in trials) / len(trials)
    lacking = sum(one[2] for one in trials) / len(trials)
    defaults = {
        "spec": spec,
        "trials": results if len(trials) > 1 else (),
        "sessions": sessions,
        "with_skill": an_arm_score(having, 0, 4 - having),
        "without_skill": an_arm_score(lacking, 0, 4 - lacking),
    }
    return a_result(**(defaults | changes))


def report(result: RunResult) -> str:
    return render_report(result, ReportContext(mention="@skillbench"))


def headline(result: RunResult) -> str:
    return report(result).splitlines()[0]


def test_both_differences_have_their_counts() -> None:
    result = installed((True, 4, 2), (False, 2, 2), (True, 4, 4))
    assert find_loading(result) == Loading(2, 3)
    effects = find_effects(result)
    assert effects is not None
    assert effects.over_all == Effect(pytest.approx(1 / 6), 3)
    assert effects.where_loaded == Effect(pytest.approx(1 / 4), 2)
    told = report(result)
    assert "| all trials: what installing it gives | +16.7 points | 3 |" in told
    assert "| trials in which it was loaded | +25 points | 2 |" in told
    assert "skill loaded in 2 of 3 sessions that had it" in told


def test_where_it_was_never_loaded_there_is_no_second_difference() -> None:
    """Not measured is not zero."""
    result = installed((False, 2, 2), (False, 4, 2))
    told = report(result)
    assert "| trials in which it was loaded | not measured | 0 |" in told
    assert "the skill was never loaded" in told


@pytest.mark.parametrize(
    ("loaded", "told"),
    [
        (True, "Loaded in the one trial: +50 points"),
        (False, "Not loaded in the one trial: +50 points"),
    ],
)
def test_with_one_trial_it_is_said_in_words(loaded: bool, told: str) -> None:
    assert told in report(installed((loaded, 4, 2)))


def test_in_the_prompt_there_is_nothing_to_choose() -> None:
    assert find_loading(a_result()) is None
    assert "Did it load?" not in report(a_result())


def test_sessions_that_do_not_count_do_not_tell_of_loading() -> None:
    result = installed((True, 4, 2), (True, 4, 2))
    broken = result.sessions[2].model_copy(update={"end": SessionEnd.ERROR})
    rest = result.model_copy(update={"sessions": (*result.sessions[:2], broken)})
    assert find_loading(rest) == Loading(1, 1)


@pytest.mark.parametrize(
    ("trials", "told"),
    [
        (
            ((False, 3, 3), (False, 2, 2)),
            "## 🟢 Stayed dormant in 2 of 2 sessions, and did no harm: 62.5%",
        ),
        (
            ((False, 3, 2), (True, 2, 2)),
            "## 🔴 Stayed dormant in 1 of 2 sessions, and did no harm: 62.5%",
        ),
        (
            ((True, 1, 3), (True, 2, 2)),
            "## 🔴 Stayed dormant in 0 of 2 sessions, and lower by 25 points: 37.5%",
        ),
        (((False, 1, 2),), "## 🟡 Stayed dormant in 1 of 1 sessions, and lower by 25 points: 25%"),
    ],
)
def test_a_skill_that_is_to_stay_dormant_is_scored_on_that_and_on_harm(
    trials: tuple[tuple[bool, float, float], ...], told: str
) -> None:
    assert headline(installed(*trials, should_load=False)).startswith(told)


def test_what_to_do_about_a_skill_that_woke_is_to_narrow_it() -> None:
    """And not to have it found more often, as elsewhere."""
    woken = report(installed((True, 2, 2), should_load=False))
    assert "**To do** Narrow the skill's description" in woken
    assert "skill dormant in 0 of 1" in woken
    asleep = report(installed((False, 2, 2), should_load=False))
    assert "**To do** Nothing." in asleep
    assert "First let the skill be found" not in asleep
    assert "a set's conclusion leaves this eval case out" in asleep


def test_the_record_holds_what_sets_need() -> None:
    result = installed((True, 4, 2), (False, 2, 2), should_load=False)
    record = record_of(result)
    assert record.loaded == {"loaded": 1, "all": 2}
    assert (record.should_load, record.lost, record.invalid) == (False, {}, False)
    [read] = find_markers(render_marker(record)).ours
    assert read == record


def test_a_marker_says_nothing_of_what_is_as_usual() -> None:
    """Older markers go without these fields, and mean the same."""
    marker = render_marker(a_run_record())
    assert not [name for name in ("should_load", "loaded", "lost", "invalid") if name in marker]
    [read] = find_markers(marker).ours
    assert (read.should_load, read.loaded, read.lost, read.invalid) == (True, None, {}, False)


def test_what_a_run_lost_and_why_it_is_invalid_is_recorded() -> None:
    lost = record_of(an_ungraded_result())
    assert (lost.lost, lost.invalid, lost.score) == ({"without_skill": 1}, False, None)
    assert health_of(an_ungraded_result("invalid: the arms met different worlds."))["invalid"]
