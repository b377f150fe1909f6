"""The split: the same draw as skill-creator's, and a clear word where a set is too small."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.errors import Refused
from jobs.triggering.eval_set import EvalSet, Query, make_eval_set
from jobs.triggering.split import split_eval_set

SPLITS = Path(__file__).parents[4] / "shared/data/trigger/splits.json"


def eval_set(positives: int, negatives: int) -> EvalSet:
    kinds = [True] * positives + [False] * negatives
    return make_eval_set([(f"query {n}", kind) for n, kind in enumerate(kinds)], "set")


@pytest.mark.shared
@pytest.mark.skipif(not SPLITS.exists(), reason="the real test data is not beside the checkout")
def test_known_sets_are_parted_as_skill_creator_parts_them():
    known = json.loads(SPLITS.read_text("utf-8"))
    assert known["splits"]
    for name, expected in known["splits"].items():
        set_name, holdout = name.split("@")
        entries = [(one["query"], one["should_trigger"]) for one in known["sets"][set_name]]
        found = split_eval_set(make_eval_set(entries, set_name), holdout=float(holdout))
        assert [query.text for query in found.train] == expected["train"], name
        assert [query.text for query in found.test] == expected["test"], name


@given(st.integers(2, 30), st.integers(2, 30), st.floats(0.01, 0.99), st.integers(0, 2**32))
def test_every_query_is_in_one_part_and_each_part_has_both_kinds(
    positives: int, negatives: int, holdout: float, seed: int
):
    whole = eval_set(positives, negatives)
    train, test = split_eval_set(whole, holdout=holdout, seed=seed)

    def by_id(query: Query) -> str:
        return query.id

    assert sorted([*train, *test], key=by_id) == sorted(whole.queries, key=by_id)
    for part in (train, test):
        assert {query.should_trigger for query in part} == {True, False}


def test_queries_of_the_same_words_are_parted_as_queries_of_their_own():
    whole = make_eval_set([("same", True)] * 5 + [("other", False)] * 5, "set")
    train, test = split_eval_set(whole)
    assert sorted(query.id for query in (*train, *test)) == sorted(q.id for q in whole.queries)


@pytest.mark.parametrize(
    ("positives", "negatives", "said"),
    [(0, 4, "0 queries that should trigger"), (4, 1, "1 queries that should not trigger")],
)
def test_a_set_too_small_to_part_is_refused(positives: int, negatives: int, said: str):
    with pytest.raises(Refused, match=said):
        split_eval_set(eval_set(positives, negatives))


@pytest.mark.parametrize("holdout", [0, 1, -0.5, 2])
def test_a_part_that_is_no_part_is_refused(holdout: float):
    with pytest.raises(Refused, match="between 0 and 1"):
        split_eval_set(eval_set(4, 4), holdout=holdout)
