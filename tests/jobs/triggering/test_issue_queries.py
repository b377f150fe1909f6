"""An eval set in an issue, as people write it: JSON in a fence, or two lists."""

import pytest

from jobs.content.sections import parse_sections
from jobs.errors import Refused
from jobs.triggering.eval_set import EvalSet
from jobs.triggering.issue_queries import read_issue_queries

LISTS = """\
## Skills

pdf

## Trigger queries

### Should trigger

- fill in the tax form
- [ ] "merge these
  two files"

### Should not trigger
1. write a haiku
2. `what is 2 + 2?`

## Language

English
"""


def read(body: str) -> EvalSet:
    return read_issue_queries(parse_sections(body).get("trigger_queries"), "issue #7")


def texts(found: EvalSet) -> list[tuple[str, bool]]:
    return [(query.text, query.should_trigger) for query in found.queries]


def test_two_lists_under_sub_headings_are_a_set():
    assert texts(read(LISTS)) == [
        ("fill in the tax form", True),
        ("merge these\ntwo files", True),
        ("write a haiku", False),
        ("what is 2 + 2?", False),
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Should trigger:", "Should not trigger:"),
        ("**Should trigger**", "**Shouldn\u2019t trigger**"),
        ("#### should trigger", "#### SHOULD NOT TRIGGER"),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_titles_are_read_as_people_write_them(first: str, second: str, line_end: str):
    body = f"### Trigger queries\n\n{first}\n\n* one\n\n{second}\n\n* two\n"
    assert texts(read(body.replace("\n", line_end))) == [("one", True), ("two", False)]


def test_a_fenced_block_is_read_as_json():
    body = '## Trigger queries\n\nHere:\n\n```json\n[{"query": "a", "should_trigger": true}]\n```\n'
    assert texts(read(body)) == [("a", True)]


@pytest.mark.parametrize(
    ("section", "reason"),
    [
        ("- one\n- two\n", "entry 1: it stands under neither"),
        ("### Should trigger\n- one\n\n### Others\n- two\n", "entry 2: it stands under neither"),
        ("### Should trigger\n- one\n-\n", "entry 2: an item without a query"),
        ("### Should trigger\n", "holds no queries"),
        ("```\n[{]\n```\n", "no valid JSON, line 1"),
        ("### Should trigger\n- one\n### Should not trigger\n- one\n", "opposite wish"),
    ],
)
def test_what_cannot_be_used_is_named(section: str, reason: str):
    with pytest.raises(Refused, match=reason):
        read(f"## Trigger queries\n\n{section}")


def test_queries_are_no_part_of_the_section_before_them():
    body = "## Rubric Criteria (Assertions)\n\n- it is right\n\n## Trigger queries\n\n- one\n"
    assert parse_sections(body).get("rubric") == "- it is right"
