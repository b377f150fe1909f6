"""Eval sets as people write them, and what is said about those that cannot be used."""

import json

import pytest

from jobs.errors import Refused
from jobs.triggering.eval_set import MOST_QUERIES, parse_eval_set

SOURCE = "pdf/evals/trigger.json"


def parse(*entries: object):
    return parse_eval_set(json.dumps(entries), SOURCE)


def entry(query: object, should_trigger: object = True) -> dict[str, object]:
    return {"query": query, "should_trigger": should_trigger}


def test_a_set_keeps_its_queries_in_order_under_ids_of_their_own():
    found = parse(entry("fill in the form"), entry("what is 2 + 2", False))
    assert [(query.id, query.text) for query in found.queries] == [
        ("Q1", "fill in the form"),
        ("Q2", "what is 2 + 2"),
    ]
    assert [query.id for query in found.positives] == ["Q1"]
    assert [query.id for query in found.negatives] == ["Q2"]
    assert found.remarks == ()


def test_windows_line_ends_and_a_byte_order_mark_change_nothing():
    text = '\ufeff[\r\n{"query": "one\\r\\ntwo", "should_trigger": true}\r\n]'
    assert parse_eval_set(text, SOURCE).queries[0].text == "one\ntwo"


def test_a_long_query_is_kept_whole():
    text = "rotate " * 3_000
    assert parse(entry(text)).queries[0].text == text.strip()


def test_repeated_queries_are_told_apart_and_mentioned():
    found = parse(entry("merge these"), entry("what now", False), entry("merge these"))
    assert [query.id for query in found.queries] == ["Q1", "Q2", "Q3"]
    assert found.remarks == ("Q3 repeats Q1; each was asked for itself.",)


@pytest.mark.parametrize(("kind", "unknown"), [(True, "should not"), (False, "should")])
def test_a_set_of_one_kind_says_what_it_cannot_measure(kind: bool, unknown: str):
    (remark,) = parse(entry("merge these", kind)).remarks
    assert f"fires when it {unknown} was not measured" in remark


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no valid JSON, line 1"),
        ('[\n{"query": "a",\n]', "is no valid JSON, line 3"),
        ("[" * 100_000, "is no valid JSON: nested too deeply"),
        ("[]", "holds no queries"),
        ('{"query": "a", "should_trigger": true}', "must hold a list of queries"),
        ("[1]", "entry 1: it is no object"),
        ('[{"query": " ", "should_trigger": true}]', "entry 1: `query` must be a text"),
        ('[{"query": 3, "should_trigger": true}]', "entry 1: `query` must be a text"),
        ('[{"query": "a", "should_trigger": "yes"}]', "entry 1: `should_trigger` must be `true`"),
        (
            '[{"query": "a", "query": "b", "should_trigger": true}]',
            "entry 1: it holds one key twice",
        ),
        (f"[{'9' * 5_000}]", "holds a number of too many digits"),
        ('[{"query": "a"}]', "entry 1: `should_trigger` must be `true`"),
        (json.dumps([entry("a" * 100_001)]), "entry 1: `query` has 100,001 characters"),
        (json.dumps([entry("a", True), entry("a", False)]), "entry 2: the same query as Q1"),
        (json.dumps([entry(f"q{n}") for n in range(MOST_QUERIES + 1)]), "holds 501 queries"),
    ],
)
def test_a_set_that_cannot_be_used_is_refused_with_the_reason(text: str, said: str):
    with pytest.raises(Refused) as refusal:
        parse_eval_set(text, SOURCE)
    assert said in str(refusal.value)
    assert SOURCE in str(refusal.value)


def test_many_problems_are_told_in_one_refusal_of_bounded_length():
    with pytest.raises(Refused) as refusal:
        parse(*[{"query": ""}] * 40)
    assert str(refusal.value).count("entry ") == 10
    assert "and 30 more" in str(refusal.value)
