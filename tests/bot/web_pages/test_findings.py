"""What evaluators find, as lines of a page, whatever shape they have."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.web.findings import LONGEST, MOST, Finding, find_findings
from jobs.datasets.grades import Grade
from tests.jobs.datasets.given_results import a_result

JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=9,
)


def found_in(detail: dict[str, Any]) -> list[Finding]:
    grade = Grade(outcome="scored", score=1.0, feedback="", detail=detail)
    return find_findings(a_result("1", grade=grade))


@pytest.mark.parametrize(
    ("detail", "expected"),
    [
        (
            {"rubric_results": [{"criterion": "c", "criteria_met": True, "points": -7.0,
                                 "explanation": "why", "tags": []}]},
            Finding("c", "met", "why\npoints: -7", is_good=False),
        ),
        (
            {"rubric_results": [{"criterion": "c", "criteria_met": False, "points": -0.5,
                                 "tags": ["axis:a", "axis:b"]}]},
            Finding("c", "not met", "points: -0.5, tags: axis:a, axis:b"),
        ),
        (
            {"dimensions": {"accuracy": {"score": 3, "comment": "so"}}},
            Finding("accuracy", "", "so\nscore: 3"),
        ),
        (
            {"checkpoints": [{"turn": 1, "type": "record_ack", "passed": False}]},
            Finding("record_ack", "not met", "turn: 1", is_good=False),
        ),
        ({"extracted_answer": "22.9"}, Finding("extracted answer", "", "22.9")),
        ({"numbers": [1, 2]}, Finding("numbers", "", "[1, 2]")),
    ],
)  # fmt: skip
def test_each_shape_is_shown(detail: dict[str, Any], expected: Finding) -> None:
    assert found_in(detail) == [expected]


@given(st.dictionaries(st.text(max_size=9), JSON, max_size=4))
def test_any_detail_can_be_shown(detail: dict[str, Any]) -> None:
    for one in found_in(detail):
        assert all(isinstance(part, str) for part in one[:3])


def test_much_is_cut() -> None:
    found = found_in({"all": [{"name": "n" * 9_000, "reason": "r" * 9_000}] * 900})
    assert len(found) == MOST
    assert len(found[0].name) == len(found[0].reason) == LONGEST
