"""Which runs answer for one until sure, and which runs one until sure answers for."""

import pytest

from jobs.planning.dedup import answers, record_of
from jobs.planning.markers import find_markers, render_marker
from jobs.results import RunRecord
from jobs.scores import TrialResult
from jobs.sequential.stop import Stop
from jobs.values import RunSpec
from tests.builders import a_result, a_run_record, a_run_spec, an_arm_score

FIXED = a_run_spec(trials=3)
UNTIL_SURE = a_run_spec(trials=12, until_sure="trials")
STOPPED = Stop(why="higher", wins=8, ties=1, losses=0, most=12)


def a_stopped_record(most: int = 12, why: str = "higher") -> RunRecord:
    stopped = STOPPED.model_copy(update={"most": most, "why": why})
    return a_run_record(trials=9, stopped=stopped)


@pytest.mark.parametrize(
    ("record", "spec", "expected"),
    [
        (a_stopped_record(), UNTIL_SURE, True),
        (a_stopped_record(why="futile"), UNTIL_SURE, True),
        (a_stopped_record(most=11), UNTIL_SURE, False),
        (a_stopped_record(most=20), UNTIL_SURE, True),
        (a_run_record(trials=9), UNTIL_SURE, False),
        (a_run_record(trials=12), UNTIL_SURE, True),
        (a_stopped_record(), FIXED, True),
        (a_stopped_record(), a_run_spec(trials=10), False),
        (a_stopped_record().model_copy(update={"score": None}), UNTIL_SURE, False),
    ],
)
def test_the_same_question_is_answered_by_as_high_a_cap_or_as_many_trials(
    record: RunRecord, spec: RunSpec, *, expected: bool
) -> None:
    assert answers(record, spec) is expected


def test_a_record_tells_the_trials_there_were_and_why_there_were_no_more() -> None:
    score = an_arm_score(3, 0, 0)
    trials = tuple(
        TrialResult(number=number, with_skill=score, without_skill=score) for number in range(1, 10)
    )
    record = record_of(a_result(spec=UNTIL_SURE, trials=trials, stopped=STOPPED))
    assert (record.trials, record.stopped, record.sure) == (9, STOPPED, False)
    [read] = find_markers(render_marker(record)).ours
    assert read.stopped == STOPPED


def test_an_eval_case_of_a_set_until_sure_says_so_and_nothing_of_its_trials() -> None:
    record = record_of(a_result(spec=a_run_spec(until_sure="evals", trials=1)))
    assert (record.trials, record.stopped, record.sure) == (1, None, True)
    assert find_markers(render_marker(record)).ours[0].sure


def test_a_marker_of_a_fixed_number_says_nothing_of_it() -> None:
    marker = render_marker(record_of(a_result()))
    assert '"sure"' not in marker
    assert '"stopped"' not in marker
