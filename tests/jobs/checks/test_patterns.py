"""Patterns of plain assertions that would hurt whoever compiles them, or mean something else."""

from pathlib import Path

import pytest

from jobs.checks.plain import recognise
from tests.jobs.checks.test_facts import said


@pytest.mark.parametrize(
    "pattern",
    [
        "a{100000000}",
        "((a{1000}){1000}){1000}",
        "(ab){ 3000000 }",
        "(?:x{200}){99,}",
    ],
)
def test_a_pattern_that_would_be_spelt_out_in_memory_is_left_to_the_judge(pattern: str):
    assert recognise(f"`r.txt` matches the regex `{pattern}`") == ()


@pytest.mark.parametrize("pattern", ["(?a)(?u)x", "(x", "(?P<a>x)(?P=b)"])
def test_a_pattern_that_cannot_be_used_is_left_to_the_judge(pattern: str):
    assert recognise(f"`r.txt` matches the regex `{pattern}`") == ()


@pytest.mark.parametrize("pattern", ["/total: \\d+/i", "/^# /", "/a/gm"])
def test_a_pattern_between_slashes_is_of_another_language(pattern: str):
    assert recognise(f"`r.txt` matches the regex `{pattern}`") == ()


@pytest.mark.parametrize("pattern", ["(a(?1)?b)", "(?R)?a", "(?P<x>a(?&x)?)", "(a(?P>x))"])
def test_a_pattern_that_calls_itself_is_left_to_the_judge(pattern: str):
    assert recognise(f"`r.txt` matches the regex `{pattern}`") == ()


def test_an_identifier_or_a_time_is_no_long_pattern():
    identifier = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    for pattern in (identifier, "\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}", "a/b", "/usr/bin"):
        assert recognise(f"`r.txt` matches the regex `{pattern}`"), pattern


def test_a_line_ends_before_the_return_of_another_system(tmp_path: Path):
    text = "`r.txt` matches the regex `^Total: \\d+$`"
    assert said(tmp_path, text, {"r.txt": "a\r\nTotal: 42\r\nb\r\n"}) is True
    assert said(tmp_path, "`r.txt` matches the regex `\\r\\n`", {"r.txt": "a\r\n"}) is True
