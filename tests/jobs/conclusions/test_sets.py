"""Which runs are counted together, and which never are."""

from datetime import timedelta

import pytest

from jobs.conclusions.sets import SetKey, find_set_of, find_sets, keep_newest
from tests.builders import NOON, a_run_record
from tests.jobs.conclusions.records import (
    against_itself,
    only_set,
    results,
    scored,
    unscored,
    versions_scored,
)

LATER = NOON + timedelta(hours=1)


def test_the_latest_score_of_each_eval_case_counts_once() -> None:
    records = [
        scored("a", 1, 0, run="new", finished_at=LATER),
        scored("a", 0, 1, run="old"),
        scored("b", 1, 0.5),
        unscored("b", finished_at=LATER),
    ]
    found = only_set(records)
    assert [(row.record.run, row.difference) for row in found.rows] == [
        ("new", 1.0),
        ("run of b", 0.5),
    ]
    assert found.unscored == ()
    assert found.repeated == 1


def test_a_text_that_has_changed_since_is_not_the_same_eval_case() -> None:
    records = [
        scored("a", 1, 0),
        scored("b", 1, 0),
        scored("b", 0, 1, skill="another", eval_digest="e" * 64, finished_at=LATER),
    ]
    found = {one.key.skill: one for one in find_sets(records)}
    assert [row.record.eval_id for row in found["text/word-count"].rows] == ["a"]


@pytest.mark.parametrize(
    "changes",
    [
        {"skill": "another"},
        {"skill_sha": "f" * 64},
        {"served": "claude-sonnet-4-6-later"},
        {"judge_served": "claude-opus-4-8"},
        {"judge_prompt": "p2"},
        {"launcher": "claude-code"},
        {"mode": "installed"},
        {"environment": "e" * 64},
        {"vs": "sha:123"},
    ],
)
def test_nothing_is_pooled_across(changes: dict[str, str]) -> None:
    found = find_sets([scored("a", 1, 0), scored("b", 1, 0, **changes)])
    assert [len(one.rows) for one in found] == [1, 1]


def test_what_counts_nowhere_makes_no_row() -> None:
    """Half a score, none, and a score that an answer of nothing gets as well."""
    records = [
        a_run_record(eval_id="a", score={"with_skill": 1.0}),
        unscored("b"),
        scored("c", 1, 1, canary_passed=True),
    ]
    assert find_sets(records) == []


def test_eval_cases_with_the_same_input_files_are_one_cluster() -> None:
    records = [scored(name, 1, 0, fixture="f1") for name in ("a", "b")]
    records += [scored(name, 1, 0) for name in ("c", "d")]
    assert len({row.cluster for row in only_set(records).rows}) == 3


def test_an_eval_case_without_a_score_is_missed_in_the_set_it_was_tried_for() -> None:
    """It has met no judge, and so knows no snapshot of one."""
    records = [*results(2, 0, 0), unscored("lost"), unscored("e00"), unscored("x", judge="other")]
    assert [one.eval_id for one in only_set(records).unscored] == ["lost"]


def test_runs_of_a_version_against_itself_are_rounds_of_its_set() -> None:
    records = [
        *results(3, 0, 0),
        *against_itself([0.5, 0, 0]),
        *against_itself([0, 0], later=1),
        *against_itself([0.5], skill_sha="f" * 64),
    ]
    found = only_set(records)
    assert [[row.difference for row in one] for one in found.rounds] == [[0, 0, 0], [0.5, 0]]


def test_a_newer_version_begins_a_new_set() -> None:
    records = [
        *results(3, 0, 0),
        scored("e00", 1, 0, run="n", skill_sha="f" * 64, finished_at=LATER),
        versions_scored("e00", 1, 0, run="v", vs="sha:1", finished_at=NOON - timedelta(hours=1)),
    ]
    kept = keep_newest(find_sets(records))
    assert [(one.key.sha[:1], one.key.vs, len(one.rows)) for one in kept] == [
        ("f", "none", 1),
        (records[0].skill_sha[:1], "sha:1", 1),
    ]


def test_a_run_finds_its_set_before_anybody_remembers_it() -> None:
    records = results(2, 0, 0)
    fresh = scored("e09", 1, 0, finished_at=LATER)
    found = find_set_of(fresh, records)
    assert found is not None
    assert [row.record.eval_id for row in found.rows] == ["e00", "e01", "e09"]
    assert found.key == SetKey.of(fresh)
    assert found.newest == fresh


def test_a_run_that_counts_nowhere_finds_none() -> None:
    records = results(2, 0, 0)
    assert find_set_of(unscored("e09"), records) is None
    assert find_set_of(against_itself([0.5])[0], records) is None


def test_a_set_is_sure_where_any_of_it_was_measured_until_sure() -> None:
    assert not only_set(results(2, 0, 0)).is_sure
    assert only_set([*results(2, 0, 0), scored("e09", 1, 0, sure=True)]).is_sure
