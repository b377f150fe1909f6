"""What a result may be held against."""

from datetime import UTC, datetime
from typing import Any

import pytest

from jobs.planning.previous import find_previous
from jobs.results import RunRecord
from tests.builders import a_run_record


def at(day: int) -> datetime:
    return datetime(2026, 3, day, tzinfo=UTC)


def an_older(day: int = 1, **changes: Any) -> RunRecord:
    return a_run_record(
        **{"run": f"old-{day}", "skill_sha": "0" * 64, "finished_at": at(day)} | changes
    )


NOW = a_run_record(run="now", skill_sha="1" * 64, finished_at=at(9))


def test_the_newest_result_of_another_version_before_it() -> None:
    later = an_older(20)
    assert find_previous(NOW, [an_older(1), an_older(3), an_older(2), later]) == an_older(3)


def test_a_skill_that_was_moved_is_the_same_skill() -> None:
    before = an_older(skill="word-count")
    now = NOW.model_copy(update={"skill": "text/word-count"})
    assert find_previous(now, [before]) == before


def test_where_there_is_none_there_is_none() -> None:
    assert find_previous(NOW, [NOW]) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"skill_sha": "1" * 64},
        {"eval_digest": "2" * 64},
        {"eval_id": "other"},
        {"skill": "skills/other"},
        {"model_identity": "other"},
        {"launcher": "claude-code"},
        {"environment": "3" * 64},
        {"vs": "self"},
        {"judge": "other"},
        {"judge_prompt": "another wording"},
        {"served": "claude-sonnet-4-6-20260101"},
        {"judge_served": "claude-opus-4-7-20260101"},
        {"trials": 3},
        {"score": None, "state": "ungraded"},
        {"pull": 7},
        {"canary_passed": True},
    ],
)
def test_another_question_is_no_previous_result(changes: dict[str, Any]) -> None:
    assert find_previous(NOW, [an_older(**changes)]) is None


def test_what_counts_nowhere_is_held_against_nothing() -> None:
    now = NOW.model_copy(update={"canary_passed": True})
    assert find_previous(now, [an_older()]) is None


def test_an_earlier_head_comes_before_the_next_one_of_the_same_pull_request() -> None:
    now, before = NOW.model_copy(update={"pull": 7}), an_older(pull=7)
    assert find_previous(now, [before, an_older(2, pull=8)]) == before
