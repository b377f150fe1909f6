"""What a skill's summary makes of runs that count apart, and of those that are invalid."""

from jobs.summary.measured import find_measurements
from tests.builders import a_run_record

SKILL = a_run_record().skill


def test_tasks_that_are_none_for_the_skill_are_counted_apart_with_how_they_came_out() -> None:
    """A low score with the skill installed says nothing of what the skill is for."""
    meant = a_run_record(run="a" * 12, eval_id="a")
    dormant = a_run_record(
        run="b" * 12, eval_id="b", should_load=False, loaded={"loaded": 1, "all": 3}
    )
    lost = a_run_record(run="c" * 12, eval_id="c", should_load=False, score=None, state="ungraded")
    found = find_measurements([meant, dormant, lost], SKILL)
    assert [row.record for row in found.rows] == [meant]
    assert [one.reason for one in found.not_counted] == [
        "its task is none for the skill, which stayed dormant in 2 of 3 sessions",
        "its task is none for the skill",
    ]


def test_an_invalid_run_is_named_as_one() -> None:
    invalid = a_run_record(score=None, state="ungraded", invalid=True)
    [left_out] = find_measurements([invalid], SKILL).not_counted
    assert left_out.reason == "was invalid"
    broken = a_run_record(score=None, state="ungraded")
    [left_out] = find_measurements([broken], SKILL).not_counted
    assert left_out.reason == "came to no score"
