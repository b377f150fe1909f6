"""A judge over the runs of one series: counts that add up, and never over two series."""

from datetime import timedelta
from typing import Any

import pytest

from jobs.calibration.history import find_histories, pairs_of
from jobs.readings import JudgeAgreement
from jobs.results import RunRecord
from jobs.summary.judge import judge_part
from tests.builders import NOON, a_run_record

STEADY = JudgeAgreement(pairs={"pass/pass": 6, "fail/fail": 4})
BIASED = JudgeAgreement(pairs={"pass/pass": 4, "fail/fail": 4, "pass/fail": 2})


def a_record(number: int = 0, **changes: Any) -> RunRecord:
    defaults = {
        "run": f"{number:012x}",
        "finished_at": NOON + timedelta(hours=number),
        "served": "sonnet-1",
        "judge_served": "opus-1",
        "judge_prompt": "abc",
        "agreement": STEADY,
    }
    return a_run_record(**(defaults | changes))


def test_the_runs_of_one_series_add_up() -> None:
    [found] = find_histories([a_record(0), a_record(1, agreement=BIASED)])
    assert (found.runs, found.swapped.count, found.swapped.of) == (2, 18, 20)
    assert found.swapped.interval == pytest.approx((0.699, 0.972), abs=1e-3)
    assert found.bias == pytest.approx(10)  # two of twenty outputs gained a whole verdict
    assert found.kappa == pytest.approx(0.8)


@pytest.mark.parametrize("field", ["served", "judge_served", "judge_prompt"])
def test_another_snapshot_or_wording_begins_anew(field: str) -> None:
    """Ten runs under one judge say nothing about the judge that answers today."""
    now = a_record(20, agreement=BIASED, **{field: "newer"})
    latest, earlier = find_histories([*(a_record(n) for n in range(10)), now])
    assert (latest.runs, latest.swapped.count, latest.swapped.of) == (1, 8, 10)
    assert (earlier.runs, earlier.swapped.count, earlier.swapped.of) == (10, 100, 100)


def test_intervals_over_runs_begin_at_ten_runs_that_differ() -> None:
    few = [a_record(n, agreement=BIASED if n % 3 else STEADY) for n in range(9)]
    [found] = find_histories(few)
    assert (found.kappa_interval, found.bias_interval) == (None, None)
    [found] = find_histories([*few, a_record(9)])
    assert found.bias_interval is not None
    assert found.bias is not None
    assert found.kappa_interval is not None
    assert found.bias_interval.low < found.bias < found.bias_interval.high
    assert found.kappa_interval.low > 0.3
    [same] = find_histories([a_record(n) for n in range(12)])
    assert (same.kappa_interval, same.bias_interval) == (None, None)


def test_the_same_runs_give_the_same_interval() -> None:
    records = [a_record(n, agreement=BIASED if n % 3 else STEADY) for n in range(12)]
    assert find_histories(records) == find_histories(records)


def test_a_planted_bias_lies_in_its_interval() -> None:
    """Where one output of twenty gains half a point by standing first, 2.5 points are planted."""
    planted = JudgeAgreement(pairs={"pass/pass": 9, "fail/fail": 10, "pass/partial": 1})
    even = JudgeAgreement(pairs={"pass/pass": 10, "fail/fail": 10})
    records = [a_record(n, agreement=planted if n % 2 else even) for n in range(40)]
    [found] = find_histories(records)
    assert found.bias == pytest.approx(1.25)
    assert found.bias_interval is not None
    assert found.bias_interval.low <= 1.25 <= found.bias_interval.high
    assert found.bias_interval.low > 0


def test_people_are_counted_in_the_series_of_the_judge_that_they_correct() -> None:
    records = [
        a_record(0, people={"pass/pass": 2, "pass/fail": 1}),
        a_record(1, people={"fail/split": 1}),
        a_record(2, judge_served="opus-2", people={"fail/pass": 5}),
    ]
    other, found = find_histories(records)
    assert (found.people.count, found.people.of) == (2, 4)
    assert (other.people.count, other.people.of) == (0, 5)
    assert [one.judge_word for one in pairs_of(records[1])] == ["split"]


def test_runs_without_a_score_and_runs_read_once_make_no_history() -> None:
    ungraded = a_record(0, score=None, state="ungraded")
    assert find_histories([ungraded, a_record(1, agreement=None)]) == []


def test_a_summary_shows_a_row_for_each_series() -> None:
    records = [
        a_record(0, people={"pass/pass": 1}),
        a_record(1, judge_served="", judge="opus|<b>@eve"),
    ]
    told = judge_part(find_histories(records)).render(10_000)
    assert "| `opus-1` · prompt `abc` | `sonnet-1` | 1 | 100% of 10 " in told
    assert "| 100% of 1 (21% to 100%) |" in told
    assert ", snapshot unknown" in told
    assert "<b>" not in told
    assert "@eve" not in told


def test_where_nothing_was_read_twice_nothing_is_shown() -> None:
    assert judge_part([]).render(10_000) == ""
