"""Runs are put into one series by what answered, and never by what was asked for."""

import pytest

from jobs.calibration.series import series_key
from jobs.planning.dedup import record_of
from tests.builders import a_pass, a_result, a_run_record, a_session

A_RECORD = a_run_record(
    served="sonnet-4-6-20260101", judge_served="opus-4-7-20260101", judge_prompt="abc"
)


@pytest.mark.parametrize("field", ["served", "judge_served", "judge_prompt"])
def test_another_snapshot_or_another_wording_is_another_series(field: str) -> None:
    assert series_key(A_RECORD.model_copy(update={field: "other"})) != series_key(A_RECORD)


def test_an_alias_and_its_snapshot_are_one_series_where_the_same_answered() -> None:
    by_alias = A_RECORD.model_copy(update={"model": "sonnet", "judge": "opus"})
    assert series_key(by_alias) == series_key(A_RECORD)


@pytest.mark.parametrize("field", ["served", "judge_served"])
def test_what_a_record_does_not_say_is_not_taken_for_what_was_asked(field: str) -> None:
    """An older record of `claude-opus-4-7` may have been judged by any snapshot of it."""
    record = a_run_record(served="claude-sonnet-4-6", judge_served="claude-opus-4-7")
    untold = record.model_copy(update={field: ""})
    assert series_key(untold) != series_key(record)


def test_a_record_says_who_answered() -> None:
    passes = (
        a_pass(1, served_model="opus-b", prompt_version="abc"),
        a_pass(2, served_model="opus-a", prompt_version="abc"),
    )
    sessions = (a_session(served_models=("sonnet-x",)), a_session(served_models=("sonnet-x",)))
    record = record_of(a_result(passes=passes, sessions=sessions))
    assert series_key(record) == ("sonnet-x", "opus-a+opus-b", "abc")


def test_a_record_of_which_nobody_said_who_answered_does_not_say_it_either() -> None:
    record = record_of(a_result(passes=(), sessions=(a_session(served_models=()),)))
    assert (record.served, record.judge_served) == ("", "")
    assert series_key(record)[:2] == ("sent:claudesonnet46", "sent:claude-opus-4-7")
