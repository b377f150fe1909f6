"""The eval set: queries that should make an agent use a skill, and queries that should not.

Reads what people write and keeps every query apart from every other, also where two have
the same words. Refuses a set from which nothing could be learnt, naming the entry; what can
be used with a caveat is used, and the caveat is kept.
"""

import json
from collections.abc import Sequence

from pydantic import Field

from jobs.content.text import clean_text, quoted
from jobs.errors import Refused
from jobs.requests import Value

MOST_QUERIES = 500
LONGEST_QUERY = 100_000
"""Characters: a whole file may be pasted into a question."""
MOST_PROBLEMS = 10
"""Of one set, named in one refusal."""


class Query(Value):
    """One thing a person might ask."""

    id: str
    """`Q1`, `Q2` … in the order of the set: two queries may have the same words."""
    text: str
    should_trigger: bool


class EvalSet(Value):
    """Queries of both kinds, in the order they were written."""

    queries: tuple[Query, ...] = Field(min_length=1)
    remarks: tuple[str, ...] = ()
    """What a reader of the results should know."""

    @property
    def positives(self) -> tuple[Query, ...]:
        return tuple(query for query in self.queries if query.should_trigger)

    @property
    def negatives(self) -> tuple[Query, ...]:
        return tuple(query for query in self.queries if not query.should_trigger)


class _Twice:
    """Stands for an object that holds one key twice."""


def parse_eval_set(text: str, source: str) -> EvalSet:
    """An eval set from JSON: a list of `{"query": …, "should_trigger": true | false}`.

    `source` names the file or the section in what is said about it. Raises `Refused` with
    every entry that cannot be used, or where there is none.
    """
    try:
        entries = json.loads(clean_text(text), object_pairs_hook=_make_entry)
    except json.JSONDecodeError as error:
        raise Refused(
            f"{quoted(source)} is no valid JSON, line {error.lineno}: {error.msg}."
        ) from None
    except RecursionError:
        raise Refused(f"{quoted(source)} is no valid JSON: nested too deeply.") from None
    except ValueError:
        raise Refused(f"{quoted(source)} holds a number of too many digits.") from None
    if not isinstance(entries, list):
        raise Refused(
            f"{quoted(source)} must hold a list of queries, each as "
            '`{"query": "…", "should_trigger": true}`.'
        )
    return make_eval_set([_read(entry) for entry in entries], source)


def make_eval_set(entries: Sequence[tuple[str, bool] | str], source: str) -> EvalSet:
    """An eval set from pairs of query and expectation; a text in place of a pair is a problem.

    Raises `Refused` as `parse_eval_set` does.
    """
    if not entries:
        raise Refused(f"{quoted(source)} holds no queries.")
    if len(entries) > MOST_QUERIES:
        raise Refused(
            f"{quoted(source)} holds {len(entries):,} queries; {MOST_QUERIES} is the most."
        )
    problems, queries = [], []
    expected: dict[str, tuple[str, bool]] = {}
    repeated = []
    for number, entry in enumerate(entries, 1):
        if isinstance(entry, str):
            problems.append(f"entry {number}: {entry}")
            continue
        text, should_trigger = entry
        first, meant = expected.setdefault(text, (f"Q{number}", should_trigger))
        if meant is not should_trigger:
            problems.append(f"entry {number}: the same query as {first}, with the opposite wish")
        elif first != f"Q{number}":
            repeated.append(f"Q{number} repeats {first}")
        queries.append(Query(id=f"Q{number}", text=text, should_trigger=should_trigger))
    if problems:
        more = (
            f"; and {len(problems) - MOST_PROBLEMS} more" if len(problems) > MOST_PROBLEMS else ""
        )
        raise Refused(
            f"{quoted(source)} cannot be used: {'; '.join(problems[:MOST_PROBLEMS])}{more}."
        )
    return EvalSet(queries=tuple(queries), remarks=_remarks(queries, repeated))


def _make_entry(pairs: list[tuple[str, object]]) -> dict[str, object] | _Twice:
    """An object of JSON, which Python would read by the last value of each key."""
    entry = dict(pairs)
    return entry if len(entry) == len(pairs) else _Twice()


def _read(entry: object) -> tuple[str, bool] | str:
    """Query and expectation of one entry, or what is wrong with it."""
    if isinstance(entry, _Twice):
        return "it holds one key twice"
    if not isinstance(entry, dict):
        return "it is no object with `query` and `should_trigger`"
    query, should_trigger = entry.get("query"), entry.get("should_trigger")
    if not isinstance(query, str) or not clean_text(query).strip():
        return "`query` must be a text that is not empty"
    if len(query) > LONGEST_QUERY:
        return f"`query` has {len(query):,} characters; {LONGEST_QUERY:,} is the most"
    if not isinstance(should_trigger, bool):
        return "`should_trigger` must be `true` or `false`"
    return clean_text(query).strip(), should_trigger


def _remarks(queries: Sequence[Query], repeated: Sequence[str]) -> tuple[str, ...]:
    kinds = {query.should_trigger for query in queries}
    remarks = []
    if kinds == {True}:
        remarks.append(
            "Every query should trigger the skill: how often it fires when it should not was "
            "not measured."
        )
    if kinds == {False}:
        remarks.append(
            "No query should trigger the skill: how often it fires when it should was not measured."
        )
    if repeated:
        remarks.append(f"{', '.join(repeated[:MOST_PROBLEMS])}; each was asked for itself.")
    return tuple(remarks)
